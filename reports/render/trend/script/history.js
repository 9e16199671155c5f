// The trials of a history. A trial's claims are drawn over the runs when it is opened. An address such as #trial=<ID>&subject=<name> opens one.
const unpacked = unpack($("data").textContent);

const subject = $("subject"), show = $("show");
choices.push((item) => !item.classList.contains("trial") ||
  (!subject.value || item.dataset.subject === subject.value) && (!show.value || item.dataset.shows.split(" ").includes(show.value)));
subject.addEventListener("change", choose);
show.addEventListener("change", choose);
const rows = [...document.querySelectorAll(".trial")];
document.addEventListener("chosen", () => { $("shown").textContent = `${rows.filter((r) => !r.hidden).length} of ${rows.length} trials`; });

function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const verdictColours = { conforms: "good", divergent: "warn", deviates: "bad", inconclusive: "doubt" };

// inUnit formats a value. Times are in milliseconds, and shown in seconds from one second on.
function inUnit(claim, v) {
  if (v === null || v === undefined) return "never";
  if (claim.unit !== "ns") return claim.unit === "s" ? `${v} s` : `${v}`;
  return Math.abs(v) >= 1000 ? `${(v / 1000).toFixed(3)} s` : `${v.toFixed(1)} ms`;
}
const at = (list, i) => list.length === 1 ? list[0] : list[i];

// charts are the drawn charts, which have the page's colours.
const charts = new Set();
document.addEventListener("recoloured", () => charts.forEach((u) => { if (u.root.isConnected) u.redraw(); else charts.delete(u); }));

function chartOf(data, claim, why, width) {
  const last = claim.values.length - 1;
  const q = claim.quartiles;
  const box = element("div", { class: "chart" }, element("h3", {}, claim.claim),
    element("p", {}, claim.formula + (q ? `: median ${inUnit(claim, q[2])}, ${inUnit(claim, q[0])} to ${inUnit(claim, q[4])}` : "")));
  const plot = element("div", {}), readout = element("p", { class: "readout" });
  box.append(plot, readout, tableOf(data, claim, why));
  const x = claim.runs, list = (one) => x.map((_, i) => at(one, i));
  const series = [x, list(claim.earliest), list(claim.latest), claim.values];
  const line = (name, more) => ({ stroke: () => colour(name), width: 1, points: { show: false }, ...more });
  const lines = [{}, line("window"), line("window"), line("ink")];
  if (claim.documented) {
    series.push(claim.documented[0], claim.documented[1]);
    lines.push(line("warn", { dash: [4, 3] }), line("warn", { dash: [4, 3] }));
  }
  const axis = { stroke: () => colour("muted"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1 } };
  const u = new uPlot({
    width, height: 190, series: lines, scales: { x: { time: false, range: [-0.5, data.runs.length - 0.5] } },
    bands: [{ series: [2, 1], fill: () => colour("window") + "33" }],
    axes: [
      { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100], values: (u, ticks) => ticks.map((i) => Number.isInteger(i) && data.runs[i] ? new Date(data.runs[i].at * 1000).toISOString().slice(5, 10) : "") },
      { ...axis, size: 64, values: (u, ticks) => ticks.map((v) => claim.unit === "ns" ? +(v / 1000).toFixed(4) + " s" : v) },
    ],
    hooks: { draw: [(u) => points(u, claim)], setCursor: [(u) => { readout.textContent = inWords(data, claim, u.cursor.idx ?? last); }] },
    cursor: { drag: { x: false, y: false }, y: false }, legend: { show: false },
  }, series, plot);
  readout.textContent = inWords(data, claim, last);
  charts.add(u);
  return box;
}

// inWords describes one run.
function inWords(data, claim, i) {
  const words = `${data.runs[claim.runs[i]].id}: ${inUnit(claim, claim.values[i])}, ${claim.verdicts[i]}; computed ${inUnit(claim, at(claim.earliest, i))} to ${inUnit(claim, at(claim.latest, i))}`;
  const promised = claim.documented && claim.documented[0][i] !== null;
  return promised ? `${words}; documented ${inUnit(claim, claim.documented[0][i])} to ${inUnit(claim, claim.documented[1][i])}` : words;
}

// points draws each value in its verdict's colour. Values that do not conform have their own shapes: a cross for a deviation, a triangle for a divergent value, and a hollow
// point for an inconclusive one.
function points(u, claim) {
  const c = u.ctx, r = 3 * devicePixelRatio;
  c.save();
  claim.values.forEach((v, i) => {
    if (v === null) return;
    const x = u.valToPos(claim.runs[i], "x", true), y = u.valToPos(v, "y", true);
    if (claim.values.length === 1) { // there is no band between the ends of one window
      const top = u.valToPos(at(claim.latest, i), "y", true), bottom = u.valToPos(at(claim.earliest, i), "y", true);
      c.fillStyle = colour("window") + "55";
      c.fillRect(x - 4 * r, top, 8 * r, Math.max(1, bottom - top));
    }
    c.strokeStyle = c.fillStyle = colour(verdictColours[claim.verdicts[i]] || "muted");
    c.lineWidth = 2 * devicePixelRatio;
    c.beginPath();
    if (claim.verdicts[i] === "deviates") {
      c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x - r, y + r); c.lineTo(x + r, y - r); c.stroke();
    } else if (claim.verdicts[i] === "divergent") {
      c.moveTo(x, y - r); c.lineTo(x + r, y + r); c.lineTo(x - r, y + r); c.fill();
    } else {
      c.arc(x, y, r, 0, 2 * Math.PI);
      if (claim.verdicts[i] === "inconclusive") c.stroke(); else c.fill();
    }
  });
  c.restore();
}

// tableOf returns the values as a table.
function tableOf(data, claim, why) {
  const body = element("tbody", {});
  for (let i = claim.values.length - 1; i >= 0; i--) {
    const cells = [data.runs[claim.runs[i]].id, inUnit(claim, claim.values[i]), `${inUnit(claim, at(claim.earliest, i))} to ${inUnit(claim, at(claim.latest, i))}`, claim.verdicts[i]];
    const row = element("tr", {}, ...cells.map((text) => element("td", {}, text)));
    if (why[claim.runs[i]]) row.title = why[claim.runs[i]];
    body.append(row);
  }
  return element("details", {}, element("summary", {}, "Numbers"),
    element("table", {}, element("thead", {}, element("tr", {}, ...["run", "measured", "the code computes", "verdict"].map((h) => element("th", { scope: "col" }, h)))), body));
}

async function toggle(row, open) {
  const button = row.querySelector("button");
  const isOpen = button.getAttribute("aria-expanded") === "true";
  if (isOpen === open) return;
  button.setAttribute("aria-expanded", open);
  if (!open) { row.nextElementSibling.remove(); return; }
  const box = element("div", { class: "charts" });
  row.after(element("tr", { class: "claims" }, element("td", { colspan: 7 }, box)));
  const data = await unpacked, trial = data.trials[row.dataset.n], why = trial.why || {};
  if (!box.isConnected) return; // it was closed meanwhile
  const columns = getComputedStyle(box).gridTemplateColumns.split(" ");
  for (const claim of trial.claims || []) box.append(chartOf(data, claim, why, Math.floor(parseFloat(columns[0]))));
  const newest = why[data.runs.length - 1];
  if (newest) box.prepend(element("p", {}, newest));
  if (!box.children.length) box.append(element("p", {}, "No run measured a claim of this trial."));
}
// The charts of a trial are hidden with it.
rows.forEach((row) => row.addEventListener("chosen", () => {
  if (row.querySelector("button").getAttribute("aria-expanded") === "true") row.nextElementSibling.hidden = row.hidden;
}));
rows.forEach((row) => row.querySelector("button").addEventListener("click", () => {
  const open = row.querySelector("button").getAttribute("aria-expanded") !== "true";
  toggle(row, open);
  history.replaceState(null, "", open ? "#" + new URLSearchParams({ trial: row.querySelector("button").textContent, subject: row.dataset.subject }) : "#trials");
}));

// follow opens the trial of the address.
async function follow() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (!wanted.has("trial")) return;
  const row = rows.find((r) => r.querySelector("button").textContent === wanted.get("trial") && (!wanted.get("subject") || r.dataset.subject === wanted.get("subject")));
  if (!row) return;
  row.hidden = false;
  await toggle(row, true);
  row.scrollIntoView();
}
addEventListener("hashchange", follow);
choose();
follow();
