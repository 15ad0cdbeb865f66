// A bot over one REQ socket: plays any legal play, names any double, to the end of the match. It
// knows no rule; the daemon lists the legal plays. A reply that does not come is asked for again:
// every action carries its ply, so that it cannot be done twice.
//
//     java -cp jeromq.jar Bot.java ADDRESS TABLE TOKEN [SEED]
//
// It does not encrypt: the jeromq of Debian knows no CURVE.

import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.zeromq.ZMQ;

public final class Bot {
    private static final int PATIENCE_MS = 8_000;
    private static final int WAIT_SECONDS = 5;
    private static final int ATTEMPTS = 20;
    private static final Set<String> PASSING =
            Set.of("stale-ply", "not-your-turn", "over", "busy", "rate-limited");

    private final ZMQ.Context context = ZMQ.context(1);
    private final String address;
    private ZMQ.Socket socket;
    private ZMQ.Socket monitor;
    private int connections;

    private Bot(String address) {
        this.address = address;
        connect();
    }

    private void connect() {
        if (socket != null) {
            socket.close();
            monitor.close();
        }
        socket = context.socket(ZMQ.REQ);
        socket.setLinger(0);
        // Tells of a lost connection, so that nobody waits for what cannot come.
        String events = "inproc://events-" + connections++;
        socket.monitor(events, ZMQ.EVENT_DISCONNECTED);
        monitor = context.socket(ZMQ.PAIR);
        monitor.setLinger(0);
        monitor.connect(events);
        socket.connect(address);
    }

    /** Sends a request until it is answered. */
    private String answer(String request) throws InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            socket.send(request);
            ZMQ.Poller ready = new ZMQ.Poller(2);
            ready.register(socket, ZMQ.Poller.POLLIN);
            ready.register(monitor, ZMQ.Poller.POLLIN);
            ready.poll(PATIENCE_MS);
            String reply = socket.recvStr(ZMQ.DONTWAIT);
            if (reply != null) {
                return reply;
            }
            Thread.sleep(200 * attempt);
            connect(); // a REQ socket that got no reply takes no other request
        }
        throw new IllegalStateException(address + ": nobody answers");
    }

    /** What follows the sign of a reply; null where asking on mends what was refused. */
    private String ask(String format, Object... values) throws InterruptedException {
        String reply = answer(String.format(format, values));
        if (reply.startsWith("=")) {
            return reply.length() > 2 ? reply.substring(2) : "";
        }
        String code = reply.split(" ", 3)[1];
        // A table that was stopped answers await like that, whenever it is asked.
        boolean stopped = code.equals("over") && format.startsWith("await");
        if (stopped || !PASSING.contains(code)) {
            throw new IllegalStateException(reply);
        }
        Thread.sleep(100);
        return null;
    }

    private String play(String table, String token, Random random) throws InterruptedException {
        String state = null;
        while (state == null) {
            state = ask("state %s", table);
        }
        Matcher rules = Pattern.compile(" rules=(\"[^\"]*\"|\\S+)").matcher(state);
        if (!rules.find()) {
            throw new IllegalStateException("no rules in '" + state + "'");
        }
        while (true) {
            String turn = ask("await %s %s timeout=%d", table, token, WAIT_SECONDS);
            if (turn == null) {
                continue;
            }
            String[] words = turn.split(" ");
            if (words[0].equals("over")) {
                return turn;
            } else if (words[0].equals("play")) {
                String legal = ask("legal %s rules=%s", words[2], rules.group(1));
                if (legal == null) {
                    continue;
                }
                String[] lines = legal.split("\n");
                String line = lines[1 + random.nextInt(lines.length - 1)];
                ask("play %s %s %s ply=%s", table, token, line.split("\t")[0], words[1]);
            } else if (words[0].equals("name")) {
                ask("name %s %s %d ply=%s", table, token, 1 + random.nextInt(6), words[1]);
            }
        }
    }

    private void close() {
        socket.close();
        monitor.close();
        context.term();
    }

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length < 3 || arguments.length > 4) {
            System.err.println("usage: java -cp jeromq.jar Bot.java ADDRESS TABLE TOKEN [SEED]");
            System.exit(2);
        }
        if (System.getenv("ACEY_CURVE") != null) {
            System.err.println("bot: ACEY_CURVE is set, and this bot does not encrypt");
            System.exit(2);
        }
        long seed = arguments.length == 4 ? Long.parseLong(arguments[3]) : 1;
        Bot bot = new Bot(arguments[0]);
        int status = 0;
        try {
            System.out.println(bot.play(arguments[1], arguments[2], new Random(seed)));
        } catch (IllegalStateException error) {
            System.err.println("bot: " + error.getMessage());
            status = 1;
        }
        bot.close();
        System.exit(status);
    }
}
