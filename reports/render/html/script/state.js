// The page's address has the open trial and the filters, so a link shows every reader the same.
const KEYS = ["trial", "subject", "attempt", "q", "verdict", "area", "hide"];
const LISTS = ["verdict", "area", "hide"];
const state = {};
for (const key of KEYS) state[key] = LISTS.includes(key) ? [] : "";

function read() {
  const text = shownBy();
  for (const key of KEYS) state[key] = LISTS.includes(key) ? [] : "";
  for (const part of text.slice(1).split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    if (at < 0 || !KEYS.includes(key)) continue;
    const values = part.slice(at + 1).split(",").map(decoded);
    state[key] = LISTS.includes(key) ? values.filter(Boolean) : values.join(",");
  }
}

// shownBy returns the part of an address that describes what is shown. A section's own address has none. It shows the same as before, which the browser's history
// remembers.
function shownBy() {
  if (!location.hash || location.hash.includes("=")) return location.hash;
  if (typeof history.state !== "string") history.replaceState(address({}), "");
  return history.state;
}

// A broken escape in an edited address is treated as text.
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

// named returns the trial, the subject and the attempt of a link.
function named(link) {
  const parts = Object.fromEntries(link.getAttribute("href").slice(1).split("&").map((p) => p.split("=").map(decoded)));
  return { trial: parts.trial, subject: parts.subject || "", attempt: parts.attempt || "" };
}

// go shows another state. Typing and closing leave no trace in the browser's history.
function go(changes, { trace = true } = {}) {
  const to = address(changes);
  if (to === (location.hash || "#")) return;
  history[trace ? "pushState" : "replaceState"](null, "", to === "#" ? location.pathname + location.search : to);
  read();
  render();
}

const numbered = (names) => ({ __proto__: null, ...Object.fromEntries(names.map((name, i) => [name, i])) });
const index = numbered(data.trials.map((t) => t.id));
const column = numbered(data.subjects.map((s) => s.name));
