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
setUpBackOffCharts();
setUpMargins();
find("#theme").addEventListener("click", nextTheme);

// A link to a trial opens it even if the address already names it. It does not change the filters.
document.addEventListener("click", (e) => {
  const link = e.target.closest('a[href^="#trial="]');
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
  e.preventDefault();
  if (link.closest("tr.trial")) { toggle(link); return; }
  go(named(link));
  if (!link.closest(".tabs")) visit();
});

// An edited address, or a step back in the history, opens its trial as well.
addEventListener("hashchange", () => {
  read();
  show(render());
});
show(row);
performance.mark("ready");
