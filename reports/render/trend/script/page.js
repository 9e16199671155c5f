"use strict";
// Both pages have a search and a choice of colours. Without a script the page shows everything.
const $ = (id) => document.getElementById(id);
document.querySelectorAll(".tools, .choose").forEach((e) => { e.hidden = false; });

// choices are further conditions for a row to be shown.
const choices = [];
function choose() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  document.querySelectorAll(".item").forEach((item) => {
    const text = (item.textContent + " " + (item.dataset.words || "")).toLowerCase();
    item.hidden = !words.every((w) => text.includes(w)) || !choices.every((meets) => meets(item));
    item.dispatchEvent(new Event("chosen"));
  });
  document.dispatchEvent(new Event("chosen"));
}
$("search").addEventListener("input", choose);
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && !/INPUT|SELECT/.test(document.activeElement.tagName)) { e.preventDefault(); $("search").focus(); }
  if (e.key === "Escape" && document.activeElement === $("search")) { $("search").value = ""; choose(); }
});

const dark = matchMedia("(prefers-color-scheme: dark)");
function isDark() { return (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark"; }
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  document.dispatchEvent(new Event("recoloured"));
});
dark.addEventListener("change", () => document.dispatchEvent(new Event("recoloured")));
