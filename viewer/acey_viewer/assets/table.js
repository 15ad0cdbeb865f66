// A live table: what happens there, in order and without gaps, and a seat for whoever has one.

import { Board } from "./board.js";
import { AWAY, link, make, seats } from "./link.js";
import { Seat } from "./seat.js";

const $ = (id) => document.getElementById(id);
const table = document.body.dataset.table;
const data = JSON.parse($("data").textContent);
const board = new Board(document.querySelector("svg.ab"), data.layout);
const mine = seats.get(table);
const MOVE_MILLISECONDS = 320;
/** With more than this many events waiting the page catches up without animation. */
const PATIENCE = 6;

const live = { seq: 0, names: { X: "", O: "" }, waiting: [], running: false, last: null };
board.view = mine?.side ?? "X";
board.show(data.empty, board.view);
board.setSeats(live.names, "");

/** Whether the board shows a position line and is at rest; dice to be given need none. */
const reached = (line) => !live.running && (line === null || live.last?.line === line);
const seat = mine && new Seat(board, mine, table, reached, () => live.names);
$("seat").hidden = !mine;
$("invite").hidden = !mine?.other;
$("invite-code").textContent = mine?.other ?? "";
$("invite-copy").onclick = async () => {
  try {
    await navigator.clipboard.writeText(mine.other);
    $("invite-copied").textContent = "Copied";
  } catch {
    // Only a page from this machine or over TLS reaches the clipboard; a selection can be copied.
    getSelection().selectAllChildren($("invite-code"));
    $("invite-copied").textContent = "Selected; copy it";
  }
};

// --- events ---------------------------------------------------------------------------------

link(
  `/live/table/${encodeURIComponent(table)}`,
  () => ({ from: live.seq + live.waiting.length + 1 }),
  ({ events, error, rules, away }) => {
    $("link").textContent = error ?? (away ? AWAY : "");
    if (rules) showRules(rules);
    if (!events) return;
    // What was already received is not taken twice after a reconnection.
    const next = live.seq + live.waiting.length + 1;
    live.waiting.push(...events.filter(({ seq }) => seq >= next));
    work();
  },
  (text) => ($("link").textContent = text),
);

async function work() {
  if (live.running) return;
  live.running = true;
  while (live.waiting.length > 0) {
    await take(live.waiting[0], live.waiting.length <= PATIENCE);
    live.seq = live.waiting.shift().seq;
    document.body.dataset.seq = live.seq;
  }
  live.running = false;
  seat?.show();
}

async function take(event, animate) {
  const { kind, position, side, moves, names, clock, score } = event;
  if (names) setNames(names, event.about);
  if (clock) showClock(clock);
  if (score) $("score").textContent = `X ${score[0]} – O ${score[1]}`;
  if (kind === "clock") return;
  tell(event);
  if (kind === "over") $("replay").hidden = false;
  if (!position) return;
  live.last = event;
  seat?.clear();
  if (kind === "played" && animate && side !== mine?.side) {
    board.setDice(side, event.dice);
    await board.play(side, moves, position, MOVE_MILLISECONDS);
  } else {
    board.show(position);
  }
  drawRest();
}

function drawRest() {
  const { side, dice, words, caption, turn } = live.last;
  board.setDice(side, dice);
  board.setSeats(live.names, turn);
  board.root.setAttribute("aria-label", `${caption}. ${words}`);
}

function setNames(names, about) {
  live.names = names;
  const title = `${names.X || "X"} – ${names.O || "O"}`;
  document.title = title;
  $("title").textContent = title;
  $("subtitle").textContent = about;
}

function tell({ kind, caption, due, seq, dice, acey }) {
  $("caption").textContent = caption;
  $("due").textContent = due ?? "";
  const named = kind === "named";
  $("badge").hidden = !(named || acey);
  $("badge").textContent = named ? `Named double ${dice[0]}-${dice[1]}` : "Acey-deucey";
  const item = make("li", { textContent: caption, className: kind === "game" ? "game" : "" });
  item.dataset.seq = seq;
  $("log").append(item);
  $("log-box").scrollTop = $("log-box").scrollHeight;
}

function showClock({ x, o, running }) {
  const text = (ms) => {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  $("clocks").hidden = false;
  $("clocks").textContent = `Clock: X ${text(x)}, O ${text(o)}${running ? `, ${running} runs` : ""}`;
}

function showRules(rules) {
  $("rules").replaceChildren(
    make(
      "dl",
      {},
      ...rules.flatMap(([title, text]) => [
        make("dt", { textContent: title }),
        make("dd", { textContent: text }),
      ]),
    ),
  );
}

$("flip").onclick = () => {
  board.view = board.view === "X" ? "O" : "X";
  board.show(board.position, board.view);
  if (live.last) drawRest();
  seat?.show();
};
