let columnsShown = "";
const columnListeners = [];

function render() {
  renderChips.forEach((f) => f());
  const search = find("#search");
  if (search.value !== state.q) search.value = state.q;
  renderMatrix();
  const row = renderOpened();
  if (columnsShown !== state.hide.join("\n")) {
    columnsShown = state.hide.join("\n");
    columnListeners.forEach((f) => f());
  }
  return row;
}

document.documentElement.classList.remove("waiting");
for (const e of all(".tools, .filters")) e.hidden = false;
setUpMatrix();
setUpKeys();
setUpPrint();
read();
themed(theme);
const row = render();
setUpStaircases();
setUpMargins();
find("#theme").addEventListener("click", nextTheme);

// A link to a trial opens it, though the address names it already, and leaves the filters as they are.
document.addEventListener("click", (e) => {
  const link = e.target.closest('a[href^="#trial="]');
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
  e.preventDefault();
  if (link.closest("tr.trial")) { toggle(link); return; }
  go(named(link));
  if (!link.closest(".tabs")) visit();
});

// So does an address that was changed by hand, or gone back to.
addEventListener("hashchange", () => {
  read();
  show(render());
});
show(row);
performance.mark("ready");
