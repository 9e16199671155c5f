// h makes an element of the page. Texts never become markup.
function h(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false));
  return e;
}

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// tip shows one tip for all charts, beside the pointer and inside the window.
function tip(x, y, ...lines) {
  const t = find("#tip");
  if (x === undefined) { t.hidden = true; return; }
  t.replaceChildren(...lines.map((line) => h("div", null, line)));
  t.hidden = false;
  t.style.left = Math.max(4, Math.min(x + 14, innerWidth - t.offsetWidth - 8)) + "px";
  t.style.top = (y + 14 + t.offsetHeight > innerHeight ? y - t.offsetHeight - 10 : y + 14) + "px";
}
