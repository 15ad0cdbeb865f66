// The replay page: shows the frames that film.py made. What may be played is not its business.

import { Board, svgElement } from "./board.js";

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const MOVE_MILLISECONDS = 380;
const PAUSE_MILLISECONDS = 1100;
const ICONS = { play: "M7 4v16l13-8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z" };
const board = new Board(document.querySelector("svg.ab"), data.layout);
const now = { game: 0, frame: 0, view: "X", playing: false, timer: 0 };

const film = () => data.films[now.game];
const frame = () => film().frames[now.frame];
const speed = () => Number($("speed").value);

// Without scripts nothing would fill the board; then the record as text is all there is to see.
document.querySelector("main").hidden = false;

/** An element with text and children; text is never read as markup. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

// --- a game -------------------------------------------------------------------------------------

function openGame(index) {
  now.game = index;
  const { names, title, subtitle, result, tags, proof, faults, comments } = film();
  document.title = title;
  $("title").textContent = title;
  $("subtitle").textContent = subtitle;
  $("picker").value = String(index);
  $("seek").max = String(film().frames.length - 1);
  $("result").textContent = result;
  $("proof").textContent = proof.text;
  $("proof").className = { verified: "good", refuted: "bad" }[proof.status] ?? "quiet";
  $("faults").hidden = faults.length === 0;
  $("faults").replaceChildren(...faults.map((text) => make("li", { textContent: text })));
  $("comments").replaceChildren(...comments.map(note));
  $("tags").replaceChildren(
    ...tags.flatMap(([name, value]) => [
      make("dt", { textContent: name }),
      make("dd", { textContent: value, dir: "auto" }),
    ]),
  );
  $("turns").replaceChildren(...film().turns.map(turnItem));
  drawGraph();
  board.names = { X: names[0], O: names[1] };
}

const note = (text) => make("p", { className: "note quiet", dir: "auto", textContent: text });

function turnItem(turn, index) {
  const rolls = turn.rolls.map((text, roll) =>
    make("button", {
      type: "button",
      className: "roll",
      textContent: roll + 1 < turn.rolls.length ? `${text},` : text,
      onclick: () => goTo(frameOf(index, roll)),
      disabled: frameOf(index, roll) < 0,
    }),
  );
  rolls.forEach((button, roll) => (button.dataset.roll = `${index}.${roll}`));
  const line = make("div", {}, ...rolls);
  if (turn.glyph) line.append(make("span", { className: "glyph", textContent: ` ${turn.glyph}` }));
  if (turn.seconds !== null) {
    line.append(make("span", { className: "seconds numbers", textContent: ` ${turn.seconds} s` }));
  }
  const link = make("a", { href: anchor(turn.anchor), textContent: turn.label });
  link.setAttribute("aria-label", `Turn ${turn.label} ${turn.side}`);
  return make(
    "li",
    {},
    link,
    make("span", { className: `side ${turn.side.toLowerCase()}`, textContent: turn.side }),
    line,
    ...turn.comments.map(note),
    ...turn.faults.map((text) => make("p", { className: "note bad", textContent: text })),
  );
}

/** Index of the frame of a roll, or -1 where the replay did not come so far. */
function frameOf(turn, roll) {
  const exact = film().frames.findIndex((each) => each.turn === turn && each.roll === roll);
  return exact >= 0 ? exact : film().turns[turn].first;
}

// --- links --------------------------------------------------------------------------------------

const anchor = (turn) => (data.films.length > 1 ? `#${now.game + 1}/${turn}` : `#${turn}`);

/** Follow a link such as #12o, #3/12o or #3 (the third game). */
function followHash() {
  const [, game, name] = /^#(?:(\d+)(?:\/|$))?(\d+[xo])?$/.exec(location.hash) ?? [];
  const index = game === undefined ? now.game : Number(game) - 1;
  if (index >= 0 && index < data.films.length && index !== now.game) openGame(index);
  const turn = film().turns.find((each) => each.anchor === name);
  goTo(turn && turn.first >= 0 ? turn.first : 0);
}

function writeHash() {
  const turn = film().turns[frame().turn];
  const hash = turn ? anchor(turn.anchor) : data.films.length > 1 ? `#${now.game + 1}` : "#";
  if (hash !== (location.hash || "#")) history.replaceState(null, "", hash);
}

// --- a frame ------------------------------------------------------------------------------------

/** Show a frame: at once, or with its checkers moving when it follows the one shown. */
async function goTo(index, animate = false) {
  const before = frame();
  now.frame = Math.max(0, Math.min(index, film().frames.length - 1));
  const { side, dice, moves, position } = frame();
  describe();
  if (animate && moves.length > 0) {
    board.show(before.position, now.view);
    board.setSeats(board.names, side);
    board.setDice(side, dice);
    if (!(await board.play(side, moves, position, MOVE_MILLISECONDS / speed()))) return;
  } else {
    board.show(position, now.view);
    board.setDice(side, dice);
  }
  board.setSeats(board.names, side);
}

function describe() {
  const { kind, caption, due, words, turn, roll, acey, line, dice } = frame();
  const named = kind === "named";
  $("badge").hidden = !(named || acey);
  $("badge").textContent = named ? `Named double ${dice[0]}-${dice[1]}` : "Acey-deucey";
  $("caption").textContent = caption;
  $("due").textContent = caption.endsWith(due) ? "" : due;
  $("copy").dataset.line = line;
  $("copied").textContent = "";
  board.root.setAttribute("aria-label", `${caption}. ${words}`);
  $("seek").value = String(now.frame);
  $("seek").setAttribute("aria-valuetext", caption);
  const last = film().frames.length - 1;
  for (const id of ["first", "back"]) $(id).disabled = now.frame === 0;
  for (const id of ["next", "last"]) $(id).disabled = now.frame === last;
  markRoll(turn, roll);
  showClocks();
  moveCursor();
  writeHash();
}

function markRoll(turn, roll) {
  for (const marked of document.querySelectorAll(".roll[aria-current]")) {
    marked.removeAttribute("aria-current");
  }
  const button = document.querySelector(`[data-roll="${turn}.${roll}"]`);
  const box = $("turns-box");
  if (!button) {
    box.scrollTop = 0;
    return;
  }
  button.setAttribute("aria-current", "step");
  // Only the list scrolls; the page stays where the reader put it.
  const middle = button.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (middle < 0 || middle > box.clientHeight - 40) box.scrollTop += middle - box.clientHeight / 2;
}

function showClocks() {
  const used = film().turns[frame().turn]?.used;
  $("clocks").hidden = !film().turns.some((turn) => turn.used);
  const clock = (seconds) => {
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  };
  const [x, o] = used ?? [0, 0];
  const bank = film().clock ? `, of ${film().clock}` : "";
  $("clocks").textContent = `Time used: X ${clock(x)}, O ${clock(o)}${bank}`;
}

// --- the graph ----------------------------------------------------------------------------------

const GRAPH = { left: 44, right: 632, top: 10, bottom: 178 };

function graphX(index) {
  const steps = Math.max(1, film().frames.length - 1);
  return GRAPH.left + ((GRAPH.right - GRAPH.left) * index) / steps;
}

function drawGraph() {
  const { frames } = film();
  const most = Math.max(1, ...frames.flatMap(({ position: p }) => [p.X.pips, p.O.pips]));
  const y = (pips) => GRAPH.bottom - ((GRAPH.bottom - GRAPH.top) * pips) / most;
  const parts = [0, Math.round(most / 2), most].flatMap((pips) => [
    svgElement("line", { class: "grid", x1: GRAPH.left, x2: GRAPH.right, y1: y(pips), y2: y(pips) }),
    svgElement(
      "text",
      { class: "axis", x: GRAPH.left - 6, y: y(pips) + 5, "text-anchor": "end" },
      `${pips}`,
    ),
  ]);
  for (const side of ["X", "O"]) {
    const points = frames.map(({ position }, i) => `${graphX(i)},${y(position[side].pips)}`);
    parts.push(
      svgElement("polyline", { class: `line ${side.toLowerCase()}`, points: points.join(" ") }),
    );
  }
  parts.push(
    svgElement("line", { class: "now", id: "cursor", y1: GRAPH.top - 6, y2: GRAPH.bottom + 6 }),
  );
  $("graph").replaceChildren(...parts);
}

function moveCursor() {
  const { position } = frame();
  const x = graphX(now.frame);
  $("cursor").setAttribute("x1", x);
  $("cursor").setAttribute("x2", x);
  $("graph").setAttribute(
    "aria-label",
    `Pips to go over the game; now X ${position.X.pips}, O ${position.O.pips}`,
  );
}

// --- what the reader does -----------------------------------------------------------------------

function step(by) {
  stop();
  goTo(now.frame + by, by === 1);
}

function stop() {
  now.playing = false;
  clearTimeout(now.timer);
  $("play").setAttribute("aria-label", "Play");
  $("play-icon").setAttribute("d", ICONS.play);
}

async function autoPlay() {
  if (!now.playing) return;
  if (now.frame >= film().frames.length - 1) {
    stop();
    return;
  }
  await goTo(now.frame + 1, true);
  if (now.playing) now.timer = setTimeout(autoPlay, PAUSE_MILLISECONDS / speed());
}

function togglePlay() {
  if (now.playing) {
    stop();
    return;
  }
  now.playing = true;
  $("play").setAttribute("aria-label", "Pause");
  $("play-icon").setAttribute("d", ICONS.pause);
  if (now.frame >= film().frames.length - 1) goTo(0);
  autoPlay();
}

const ends = () => film().frames.length - 1;
const KEYS = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Home: () => step(-now.frame),
  End: () => step(ends() - now.frame),
  " ": togglePlay,
};

document.addEventListener("keydown", (event) => {
  const plain = !(event.ctrlKey || event.altKey || event.metaKey || event.shiftKey);
  const native = event.target.closest("input, select, textarea");
  const pressed = event.key === " " && event.target.closest("button, a");
  if (!plain || native || pressed || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

$("first").onclick = KEYS.Home;
$("back").onclick = KEYS.ArrowLeft;
$("play").onclick = togglePlay;
$("next").onclick = KEYS.ArrowRight;
$("last").onclick = KEYS.End;
$("seek").oninput = () => {
  stop();
  goTo(Number($("seek").value));
};
$("flip").onclick = () => {
  now.view = now.view === "X" ? "O" : "X";
  goTo(now.frame);
};
$("copy").onclick = async () => {
  try {
    await navigator.clipboard.writeText($("copy").dataset.line);
    $("copied").textContent = "copied";
  } catch {
    // A page opened from a file may not reach the clipboard; the line can still be selected.
    $("copied").textContent = $("copy").dataset.line;
  }
};
$("graph").onclick = (event) => {
  const box = $("graph").getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * 640;
  const share = (x - GRAPH.left) / (GRAPH.right - GRAPH.left);
  stop();
  goTo(Math.round(share * ends()));
};
$("picker").onchange = () => {
  stop();
  openGame(Number($("picker").value));
  goTo(0);
};
window.addEventListener("hashchange", () => {
  stop();
  followHash();
});

$("picker-line").hidden = data.films.length < 2;
$("picker").replaceChildren(
  ...data.films.map(({ title, result }, index) =>
    make("option", { value: String(index), textContent: `${index + 1}. ${title}: ${result}` }),
  ),
);
openGame(0);
followHash();
