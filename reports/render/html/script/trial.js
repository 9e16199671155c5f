// An opened trial on one subject with its timeline, claims and facts. It is made when it is opened.
function opened(trial, subject, number) {
  const on = trial.on[subject];
  const panel = h("article", { class: "opened", "aria-label": `${trial.id} on ${data.subjects[subject].name}` });
  panel.append(h("header", null, h("h3", null, h("code", null, trial.id)), h("p", { class: "about" }, trial.about), tabs(trial, subject)));
  if (!on) { panel.append(h("p", null, "The trial was not selected for this subject.")); return panel; }
  if (on.why) panel.append(h("p", { class: `reason ${on.v}` }, h("b", null, on.v), ": ", on.why));
  if (on.attempts.length === 0) return panel;
  const last = on.attempts.length, at = number >= 1 && number <= last ? number : last;
  const attempt = on.attempts[at - 1];
  if (last > 1) panel.append(attempts(trial, subject, on, at));
  if (attempt.svg) panel.append(timeline(attempt.svg));
  panel.append(h("div", { class: "claims-scroll" }, claims(attempt.findings)));
  for (const doubt of attempt.doubts || []) panel.append(h("p", { class: "reason inconclusive" }, "Doubt: ", doubt));
  if (data.subjects.length > 1) panel.append(later("On all subjects", () => beside(trial)));
  if (attempt.svg) {
    panel.append(later("What the signs mean", () => find("#key").content.cloneNode(true)));
    panel.append(later("The timeline as a table", () => timetable(find(".timeline svg", panel))));
  }
  if (trial.pod) panel.append(later("The pod, and what is done to it", () => h("div", null, trial.cues && h("ol", { class: "cues" }, trial.cues.map((c) => h("li", null, c))), h("pre", null, trial.pod))));
  panel.append(h("p", { class: "facts" }, facts(attempt, on, subject)));
  return panel;
}

function tabs(trial, subject) {
  if (data.subjects.length < 2) return null;
  return h("nav", { class: "tabs", "aria-label": "Subjects" }, data.subjects.map((s, i) => trial.on[i] && h("a", {
    href: address({ trial: trial.id, subject: s.name, attempt: "" }), "aria-current": i === subject ? "true" : null, class: trial.on[i].v,
  }, h("b", { "aria-hidden": "true" }, GLYPHS[trial.on[i].v]), s.title, h("span", { class: "unseen" }, `, ${trial.on[i].v}`))));
}

function attempts(trial, subject, on, at) {
  return h("nav", { class: "tabs attempts", "aria-label": "Attempts" }, on.attempts.map((a, i) => h("a", {
    href: address({ trial: trial.id, subject: data.subjects[subject].name, attempt: i + 1 === on.attempts.length ? "" : String(i + 1) }),
    "aria-current": i + 1 === at ? "true" : null, class: a.v,
  }, h("b", { "aria-hidden": "true" }, GLYPHS[a.v]), `attempt ${i + 1}`, h("span", { class: "unseen" }, `, ${a.v}`))));
}

// The renderer made the drawings and escaped their texts. The page's policy forbids scripts in them.
function timeline(svg) {
  const figure = h("figure", { class: "timeline" });
  figure.innerHTML = svg;
  return figure;
}

// later returns a part that is made when it is first opened.
function later(title, make) {
  const d = h("details", { ontoggle: () => { if (d.open && d.children.length === 1) d.append(make()); } }, h("summary", null, title));
  return d;
}

// timetable lists the elements of a drawing by time. Each element has its numbers.
function timetable(svg) {
  const entries = [];
  let row = "";
  for (const e of all("text.n, [data-t]", svg)) {
    if (e.tagName === "text") { if (!e.classList.contains("few")) row = e.textContent; continue; }
    const title = find("title", e);
    entries.push({ t: Number(e.dataset.t), row, what: title ? title.textContent : "" });
  }
  entries.sort((a, b) => a.t - b.t);
  return h("div", { class: "scroll" }, h("table", { class: "numbers times" },
    h("thead", null, h("tr", null, ["Time, s", "Of", "What"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, entries.map((e) => h("tr", null, h("td", null, e.t.toFixed(3)), h("td", null, e.row), h("td", null, e.what))))));
}

function facts(attempt, on, subject) {
  const parts = [`Node ${attempt.node || "unknown"}`, `started ${attempt.started}`, `took ${attempt.took}`];
  if (attempt.virtual) parts.push(`${attempt.virtual} of virtual time`);
  if (attempt.extrapolated) parts.push("extrapolated: the kubelet is outside the releases whose sources were read");
  if (on.file) parts.push(h("span", null, "pod, timeline and kubelet log in ", h("code", null, on.file)));
  return parts.flatMap((p, i) => i ? ["; ", p] : [p]).concat(".");
}
