// A WebSocket that comes back: it reconnects for as long as the page is open.

/** What a page says while its server is there and the daemon behind it is not. */
export const AWAY = "The daemon does not answer; trying again.";
const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 4000;

/**
 * Connect to a path of this server. `hello()` gives the first message of each connection, `take`
 * gets every message, `say` a word on the connection. Returns a function that sends a message, or
 * answers false while there is no connection.
 */
export function link(path, hello, take, say) {
  let socket = null;
  let pause = FIRST_PAUSE;

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${path}`);
    socket.onopen = () => {
      pause = FIRST_PAUSE;
      say("");
      socket.send(JSON.stringify(hello()));
    };
    socket.onmessage = ({ data }) => take(JSON.parse(data));
    socket.onclose = () => {
      say("The connection is lost; trying again.");
      setTimeout(connect, pause);
      pause = Math.min(pause * 1.6, LONGEST_PAUSE);
    };
  }

  connect();
  return (message) => {
    if (socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  };
}

/** An element with properties and children; text is never read as markup. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

/** Ask the server for something; the answer is JSON, an error its message. */
export async function ask(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** What this browser tab keeps of a table: its seat, and the other seat while it is to be given. */
export const seats = {
  get: (table) => JSON.parse(sessionStorage.getItem(`seat ${table}`) ?? "null"),
  set: (table, seat) => sessionStorage.setItem(`seat ${table}`, JSON.stringify(seat)),
};
