// The print has the whole matrix. It opens the filtered trials, or those that need a look if there is no filter: each on every shown subject, with its timeline, in dark ink on
// white. It explains the signs once. All trials of a full run would fill a thousand pages.
function setUpPrint() {
  let shut = [];
  const key = h("div", { class: "printed-key" }, find("#key").content.cloneNode(true));
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    themeListeners.forEach((f) => f());
    shut = all("details:not([open])").filter((d) => d.closest("main") && !d.matches(".opened *, .configuration"));
    shut.forEach((d) => { d.open = true; });
    for (const old of all("tr.detail")) old.remove();
    find("#trials .lead").after(key);
    for (const row of rows) {
      row.tr.hidden = !row.match;
      if (!(filtering() ? row.match : row.tr.classList.contains("notable"))) continue;
      const panels = shownColumns().filter((i) => row.trial.on[i]).map((i) => detail(opened(row.trial, i, 0)));
      row.tr.after(...panels);
    }
  });
  addEventListener("afterprint", () => {
    shut.forEach((d) => { d.open = false; });
    key.remove();
    for (const old of all("tr.detail")) old.remove();
    openedNow = null;
    themed(theme);
    render();
  });
}
