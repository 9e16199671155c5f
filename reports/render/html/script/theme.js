// Colours follow the system, or the reader's choice of light or dark. A page that was opened from a folder may have no storage.
const THEMES = ["", "light", "dark"];
const themeListeners = [];

function themed(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  const button = find("#theme");
  button.textContent = { "": "◐", light: "○", dark: "●" }[theme];
  button.title = `Colours: ${theme || "the system's"}`;
  button.setAttribute("aria-label", button.title);
  themeListeners.forEach((f) => f());
}

let theme = "";
try { theme = localStorage.getItem("podclock-theme") || ""; } catch { /* the choice is not saved */ }
if (!THEMES.includes(theme)) theme = "";

function nextTheme() {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  try { localStorage.setItem("podclock-theme", theme); } catch { /* as above */ }
  themed(theme);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => themeListeners.forEach((f) => f()));
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
