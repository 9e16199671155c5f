// What is open and what is filtered stands in the page's address, so that a link shows another reader the same.
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

// shownBy is the part of the page's address that says what is shown. A section's own address has none: it shows what was shown before it, which the browser's history
// then remembers.
function shownBy() {
  if (!location.hash || location.hash.includes("=")) return location.hash;
  if (typeof history.state !== "string") history.replaceState(address({}), "");
  return history.state;
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

// named is the trial, the subject and the attempt that a link names.
function named(link) {
  const parts = Object.fromEntries(link.getAttribute("href").slice(1).split("&").map((p) => p.split("=").map(decoded)));
  return { trial: parts.trial, subject: parts.subject || "", attempt: parts.attempt || "" };
}

// go shows another state; what is typed letter by letter, or only closed, leaves no trace in the browser's history.
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
