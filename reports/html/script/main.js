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

// show brings a trial's row that was just opened to the top of the window.
function show(row) {
  if (row) row.scrollIntoView({ block: "start" });
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

// A link to a trial anywhere on the page, and one that was followed back, shows it.
addEventListener("hashchange", () => {
  if (location.hash && !location.hash.includes("=")) return; // a section's own address
  read();
  show(render());
});
show(row);
performance.mark("ready");
