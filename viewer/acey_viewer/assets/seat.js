// A person's seat: choose checkers, undo, confirm, name a double. The server says what may move
// where (`steps`, a graph of single moves); this file follows the graph and knows no rule.

import { copyPosition, makeMove, svgElement } from "./board.js";
import { link, make } from "./link.js";

const $ = (id) => document.getElementById(id);
const DRAG_PIXELS = 6;
const WAITING = "Waiting for the other player";

export class Seat {
  /**
   * `reached` tells whether the board shows a position line and is at rest, `names` who plays.
   */
  constructor(board, { side, token }, table, reached, names) {
    this.board = board;
    this.reached = reached;
    this.names = names;
    this.side = side;
    this.decision = null;
    this.path = [];
    this.chosen = null;
    this.layer = board.layers.targets;
    this.send = link(
      "/live/seat",
      () => ({ table, token }),
      (message) => this.take(message),
      (text) => ($("link").textContent = text),
    );
    $("undo").onclick = () => this.undo();
    $("confirm").onclick = () => this.confirm();
    $("forced").onclick = () => this.act({ act: "play", play: this.decision.plays[0] });
    $("roll-panel").onsubmit = (event) => {
      event.preventDefault();
      this.act({ act: "roll", dice: $("dice").value });
      $("dice").value = "";
    };
    $("resign").onclick = () => this.askResign(true);
    $("resign-no").onclick = () => this.askResign(false);
    $("resign-yes").onclick = () => {
      this.askResign(false);
      this.act({ act: "resign" });
    };
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.chosen !== null) this.choose(null);
    });
    this.prompt("Taking your seat");
  }

  prompt(text) {
    $("prompt").textContent = text;
  }

  askResign(sure) {
    $("resign").hidden = sure;
    $("resign-sure").hidden = !sure;
    (sure ? $("resign-no") : $("resign")).focus();
  }

  take(message) {
    const { kind, error } = message;
    if (error) $("seat-error").textContent = error;
    if (kind === "decide") {
      this.decision = message;
      this.path = [];
      this.chosen = null;
    } else if (kind === "over") {
      this.decision = null;
      $("resign").disabled = true;
      this.prompt(message.text);
    } else if (kind === "wait") {
      this.decision = null;
      this.prompt(WAITING);
    }
    this.show();
  }

  /** The table has moved on; what was being chosen is past. */
  clear() {
    this.layer.replaceChildren();
    this.path = [];
    this.chosen = null;
  }

  act(message) {
    $("seat-error").textContent = "";
    const sent = this.send({ ...message, ply: this.decision?.ply ?? null });
    if (!sent) {
      $("seat-error").textContent = "There is no connection; nothing was sent.";
      return;
    }
    this.decision = null;
    this.prompt(WAITING);
    this.show();
  }

  // --- what is shown ----------------------------------------------------------------------------

  /** Whether the board shows the position this decision is about: news may come in any order. */
  ready() {
    return this.decision !== null && this.reached(this.decision.line);
  }

  show() {
    const due = this.ready() ? this.decision.due : "";
    $("play-panel").hidden = due !== "play";
    $("name-panel").hidden = due !== "name";
    $("roll-panel").hidden = due !== "roll";
    this.layer.replaceChildren();
    if (due === "play") this.showPlay();
    if (due === "name") this.showNames();
    if (due === "roll") this.prompt(this.decision.words);
  }

  showPlay() {
    const { dice, plays, words } = this.decision;
    const position = copyPosition(this.decision.position);
    for (const move of this.path.flat()) makeMove(position, this.side, this.placed(move));
    this.board.show(position);
    this.board.setSeats(this.names(), this.side);
    const used = this.path.flat().map(({ die }) => die);
    const left = [...dice];
    for (const die of used) left.splice(left.indexOf(die), 1);
    this.board.setDice(this.side, [...used, ...left], used.length);
    const complete = this.moves().length === 0;
    $("undo").disabled = this.path.length === 0;
    $("confirm").disabled = !complete;
    $("forced").hidden = plays.length !== 1;
    $("forced").textContent = `Only one play: ${plays[0]}`;
    this.prompt(complete ? "Confirm your play, or undo" : words);
    this.drawHot();
  }

  showNames() {
    this.board.show(this.decision.position);
    this.prompt("Name a double");
    const buttons = this.decision.names.map(({ number, plays, text, targets }) => {
      const button = make(
        "button",
        { type: "button" },
        make("strong", { textContent: `${number}-${number}` }),
        make("span", { textContent: plays === 1 ? "one play" : `${plays} plays` }),
      );
      if (plays === 0) button.lastChild.textContent = "no play";
      const look = () => {
        $("preview").textContent = text;
        this.layer.replaceChildren(...targets.map((place) => this.area(place, "hint")));
      };
      button.onfocus = look;
      button.onmouseenter = look;
      button.onclick = () => this.act({ act: "name", number });
      return button;
    });
    $("preview").textContent = "Point at a double to see what it allows.";
    $("doubles").replaceChildren(...buttons);
  }

  // --- moving checkers --------------------------------------------------------------------------

  /** The moves that can come next. */
  moves() {
    const last = this.path.flat().at(-1);
    return this.decision.steps[last ? last.step : 0];
  }

  placed({ from, to, hit }) {
    return [from, to, hit];
  }

  /** Where the chosen checker can go: for each place the moves that bring it there. */
  targets() {
    const found = new Map();
    const follow = (moves, from, path) => {
      for (const move of moves) {
        if (move.from !== from) continue;
        const way = [...path, move];
        if (!found.has(move.to)) found.set(move.to, way);
        if (move.to !== "off") follow(this.decision.steps[move.step], move.to, way);
      }
    };
    follow(this.moves(), this.chosen, []);
    return [...found].sort((a, b) => a[1].length - b[1].length);
  }

  drawHot() {
    const parts = [];
    const targets = this.chosen === null ? [] : this.targets();
    const taken = new Set(targets.map(([place]) => place));
    for (const place of new Set(this.moves().map(({ from }) => from))) {
      // A place where the chosen checker can go is a target first.
      if (taken.has(place)) continue;
      const chosen = place === this.chosen;
      const area = this.hot(
        place,
        chosen ? "source chosen" : "source",
        `Checker ${from(place)}`,
        () => this.choose(chosen ? null : place),
      );
      area.setAttribute("aria-pressed", String(chosen));
      parts.push(area);
    }
    for (const [place, way] of targets) {
      const hit = way.some((move) => move.hit) ? ", hits" : "";
      const label = `Move to ${name(place)}${hit}`;
      parts.push(this.hot(place, "target", label, () => this.move(way)));
    }
    this.layer.replaceChildren(...parts);
  }

  hot(place, role, label, action) {
    const area = this.area(place, role);
    area.setAttribute("role", "button");
    area.setAttribute("tabindex", "0");
    area.setAttribute("aria-label", label);
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      action();
      this.focusNext();
    });
    if (role.startsWith("source")) {
      area.addEventListener("pointerdown", (event) => this.press(event, place, action));
    } else {
      area.addEventListener("click", action);
    }
    return area;
  }

  /** After a choice by keyboard the focus goes on to where the next one is made. */
  focusNext() {
    const next =
      this.layer.querySelector(".target") ?? this.layer.querySelector(".hot") ?? $("confirm");
    next.focus();
  }

  area(place, role) {
    const { field, slots } = this.board.layout;
    const [x, y] = slots[this.board.slotName(this.side, place)];
    const group = svgElement("g", { class: `hot ${role}` });
    group.dataset.place = place;
    let box = { x: x - field.column / 2, y: field.top, width: field.column, height: field.half };
    if (typeof place === "number" && y > (field.top + field.bottom) / 2) {
      box.y = field.bottom - field.half;
    } else if (place === "bar") {
      const up = y < (field.top + field.bottom) / 2;
      box = { ...box, x: x - field.bar / 2, width: field.bar, y: up ? field.top : y - 20 };
      box.height = (field.bottom - field.top) / 2;
    } else if (place === "unentered") {
      box = { x: field.left, y: y - field.tray / 2, width: field.unentered, height: field.tray };
    } else if (place === "off") {
      const left = field.left + field.unentered + 8;
      box = { x: left, y: y - field.tray / 2, width: field.right - left, height: field.tray };
    }
    group.append(svgElement("rect", { ...box, rx: 4 }));
    return group;
  }

  choose(place) {
    this.chosen = place;
    this.showPlay();
  }

  move(way) {
    this.path.push(way);
    this.chosen = null;
    this.showPlay();
  }

  undo() {
    this.path.pop();
    this.chosen = null;
    this.showPlay();
    this.focusNext();
  }

  confirm() {
    const words = this.path.flat().map(({ from, to }) => `${written(from)}/${written(to)}`);
    this.act({ act: "play", play: words.join(" ") });
  }

  // --- dragging ---------------------------------------------------------------------------------

  /** A press on a checker that can move: a tap chooses it, a drag carries it. */
  press(event, place, tap) {
    event.preventDefault();
    const start = { x: event.clientX, y: event.clientY };
    let ghost = null;
    const at = ({ clientX, clientY }) =>
      new DOMPoint(clientX, clientY).matrixTransform(this.board.root.getScreenCTM().inverse());
    const onMove = (moved) => {
      const far = Math.hypot(moved.clientX - start.x, moved.clientY - start.y);
      if (ghost === null && far > DRAG_PIXELS) {
        this.choose(place);
        ghost = this.board.part(`ab-man-${this.side.toLowerCase()}`, 0, 0);
        this.layer.append(ghost);
        ghost.style.pointerEvents = "none";
      }
      if (ghost === null) return;
      const { x, y } = at(moved);
      ghost.setAttribute("x", x);
      ghost.setAttribute("y", y);
    };
    const stop = () => {
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      window.removeEventListener("pointercancel", onCancel);
      ghost?.remove();
    };
    const onCancel = () => {
      stop();
      this.choose(null);
    };
    const onUp = (lifted) => {
      const dragged = ghost !== null;
      stop();
      if (!dragged) {
        tap();
        return;
      }
      const under = document.elementFromPoint(lifted.clientX, lifted.clientY);
      const target = under?.closest(".hot.target")?.dataset.place;
      const way = this.targets().find(([to]) => String(to) === target)?.[1];
      if (way) this.move(way);
      else this.choose(null);
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", onCancel);
  }
}

function from(place) {
  if (place === "bar") return "on the bar";
  return place === "unentered" ? "not yet entered" : `on ${place}`;
}

function name(place) {
  return place === "off" ? "bear off" : `point ${place}`;
}

/** A place as notation writes it. */
function written(place) {
  return place === "unentered" ? "off" : String(place);
}
