"use strict";
// The page asks podclock.wasm, and shows the answer. It computes nothing itself.
const by = (id) => document.getElementById(id);
const scales = { grace: ["the pod's own grace period", (s) => `${s} s`], hookTakes: ["", (s) => `${s} s`],
  exitsAfter: ["unknown: perhaps never", (s) => `${s} s after SIGTERM`] };
let hook = "", loaded = false, took = 0, event = "", notice = "";

function element(name, { text, ...attributes } = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  e.append(...children);
  return e;
}

// question returns everything that a reader has typed and chosen. The address has it, too.
function question() {
  const q = { manifest: by("manifest").value, version: by("version").value, preset: by("preset").value, event };
  for (const id of Object.keys(scales)) q[id] = by(id).value < 0 ? null : Number(by(id).value);
  return q;
}

function choose(q) {
  by("manifest").value = q.manifest ?? "";
  if (q.version) pick("version", q.version);
  pick("preset", q.preset ?? "");
  event = q.event || "";
  for (const id of Object.keys(scales)) {
    by(id).max = Math.max(by(id).max, q[id] ?? 0);
    by(id).value = q[id] ?? -1;
  }
}

// pick selects a value that may not be in the list, such as a version that is not new.
function pick(id, value) {
  if (![...by(id).options].some((o) => o.value === value)) by(id).add(new Option(value));
  by(id).value = value;
}

function ask() {
  if (!loaded) return;
  const began = performance.now(), q = question();
  const a = JSON.parse(podclock(JSON.stringify(q)));
  show(a);
  took = performance.measure("answer", { start: began }).duration;
  speak(a);
}

// later asks when typing pauses: at once after a fast answer.
let waiting;
function later() {
  clearTimeout(waiting);
  waiting = setTimeout(ask, took < 50 ? 0 : 2 * took);
  remember();
}

function show({ problems, screen, hook: takes, most }) {
  by("problems").replaceChildren(...(problems || []).map((p) => element("div", { class: "finding error" },
    element("p", {}, element("b", { text: "error" }), p))));
  if (problems && by("answers").querySelector(".shown")) by("problems").append(element("p", { class: "lead", text: "This was the answer before:" }));
  if (notice) by("problems").append(element("p", { class: "lead", text: notice }));
  notice = "";
  by("manifest").setAttribute("aria-invalid", Boolean(problems));
  for (const id of ["answers", "if", "found"]) by(id).classList.toggle("stale", Boolean(problems));
  if (by("loading")) by("loading").remove();
  if (!screen) return;
  hook = takes || "";
  for (const id of Object.keys(scales)) by(id).max = Math.max(most, by(id).value);
  event = screen.event;
  events(screen);
  scalesSay();
  const several = screen.workloads.length > 1;
  by("answers").replaceChildren(...screen.workloads.map(answerOf), element("p", { class: "lead", text: `${screen.says}. ${screen.skipped || ""}` }));
  const drawn = screen.workloads.filter((w) => w.picture);
  by("if").hidden = !screen.events?.length;
  by("pictures").replaceChildren(...drawn.map((w) => pictureOf(w, several)), ...more(screen.workloads.length - drawn.length));
  const found = screen.workloads.filter((w) => w.findings?.length);
  by("found").hidden = found.length === 0;
  by("findings").replaceChildren(...found.flatMap((w) => [...several ? [element("h3", { text: w.address })] : [], ...w.findings.map(findingOf)]));
}

const more = (n) => n > 0 ? [element("p", { class: "lead", text: `${n} of the workloads ${n > 1 ? "have" : "has"} no picture of this.` })] : [];

function events({ events, event }) {
  const wanted = JSON.stringify(events);
  if (by("event").dataset.events !== wanted) {
    by("event").dataset.events = wanted;
    by("event").replaceChildren(...(events || []).map((e) => element("option", { value: e.id, text: e.says })));
  }
  by("event").value = event;
}

function scalesSay() {
  by("preset-says").textContent = by("preset").selectedOptions[0]?.dataset.says || "";
  by("grace").disabled = event !== "delete";
  by("hookTakes").disabled = !hook;
  for (const [id, [unknown, known]] of Object.entries(scales)) {
    const scale = by(id), value = Number(scale.value);
    let says = value < 0 ? unknown : known(value);
    if (id === "hookTakes" && (!hook || value < 0)) says = hook || "no hook runs anything";
    if (id === "grace" && scale.disabled) says = "nothing is deleted";
    by(`${id}-says`).value = says;
    scale.setAttribute("aria-valuetext", says);
  }
}

function answerOf(w) {
  const answers = (all) => element("dl", { class: "answer" }, ...all.flatMap((s) => [element("dt", { text: s.label }), element("dd", { text: s.says })]));
  return element("div", { class: "shown" }, element("h3", { text: w.address }), ...w.has ? [element("p", { class: "has" }, "After a delete: ", element("b", { text: w.has }))] : [],
    ...w.says ? [element("p", { class: "lead", text: w.says })] : [], ...w.short ? [answers(w.short), disclosure("all", "All answers, with exact times", answers(w.all))] : []);
}

// The picture is drawn and escaped by podclock's own drawing, and the page's policy forbids scripts in it.
function pictureOf(w, several) {
  const picture = element("div", { class: "picture" });
  picture.innerHTML = w.picture;
  const steps = (w.steps || []).flatMap((c) => [element(several ? "h4" : "h3", { text: c.container + (c.assumes ? ` (${c.assumes})` : "") }),
    element("div", { class: "scroll" }, element("table", { class: "numbers" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col", text: "when" }), element("th", { scope: "col", text: "what" }))),
      element("tbody", {}, ...c.steps.map((s) => element("tr", {}, element("td", { text: s.when }), element("td", { text: s.what }))))))]);
  const details = disclosure("steps", "Step by step", ...steps);
  return element("div", { class: "shown" }, ...several ? [element("h3", { text: w.address })] : [],
    ...w.happens ? [element("p", { class: "happens", text: w.happens })] : [], picture, details);
}

// disclosure stays open while the answer changes.
const opened = {};
function disclosure(name, summary, ...content) {
  const details = element("details", { class: name }, element("summary", { text: summary }), ...content);
  details.open = opened[name];
  details.addEventListener("toggle", () => { opened[name] = details.open; });
  return details;
}

function findingOf(f) {
  const line = f.line ? element("button", { type: "button", class: "line", text: `line ${f.line}` }) : "";
  if (line) line.addEventListener("click", () => select(f.line));
  return element("div", { class: `finding ${f.level}` }, element("p", {}, element("b", { text: f.level }), f.message), element("p", { text: `Fix: ${f.fix}` }),
    element("p", { class: "lead" }, line, line ? ", " : "", element("code", { text: f.field }), ", ", element("a", { href: f.documentedAt, rel: "noreferrer", text: f.rule })));
}

// select shows a line of the manifest.
function select(line) {
  const before = by("manifest").value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const end = by("manifest").value.indexOf("\n", before);
  by("manifest").focus();
  by("manifest").setSelectionRange(before, end < 0 ? by("manifest").value.length : end);
}

// speak lets screen readers read the answer once it stays the same.
let speaking;
function speak({ problems, screen }) {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    const says = problems ? `Error: ${problems[0]}` : screen.workloads.slice(0, 3)
      .map((w) => `${w.address}: ${w.happens || w.has || w.says}. ${w.findings?.length || "No"} findings.`).join(" ");
    if (by("spoken").textContent !== says) by("spoken").textContent = says;
  }, 1000);
}

// The part of an address after # is the question: JSON, compressed, in base64. Browsers do not send it.
async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}

async function packed(q) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(q)), new CompressionStream("deflate-raw"));
  return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
}

let remembering;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(async () => history.replaceState(null, "", `#${await packed(question())}`), 500);
}

async function recall() {
  if (location.hash.length < 2) return;
  try { choose(await unpacked(location.hash.slice(1))); } catch { notice = "The link is damaged. This is not its manifest."; }
}

async function readFiles(files) {
  if (files.length === 0) return;
  by("manifest").value = (await Promise.all([...files].map((f) => f.text()))).join("\n---\n");
  later();
}

by("manifest").addEventListener("input", later);
for (const id of ["version", "preset", ...Object.keys(scales)]) by(id).addEventListener("input", () => { scalesSay(); later(); });
by("event").addEventListener("input", () => { event = by("event").value; later(); });
by("open").addEventListener("click", () => by("files").click());
by("files").addEventListener("change", () => readFiles(by("files").files));
by("link").addEventListener("click", async () => {
  history.replaceState(null, "", `#${await packed(question())}`);
  await navigator.clipboard.writeText(location.href).then(() => { by("link").textContent = "Link copied"; }, () => { by("link").textContent = "Copy the address"; });
  setTimeout(() => { by("link").textContent = "Copy link"; }, 2000);
});
addEventListener("hashchange", async () => { await recall(); ask(); });
for (const [kind, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  addEventListener(kind, (e) => {
    if (!e.dataTransfer?.types.includes("Files")) return;
    e.preventDefault();
    document.body.classList.toggle("dropping", over);
    if (kind === "drop") readFiles(e.dataTransfer.files);
  });
}

async function begin() {
  const recalled = recall(), program = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch("podclock.wasm"), program.importObject);
  program.run(instance);
  await recalled;
  loaded = true;
  ask();
  requestAnimationFrame(() => setTimeout(() => podclock(JSON.stringify(question())))); // the second answer is slow, too
  setTimeout(() => navigator.serviceWorker?.register("offline.js"), 2000); // it reads all files again
}
begin().catch((e) => show({ problems: [`podclock cannot be loaded: ${e.message}. A browser loads it from a web server only, not from a file.`] }));
