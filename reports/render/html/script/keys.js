// The keyboard can do everything that the pointer can do.
const shownRows = () => rows.filter((r) => !r.tr.hidden);
const linksOf = (row) => all("a", row.tr).filter((a) => !a.closest("td, th").hidden);

// place returns the row and the link that have the focus.
function place() {
  const link = document.activeElement && document.activeElement.closest("tr.trial a");
  const list = shownRows();
  const row = link ? list.findIndex((r) => r.tr === link.closest("tr")) : -1;
  return { list, row, at: row < 0 ? 0 : linksOf(list[row]).indexOf(link) };
}

function focusOn(row, at) {
  if (!row) return;
  const links = linksOf(row);
  const link = links[Math.min(Math.max(at, 0), links.length - 1)];
  link.focus();
  link.scrollIntoView({ block: "nearest" });
}

function openBy(step) {
  const list = shownRows();
  if (list.length === 0) return;
  const now = list.findIndex((r) => r.trial.id === state.trial);
  const next = list[now < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(now + step, 0), list.length - 1)];
  go({ trial: next.trial.id, attempt: "" });
  visit();
}

function subjectBy(step) {
  if (!state.trial || index[state.trial] === undefined) return;
  const trial = data.trials[index[state.trial]];
  const columns = shownColumns().filter((i) => trial.on[i]);
  if (columns.length === 0) return;
  const at = columns.indexOf(subjectOf(trial)) + step;
  if (at >= 0 && at < columns.length) go({ subject: data.subjects[columns[at]].name, attempt: "" });
}

const KEY = {
  "/": () => find("#search").focus(),
  "?": () => find("#keys").showModal(),
  j: () => { const p = place(); focusOn(p.list[p.row + 1], p.at); },
  k: () => { const p = place(); focusOn(p.list[Math.max(p.row - 1, 0)], p.at); },
  n: () => openBy(1),
  p: () => openBy(-1),
  "[": () => subjectBy(-1),
  "]": () => subjectBy(1),
  Escape: () => {
    if (!state.trial) { go({ q: "" }); return; }
    const row = rows.find((r) => r.trial.id === state.trial);
    go({ trial: "", subject: "", attempt: "" }, { trace: false });
    if (row) focusOn(row, 0);
  },
};

const ARROWS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

function setUpKeys() {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || find("#keys").open) return;
    const typing = e.target.matches("input, select, textarea");
    if (typing) {
      if (e.key === "Escape") { e.preventDefault(); if (state.q) go({ q: "" }, { trace: false }); else e.target.blur(); }
      return;
    }
    if (ARROWS[e.key]) {
      const p = place();
      if (p.row < 0) return; // the keys scroll
      e.preventDefault();
      const [down, right] = ARROWS[e.key];
      focusOn(p.list[p.row + down], p.at + right);
    } else if (KEY[e.key]) {
      e.preventDefault();
      KEY[e.key]();
    }
  });
  find("#keys-button").addEventListener("click", () => find("#keys").showModal());
}
