/* A bot over one REQ socket of libzmq: plays any legal play, names any double, to the end of the
 * match. It knows no rule; the daemon lists the legal plays. A reply that does not come is asked
 * for again: every action carries its ply, so that it cannot be done twice.
 *
 *     cc -O2 -o bot bot.c -lzmq
 *     ./bot ADDRESS TABLE TOKEN [SEED]
 *
 * Where the daemon encrypts, ACEY_CURVE names the folder with server.public and NAME.secret, and
 * ACEY_CLIENT is that NAME.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE_MS = 8000, WAIT_SECONDS = 5, ATTEMPTS = 20, REPLY_SIZE = 1 << 20, KEY_SIZE = 41 };

static void *context, *daemon_socket, *monitor;
static const char *address;
static char request[1024], reply[REPLY_SIZE];
static char server_key[KEY_SIZE], public_key[KEY_SIZE], secret_key[KEY_SIZE];

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bot: %s: %s\n", what, why);
    exit(2);
}

static void read_key(char key[KEY_SIZE], const char *folder, const char *name, const char *suffix) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffix);
    FILE *file = fopen(path, "r");
    uint8_t bytes[32];
    if (!file || fscanf(file, "%40s", key) != 1 || !zmq_z85_decode(bytes, key))
        fail(path, "no key of CURVE can be read there");
    fclose(file);
}

static void read_keys(void) {
    const char *folder = getenv("ACEY_CURVE"), *name = getenv("ACEY_CLIENT");
    if (!folder) return;
    if (!name) fail(folder, "ACEY_CLIENT is to say whose NAME.secret is to be used");
    read_key(server_key, folder, "server", "public");
    read_key(secret_key, folder, name, "secret");
    zmq_curve_public(public_key, secret_key);
}

static void connect_anew(void) {
    static unsigned connections;
    char events[32];
    int linger = 0;
    if (daemon_socket) {
        zmq_socket_monitor(daemon_socket, NULL, 0);
        zmq_close(monitor);
        zmq_close(daemon_socket);
    }
    daemon_socket = zmq_socket(context, ZMQ_REQ);
    zmq_setsockopt(daemon_socket, ZMQ_LINGER, &linger, sizeof linger);
    if (*server_key) {
        zmq_setsockopt(daemon_socket, ZMQ_CURVE_SERVERKEY, server_key, KEY_SIZE);
        zmq_setsockopt(daemon_socket, ZMQ_CURVE_PUBLICKEY, public_key, KEY_SIZE);
        zmq_setsockopt(daemon_socket, ZMQ_CURVE_SECRETKEY, secret_key, KEY_SIZE);
    }
    /* Tells of a lost connection, so that nobody waits for what cannot come. */
    snprintf(events, sizeof events, "inproc://events-%u", connections++);
    zmq_socket_monitor(daemon_socket, events,
                       ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                           ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    monitor = zmq_socket(context, ZMQ_PAIR);
    zmq_setsockopt(monitor, ZMQ_LINGER, &linger, sizeof linger);
    zmq_connect(monitor, events);
    if (zmq_connect(daemon_socket, address) != 0) fail(address, zmq_strerror(zmq_errno()));
}

/* Takes note of what has become of the connection; ends the bot where the keys do not fit. */
static void look(void) {
    uint8_t event[6];
    uint16_t kind = 0;
    if (zmq_recv(monitor, event, sizeof event, 0) == sizeof event)
        memcpy(&kind, event, sizeof kind);
    if (kind == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH || kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)
        fail(address, "the daemon does not admit this key, or keys are missing or not wanted");
}

/* Sends a request until it is answered; the reply stands in `reply`. */
static void ask(const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(request, sizeof request, format, values);
    va_end(values);
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (zmq_send(daemon_socket, request, (size_t)length, 0) >= 0) {
            zmq_pollitem_t ready[] = {{daemon_socket, 0, ZMQ_POLLIN, 0},
                                      {monitor, 0, ZMQ_POLLIN, 0}};
            zmq_poll(ready, 2, PATIENCE_MS);
            int size = zmq_recv(daemon_socket, reply, sizeof reply - 1, ZMQ_DONTWAIT);
            if (size >= 0) {
                reply[size < REPLY_SIZE ? size : REPLY_SIZE - 1] = '\0';
                return;
            }
            if (ready[1].revents) look();
        }
        usleep(attempt * 200000);
        connect_anew(); /* a REQ socket that got no reply takes no other request */
    }
    fail(address, "nobody answers");
}

/* Whether the last request was refused in a way that asking on mends; ends the bot otherwise. */
static int refused(void) {
    static const char *const passing[] = {"stale-ply", "not-your-turn", "over", "busy",
                                          "rate-limited"};
    if (reply[0] == '=') return 0;
    /* A table that was stopped answers await like that, whenever it is asked. */
    int stopped = strncmp(request, "await", 5) == 0 && strncmp(reply + 2, "over", 4) == 0;
    for (size_t i = 0; !stopped && i < sizeof passing / sizeof *passing; i++) {
        if (strncmp(reply + 2, passing[i], strlen(passing[i])) == 0) {
            usleep(100000);
            return 1;
        }
    }
    fprintf(stderr, "bot: %s\n", reply);
    exit(1);
}

/* Copies the value of rules= from the reply of `state`: a word, or a string in quotes. */
static void read_rules(char *rules, size_t size) {
    const char *start = strstr(reply, " rules=");
    if (!start) {
        fprintf(stderr, "bot: no rules in '%s'\n", reply);
        exit(1);
    }
    start += strlen(" rules=");
    size_t length = *start == '"' ? strcspn(start + 1, "\"") + 2 : strcspn(start, " \n");
    snprintf(rules, size, "%.*s", (int)length, start);
}

/* Copies one of the legal plays, each as likely as the other, from the reply of `legal`. */
static void choose(char *play, size_t size) {
    int place = rand() % atoi(reply + 2);
    const char *line = strchr(reply, '\n') + 1;
    while (place-- > 0) line = strchr(line, '\n') + 1;
    snprintf(play, size, "%.*s", (int)strcspn(line, "\t"), line);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: bot ADDRESS TABLE TOKEN [SEED]\n");
        return 2;
    }
    address = argv[1];
    const char *table = argv[2], *token = argv[3];
    srand(argc == 5 ? (unsigned)atoi(argv[4]) : 1);
    read_keys();
    context = zmq_ctx_new();
    connect_anew();

    char rules[512], position[64], play[256];
    int ply;
    do ask("state %s", table); while (refused());
    read_rules(rules, sizeof rules);
    for (;;) {
        ask("await %s %s timeout=%d", table, token, WAIT_SECONDS);
        if (refused()) continue;
        if (strncmp(reply, "= over ", 7) == 0) break;
        if (sscanf(reply, "= play %d %63s", &ply, position) == 2) {
            ask("legal %s rules=%s", position, rules);
            if (refused()) continue;
            choose(play, sizeof play);
            ask("play %s %s %s ply=%d", table, token, play, ply);
            refused();
        } else if (sscanf(reply, "= name %d", &ply) == 1) {
            ask("name %s %s %d ply=%d", table, token, rand() % 6 + 1, ply);
            refused();
        }
    }
    puts(reply + 2);
    zmq_close(monitor);
    zmq_close(daemon_socket);
    zmq_ctx_term(context);
    return 0;
}
