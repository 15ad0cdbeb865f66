// A bot over one REQ socket: plays any legal play, names any double, to the end of the match. It
// knows no rule; the daemon lists the legal plays. A reply that does not come is asked for again:
// every action carries its ply, so that it cannot be done twice.
//
//     npm install
//     node bot.js ADDRESS TABLE TOKEN [SEED]
//
// Where the daemon encrypts, ACEY_CURVE names the folder with server.public and NAME.secret, and
// ACEY_CLIENT is that NAME.

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Request } from "zeromq";
import { curveKeys } from "./curve.js";

const PATIENCE_MS = 8_000;
const WAIT_SECONDS = 5;
const ATTEMPTS = 20;
const PASSING = new Set(["stale-ply", "not-your-turn", "over", "busy", "rate-limited"]);
const UNANSWERED = new Set(["EAGAIN", "EBADF"]); // no reply in time; the socket was closed

class Daemon {
  constructor(address, keys) {
    this.address = address;
    this.keys = keys;
    this.connect();
  }

  connect() {
    this.socket?.close();
    const socket = new Request({ linger: 0, receiveTimeout: PATIENCE_MS, ...this.keys });
    // Where the connection is lost nobody waits for what cannot come.
    socket.events.on("disconnect", () => socket.close());
    for (const kind of ["auth", "protocol"]) {
      socket.events.on(`handshake:error:${kind}`, () => {
        this.refusal = "the daemon does not admit this key, or keys are missing or not wanted";
        socket.close();
      });
    }
    socket.connect(this.address);
    this.socket = socket;
  }

  close() {
    this.socket.close();
  }

  /** The reply as its text and its lines; null where asking on mends what was refused. */
  async ask(request) {
    const [first, ...lines] = (await this.answer(request)).split("\n");
    if (first.startsWith("=")) return { text: first.slice(2), lines };
    const code = first.split(" ")[1];
    // A table that was stopped answers await like that, whenever it is asked.
    const stopped = code === "over" && request.startsWith("await");
    if (stopped || !PASSING.has(code)) throw new Error(first);
    await sleep(100);
    return null;
  }

  /** Sends a request until it is answered. */
  async answer(request) {
    for (let attempt = 0; attempt < ATTEMPTS && !this.refusal; attempt++) {
      try {
        await this.socket.send(request);
        const [reply] = await this.socket.receive();
        return reply.toString();
      } catch (error) {
        if (!UNANSWERED.has(error.code)) throw error;
        await sleep(200 * attempt);
        this.connect(); // a REQ socket that got no reply takes no other request
      }
    }
    throw new Error(`${this.address}: ${this.refusal ?? "nobody answers"}`);
  }
}

/** Numbers from 0 to below `limit`, the same ones for the same seed. */
function seeded(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

async function play(daemon, table, token, below) {
  let state = null;
  while (state === null) state = await daemon.ask(`state ${table}`);
  const [, rules] = state.text.match(/ rules=("[^"]*"|\S+)/);
  for (;;) {
    const turn = await daemon.ask(`await ${table} ${token} timeout=${WAIT_SECONDS}`);
    if (turn === null) continue;
    const [due, ply, position] = turn.text.split(" ");
    if (due === "over") return turn.text;
    if (due === "play") {
      const legal = await daemon.ask(`legal ${position} rules=${rules}`);
      if (legal === null) continue;
      const [text] = legal.lines[below(legal.lines.length)].split("\t");
      await daemon.ask(`play ${table} ${token} ${text} ply=${ply}`);
    } else if (due === "name") {
      await daemon.ask(`name ${table} ${token} ${1 + below(6)} ply=${ply}`);
    }
  }
}

const [address, table, token, seed = "1"] = process.argv.slice(2);
if (token === undefined) {
  console.error("usage: node bot.js ADDRESS TABLE TOKEN [SEED]");
  process.exit(2);
}
const { ACEY_CURVE: folder, ACEY_CLIENT: client } = process.env;
let daemon;
try {
  daemon = new Daemon(address, folder ? curveKeys(folder, client) : {});
  console.log(await play(daemon, table, token, seeded(Number(seed))));
} catch (error) {
  console.error(`bot: ${error.message}`);
  process.exitCode = 1;
} finally {
  daemon?.close();
}
