// position shows a claim's windows and its measurement on one scale.
function position(f) {
  if (f.u !== "ns" || f.m === undefined) return null;
  const ends = [...f.i.w, ...(f.d ? f.d.w : []), f.m];
  const low = Math.min(...ends), width = Math.max(...ends) - low;
  if (width === 0) return null;
  const percent = (v) => 4 + 92 * (v - low) / width;
  const box = (kind, [from, to]) => h("i", { class: kind, style: `left:${percent(from).toFixed(2)}%;width:${Math.max(0.8, percent(to) - percent(from)).toFixed(2)}%` });
  return h("span", { class: "position", "aria-hidden": "true" }, box("imp", f.i.w), f.d && box("doc", f.d.w),
    h("i", { class: `at ${f.v}`, style: `left:${percent(f.m).toFixed(2)}%` }));
}

function error(f) {
  if (!f.less && !f.more) return null;
  return `observer error −${number("ns", f.less || 0)} s, +${number("ns", f.more || 0)} s`;
}

const terms = (unit, window) => h("span", null, span(unit, window.w), window.t.length ? h("ul", { class: "terms" }, explain(unit, window).map((t) => h("li", null, t))) : null);

// Everything about a claim.
function about(f) {
  const formula = data.formulas[f.f];
  const row = (name, ...text) => text.some(Boolean) ? [h("dt", null, name), h("dd", null, ...text.filter(Boolean))] : [];
  return h("dl", null,
    row("Why", f.why), row("Diagnosis", f.as),
    row("Measured", f.m === undefined ? "never" : value(f.u, f.m), error(f) && `, ${error(f)}`,
      f.p !== undefined && `; ${number("ns", f.left)} s from ${f.one ? "the latest moment" : "the nearer edge"}`),
    row("The code computes", terms(f.u, f.i)),
    f.d ? row("Documented", terms(f.u, f.d)) : [],
    row("Promise", formula.promise, ...(/^https?:/.test(formula.page) ? [" ", h("a", { href: formula.page, rel: "noreferrer" }, "Page")] : [])),
    row("Formula", h("code", null, formula.id), ": ", formula.says),
    row("Source", h("span", { class: "source" }, formula.source)),
    row("A rule of the", formula.of + (f.model ? "; the virtual lane has only a model of it" : "")),
    f.issues && f.d ? row("Issues", ...issues(f.issues)) : [],
    f.noise ? row("Delay", `the node delayed work by ${number("ns", f.noise)} s during that time`) : []);
}

function claimRows(f, open) {
  const more = h("tr", { class: "more", hidden: !open }, h("td", { colspan: 6 }));
  const fill = () => { if (!more.firstChild.firstChild) more.firstChild.append(about(f)); };
  if (open) fill();
  const button = h("button", {
    type: "button", class: "claim", "aria-expanded": String(open),
    onclick: () => { fill(); more.hidden = !more.hidden; button.setAttribute("aria-expanded", String(!more.hidden)); },
  }, f.c);
  const cell = (label, ...c) => h("td", { "data-label": label }, ...c);
  return [h("tr", { class: f.v }, h("th", { scope: "row" }, button, f.model ? h("span", { class: "tag" }, "model") : null),
    cell("Measured", f.m === undefined ? "never" : value(f.u, f.m)), h("td", { class: "where" }, position(f)),
    cell("The code computes", span(f.u, f.i.w)), cell("Documented", f.d ? span(f.u, f.d.w) : "–"), h("td", null, verdictMark(f.v))), more];
}

function claims(findings) {
  const worst = findings.find((f) => f.v === "deviates") || findings.find((f) => f.v === "inconclusive");
  const head = ["Claim", "Measured", "", "The code computes", "Documented", "Verdict"];
  return h("table", { class: "claims" }, h("caption", { class: "unseen" }, "Claims with measurements and windows"),
    h("thead", null, h("tr", null, head.map((t) => t ? h("th", { scope: "col" }, t) : h("td")))),
    h("tbody", null, findings.map((f) => claimRows(f, f === worst))));
}

// The measurements of a trial's claims on all subjects.
function beside(trial) {
  const last = trial.on.map((o) => o && o.attempts.length ? o.attempts[o.attempts.length - 1] : null);
  const names = [...new Set(last.flatMap((a) => a ? a.findings.map((f) => f.c) : []))];
  const cell = (a, name) => {
    const f = a && a.findings.find((one) => one.c === name);
    return h("td", { class: f ? f.v : null }, f ? `${f.m === undefined ? "never" : value(f.u, f.m)}` : "–", f && f.v !== "conforms" ? ` ${f.v}` : null);
  };
  return h("div", { class: "scroll" }, h("table", { class: "numbers" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Claim"), data.subjects.map((s) => h("th", { scope: "col" }, s.title)))),
    h("tbody", null, names.map((name) => h("tr", null, h("th", { scope: "row" }, h("code", null, name)), last.map((a) => cell(a, name)))))));
}
