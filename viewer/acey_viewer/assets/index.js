// The list of tables, and the ways to a seat.

import { AWAY, ask, link, make, seats } from "./link.js";

const $ = (id) => document.getElementById(id);

function tableItem({ table, status, rules, x, o, match, score }) {
  const kind = match ? `match to ${match}` : "single game";
  const seat = seats.get(table);
  const open = make("a", {
    className: "button",
    href: `/table/${encodeURIComponent(table)}`,
    textContent: seat ? "Go to your seat" : "Watch",
  });
  open.setAttribute("aria-label", `${open.textContent}: ${x || "X"} against ${o || "O"}`);
  const item = make(
    "li",
    {},
    make("bdi", { className: "players", textContent: `${x || "X"} – ${o || "O"}` }),
    make("span", { className: "points numbers", textContent: `${score[0]}–${score[1]}` }),
    make("span", { className: "quiet", textContent: `${rules}, ${kind}, ${status}` }),
    open,
  );
  item.dataset.table = table;
  return item;
}

function show({ tables, away }) {
  $("link").textContent = away ? AWAY : "";
  if (away) return;
  $("none").hidden = tables.length > 0;
  // The list is drawn anew only where it changed, so that a focused link keeps its focus.
  const old = new Map([...$("tables").children].map((item) => [item.dataset.table, item]));
  const items = tables.map((table) => {
    const fresh = tableItem(table);
    const known = old.get(table.table);
    if (known?.textContent === fresh.textContent) return known;
    return fresh;
  });
  const same = items.length === $("tables").children.length;
  if (!same || items.some((item, index) => $("tables").children[index] !== item)) {
    $("tables").replaceChildren(...items);
  }
}

link("/live/tables", () => ({}), show, (text) => ($("link").textContent = text));

$("open").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("open-error").textContent = "";
  const wishes = Object.fromEntries(new FormData($("open")));
  try {
    const { table, side, token, other } = await ask("/api/open", wishes);
    seats.set(table, { side, token, other });
    location.href = `/table/${encodeURIComponent(table)}`;
  } catch (error) {
    $("open-error").textContent = error.message;
  }
});

$("take").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("take-error").textContent = "";
  const code = Object.fromEntries(new FormData($("take"))).code;
  try {
    const { table, side, token } = await ask("/api/take", { code });
    seats.set(table, { side, token });
    location.href = `/table/${encodeURIComponent(table)}`;
  } catch (error) {
    $("take-error").textContent = error.message;
  }
});
