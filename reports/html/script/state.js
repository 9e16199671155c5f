// What is open and what is filtered stands in the page's address, so that a link shows another reader the same.
const KEYS = ["trial", "subject", "attempt", "q", "verdict", "area", "hide"];
const LISTS = ["verdict", "area", "hide"];
const state = {};

function read() {
  for (const key of KEYS) state[key] = LISTS.includes(key) ? [] : "";
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    if (at < 0 || !KEYS.includes(key)) continue;
    const values = part.slice(at + 1).split(",").map(decoded);
    state[key] = LISTS.includes(key) ? values.filter(Boolean) : values.join(",");
  }
}

// A broken escape in an address somebody typed is text like any other.
function decoded(s) {
  try { return decodeURIComponent(s); } catch { return s; }
}

const encoded = (s) => encodeURIComponent(s).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%40/g, "@");

function address(changes) {
  const next = { ...state, ...changes };
  const parts = KEYS.filter((key) => next[key].length > 0)
    .map((key) => `${key}=${LISTS.includes(key) ? next[key].map(encoded).join(",") : encoded(next[key])}`);
  return "#" + parts.join("&");
}

// go shows another state, and returns the row of a trial that it opened; what is typed letter by letter, or only closed, leaves no trace in the browser's history.
function go(changes, { trace = true } = {}) {
  const to = address(changes);
  if (to === (location.hash || "#")) return null;
  history[trace ? "pushState" : "replaceState"](null, "", to === "#" ? location.pathname + location.search : to);
  read();
  return render();
}

const index = Object.fromEntries(data.trials.map((t, i) => [t.id, i]));
const column = Object.fromEntries(data.subjects.map((s, i) => [s.name, i]));
