// Colours as the system has them, or light or dark as the reader likes; pages opened from a folder may have no storage.
const THEMES = ["", "light", "dark"];
const themeListeners = [];

function themed(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  const button = find("#theme");
  button.textContent = { "": "◐", light: "○", dark: "●" }[theme];
  button.title = `Colours: ${theme || "as the system has them"}`;
  button.setAttribute("aria-label", button.title);
  themeListeners.forEach((f) => f());
}

let theme = "";
try { theme = localStorage.getItem("podclock-theme") || ""; } catch { /* then it lasts as long as the page */ }
if (!THEMES.includes(theme)) theme = "";

function nextTheme() {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  try { localStorage.setItem("podclock-theme", theme); } catch { /* as above */ }
  themed(theme);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => themeListeners.forEach((f) => f()));
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
