// The matrix with its filters, the shown trials, and the open trial.
const rows = all("tr.trial").map((tr) => {
  const t = data.trials[index[tr.dataset.trial]];
  return { tr, trial: t, area: tr.parentNode.dataset.area, words: wordsOf(t) };
});
const unfolded = new Set();

function wordsOf(t) {
  const parts = [t.id, t.about];
  for (const o of t.on) {
    if (!o) continue;
    parts.push(o.why || "");
    for (const a of o.attempts.slice(-1)) for (const f of a.findings) parts.push(f.c, data.formulas[f.f].id, f.as || "");
  }
  return [...new Set(parts)].join("\n").toLowerCase();
}

const shownColumns = () => data.subjects.map((_, i) => i).filter((i) => !state.hide.includes(data.subjects[i].name));
const filtering = () => state.q !== "" || state.verdict.length > 0 || state.area.length > 0;

function matches(row) {
  if (state.area.length && !state.area.includes(row.area)) return false;
  if (state.verdict.length && !shownColumns().some((i) => row.trial.on[i] && state.verdict.includes(row.trial.on[i].v))) return false;
  return state.q.toLowerCase().split(/\s+/).filter(Boolean).every((word) => row.words.includes(word));
}

// renderMatrix shows the matching rows. Without a filter, it shows rows that need a look and rows of unfolded areas.
function renderMatrix() {
  let shown = 0;
  for (const row of rows) {
    row.match = matches(row);
    const open = row.trial.id === state.trial;
    const seen = open || row.match && (filtering() || unfolded.has(row.area) || row.tr.classList.contains("notable"));
    row.tr.hidden = !seen;
    if (seen) shown++;
  }
  for (const body of all("tbody[data-area]")) {
    const mine = rows.filter((r) => r.area === body.dataset.area);
    body.hidden = !mine.some((r) => r.match || !r.tr.hidden);
    find("button", body).setAttribute("aria-expanded", String(mine.every((r) => !r.tr.hidden)));
  }
  for (const cell of all("[data-column]", find(".matrix"))) cell.hidden = !shownColumns().includes(Number(cell.dataset.column));
  find(".nothing").hidden = rows.some((r) => r.match);
  find("#shown").textContent = `${shown} of ${plural(rows.length, "trial")} shown`;
  find("#clear").hidden = !filtering() && state.hide.length === 0;
  const every = unfolded.size === all("tbody[data-area]").length;
  find("#unfold").textContent = every ? "Show only what needs a look" : "Show all trials";
  find("#unfold").hidden = filtering();
}

let openedNow = "";

// renderOpened opens the trial of the address below its row and closes any other. It returns the row. It does not change a trial that is open already. If the keyboard focus
// was in the closed trial, it moves to the same place in the opened one.
function renderOpened() {
  const asked = [state.trial, state.subject, state.attempt].join("\n");
  if (asked === openedNow) return null;
  openedNow = asked;
  const focus = document.activeElement || document.body, inside = focus.closest(".detail"), tabs = focus.closest(".detail nav");
  for (const old of all("tr.detail")) old.remove();
  for (const current of all(".matrix [aria-current]")) current.removeAttribute("aria-current");
  const row = rows.find((r) => r.trial.id === state.trial);
  if (!row) return null;
  const subject = subjectOf(row.trial);
  const link = find(`td[data-column="${subject}"] a`, row.tr);
  if (link) link.setAttribute("aria-current", "true");
  row.tr.after(detail(opened(row.trial, subject, Number(state.attempt))));
  if (inside) (tabs && find(`.detail nav[aria-label="${tabs.getAttribute("aria-label")}"] [aria-current]`) || currentLink(row)).focus({ preventScroll: true });
  return row;
}

// currentLink returns the link of a row to its open part.
const currentLink = (row) => find("td:not([hidden]) [aria-current]", row.tr) || find("a", row.tr);

// show scrolls the row of an open trial to the top of the window.
function show(row) {
  if (row) row.tr.scrollIntoView({ block: "start" });
}

// visit shows the open trial and moves the keyboard focus there.
function visit() {
  const row = rows.find((r) => r.trial.id === state.trial);
  if (!row) return;
  show(row);
  currentLink(row).focus({ preventScroll: true });
}

// subjectOf returns the subject of the address, else the one with the worst verdict.
function subjectOf(trial) {
  if (column[state.subject] !== undefined) return column[state.subject];
  const worst = trial.on.map((o, i) => ({ i, rank: o ? VERDICTS.indexOf(o.v) : -1 })).sort((a, b) => b.rank - a.rank || a.i - b.i);
  return worst[0].i;
}

const detail = (panel) => h("tr", { class: "detail" }, h("td", { colspan: data.subjects.length + 1 }, h("div", { class: "pane" }, panel)));

function chips(id, names, key, { count, pressed, label = (n) => n, glyph }) {
  const box = find(id);
  if (names.length < 2) { box.remove(); return () => {}; }
  const buttons = names.map((name) => h("button", {
    type: "button", class: `chip ${glyph ? name : ""}`,
    onclick: () => go({ [key]: state[key].includes(name) ? state[key].filter((n) => n !== name) : [...state[key], name] }),
  }, glyph ? h("b", { "aria-hidden": "true" }, glyph[name]) : null, label(name), count ? h("small", null, String(count(name))) : null));
  box.append(...buttons);
  return () => buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(pressed(names[i]))));
}

const renderChips = [];

function setUpMatrix() {
  const verdicts = VERDICTS.filter((v) => data.trials.some((t) => t.on.some((o) => o && o.v === v)));
  const areas = [...new Set(rows.map((r) => r.area))];
  renderChips.push(
    chips("#by-verdict", verdicts, "verdict", { glyph: GLYPHS, pressed: (n) => state.verdict.includes(n), count: (v) => data.trials.reduce((n, t) => n + t.on.filter((o) => o && o.v === v).length, 0) }),
    chips("#by-area", areas, "area", { pressed: (n) => state.area.includes(n), count: (a) => rows.filter((r) => r.area === a).length }),
    chips("#by-subject", data.subjects.map((s) => s.name), "hide", { pressed: (n) => !state.hide.includes(n), label: (n) => data.subjects[column[n]].title }));
  for (const body of all("tbody[data-area]")) {
    find("button", body).addEventListener("click", () => {
      const area = body.dataset.area;
      if (unfolded.has(area)) unfolded.delete(area); else unfolded.add(area);
      renderMatrix();
    });
  }
  find("#unfold").addEventListener("click", () => {
    const areas = all("tbody[data-area]").map((b) => b.dataset.area);
    if (unfolded.size === areas.length) unfolded.clear(); else areas.forEach((a) => unfolded.add(a));
    renderMatrix();
  });
  find("#search").addEventListener("input", (e) => go({ q: e.target.value }, { trace: false }));
  find("#clear").addEventListener("click", () => {
    go({ q: "", verdict: [], area: [], hide: [] });
    find("#unfold").focus(); // this button is gone
  });
}

// toggle opens the trial of a link of the matrix, or closes it.
function toggle(link) {
  const to = named(link);
  const open = state.trial === to.trial && (!to.subject || subjectOf(data.trials[index[to.trial]]) === column[to.subject]);
  const row = link.closest("tr"), before = row.getBoundingClientRect().top;
  go(open ? { trial: "", subject: "", attempt: "" } : to);
  if (!row.hidden) scrollBy(0, row.getBoundingClientRect().top - before); // the open trial above it closed
}
