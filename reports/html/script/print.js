// On paper everything that the filters let through is open: every trial on every shown subject, with its timeline, in dark ink on white.
function setUpPrint() {
  let shut = [];
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    themeListeners.forEach((f) => f());
    shut = all("details:not([open])").filter((d) => d.closest("main") && !d.matches(".opened *, .configuration"));
    shut.forEach((d) => { d.open = true; });
    for (const old of all("tr.detail")) old.remove();
    for (const row of rows) {
      row.tr.hidden = !row.match;
      if (!row.match) continue;
      const panels = shownColumns().filter((i) => row.trial.on[i]).map((i) => detail(opened(row.trial, i, 0)));
      row.tr.after(...panels);
    }
  });
  addEventListener("afterprint", () => {
    shut.forEach((d) => { d.open = false; });
    for (const old of all("tr.detail")) old.remove();
    openedNow = null;
    themed(theme);
    render();
  });
}
