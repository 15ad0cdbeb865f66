// Puts checkers and dice on the board that pageboard.py drew. Knows places and counts, no rules.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes. */
export function svgElement(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** Whether the reader asked for less motion. */
export function reducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const other = (side) => (side === "X" ? "O" : "X");

/** A copy of a position that may be changed. */
export function copyPosition(position) {
  return {
    X: { ...position.X, points: [...position.X.points] },
    O: { ...position.O, points: [...position.O.points] },
  };
}

/** Take a checker from a place (a point, "bar", "unentered" or "off"), or put one there. */
function shift(position, side, place, by) {
  const seat = position[side];
  if (typeof place === "number") seat.points[place - 1] += by;
  else seat[place] += by;
}

/** How many checkers of a side stand on a place. */
export function countAt(position, side, place) {
  const seat = position[side];
  return typeof place === "number" ? seat.points[place - 1] : seat[place];
}

/** How far a checker on a place still has to go. */
function pipsFrom(place) {
  if (place === "off") return 0;
  return typeof place === "number" ? place : 25;
}

/** Carry a checker of a side from one place to another, and count its pips. */
function carry(position, side, from, to) {
  shift(position, side, from, -1);
  shift(position, side, to, 1);
  position[side].pips += pipsFrom(to) - pipsFrom(from);
}

/** Make one move on a position: [from, to, hit], in the mover's own numbers. */
export function makeMove(position, side, [from, to, hit]) {
  carry(position, side, from, to);
  if (hit) carry(position, other(side), 25 - to, "bar");
}

const PLACES = ["bar", "unentered", "off", ...Array.from({ length: 24 }, (_, i) => i + 1)];

export class Board {
  /** root: the svg element; layout: what page_layout() gave. */
  constructor(root, layout) {
    this.root = root;
    this.layout = layout;
    this.view = "X";
    this.position = null;
    this.run = 0;
    this.layers = {};
    for (const layer of root.querySelectorAll("[data-layer]")) {
      this.layers[layer.dataset.layer] = layer;
    }
  }

  /** The name of a side's place in the viewing side's numbers. */
  slotName(side, place) {
    const near = side === this.view;
    if (typeof place === "number") return String(near ? place : 25 - place);
    return `${near ? "near" : "far"}-${place}`;
  }

  /** Where the checker at a level of a place stands. */
  spot(side, place, level) {
    const [x, y, dx, dy, most] = this.layout.slots[this.slotName(side, place)];
    const drawn = Math.min(level, most - 1);
    return { x: x + drawn * dx, y: y + drawn * dy, most };
  }

  /** Show a position at once, ending any animation. */
  show(position, view = this.view) {
    this.run += 1;
    this.view = view;
    this.position = copyPosition(position);
    this.layers.flying.replaceChildren();
    this.drawMen();
  }

  drawMen() {
    const men = [];
    for (const side of ["X", "O"]) {
      for (const place of PLACES) this.drawStack(men, side, place);
    }
    this.layers.men.replaceChildren(...men);
  }

  drawStack(men, side, place) {
    const count = countAt(this.position, side, place);
    const letter = side.toLowerCase();
    const kind = place === "off" ? "edge" : "man";
    for (let level = 0; level < count; level += 1) {
      const { x, y, most } = this.spot(side, place, level);
      if (level >= most) break;
      const counted = level === most - 1 && count > most;
      const man = this.part(counted ? `ab-disc-${letter}` : `ab-${kind}-${letter}`, x, y);
      men.push(man);
      if (counted) {
        const role = `ab-${letter}-text ab-bold`;
        men.push(
          svgElement("text", { class: role, x, y: y + 6.5, "text-anchor": "middle" }, `${count}`),
        );
      }
    }
  }

  part(id, x, y) {
    return svgElement("use", { href: `#${id}`, x, y });
  }

  /** Lay dice for a side; `used` says how many of them, from the left, are already played. */
  setDice(side, dice, used = 0) {
    const { near, far, pitch } = this.layout.dice;
    const [middle, y] = side === this.view ? near : far;
    const start = middle - ((dice.length - 1) * pitch) / 2;
    const drawn = dice.map((number, index) => {
      const die = this.part(`ab-die-${side.toLowerCase()}-${number}`, start + index * pitch, y);
      if (index < used) die.classList.add("ab-used");
      return die;
    });
    this.layers.dice.replaceChildren(...drawn);
  }

  /** Write the lines beside the board: who sits where, and what each still has to do. */
  setSeats(names, turn) {
    for (const side of ["X", "O"]) {
      const place = side === this.view ? "near" : "far";
      const seat = this.position[side];
      const mark = side === turn ? "▸ " : "";
      this.text(`${place}-name`, `${mark}${side} ${names[side]}`.trim());
      this.text(
        `${place}-counts`,
        `${seat.unentered} unentered · ${seat.off} off · ${seat.pips} pips`,
      );
    }
  }

  text(part, value) {
    this.root.querySelector(`[data-part="${part}"]`).textContent = value;
  }

  /**
   * Move checkers one after another, each taking `milliseconds`, and end on `target`.
   * Resolves to false when something else was shown meanwhile.
   */
  async play(side, moves, target, milliseconds) {
    const run = ++this.run;
    if (milliseconds > 0 && !reducedMotion()) {
      for (const move of moves) {
        await this.fly(side, move, milliseconds);
        if (run !== this.run) return false;
        makeMove(this.position, side, move);
        this.drawMen();
      }
    }
    this.show(target);
    return true;
  }

  async fly(side, [from, to, hit], milliseconds) {
    const before = copyPosition(this.position);
    const flights = [this.flight(before, side, from, to, milliseconds)];
    shift(this.position, side, from, -1);
    if (hit) {
      const loser = other(side);
      flights.push(this.flight(before, loser, 25 - to, "bar", milliseconds));
      shift(this.position, loser, 25 - to, -1);
    }
    this.drawMen();
    this.position = before;
    await Promise.all(flights);
    this.layers.flying.replaceChildren();
  }

  /** One checker on its way from the top of a place to the top of another. */
  async flight(position, side, from, to, milliseconds) {
    const start = this.spot(side, from, countAt(position, side, from) - 1);
    const end = this.spot(side, to, countAt(position, side, to));
    const man = svgElement("g");
    man.append(this.part(`ab-man-${side.toLowerCase()}`, 0, 0));
    this.layers.flying.append(man);
    const at = ({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` });
    const options = { duration: milliseconds, easing: "ease-in-out", fill: "both" };
    await man.animate([at(start), at(end)], options).finished;
  }
}
