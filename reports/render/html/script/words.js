// Numbers and verdicts in the words of the other reports.
const VERDICTS = ["conforms", "divergent", "unsupported", "inconclusive", "deviates"];
const GLYPHS = { conforms: "✓", divergent: "≠", unsupported: "–", inconclusive: "?", deviates: "✕" };

if (typeof DecompressionStream === "undefined") {
  find(".unread").textContent = "This browser is too old to open the timelines and claims; verdicts.md beside this file has every claim.";
  return;
}
document.documentElement.classList.add("waiting");
const data = await unpack(find("#data").textContent);

const plural = (n, thing) => n === 1 ? `1 ${thing}` : `${n} ${thing}s`;

function number(unit, v) {
  if (unit !== "ns") return String(v);
  const s = (Math.round(v / 1e6) / 1e3).toFixed(3);
  return s === "-0.000" ? "0.000" : s;
}

function value(unit, v) {
  if (unit === "ns") return number(unit, v) + " s";
  return unit === "s" ? v + " s" : String(v);
}

function span(unit, [earliest, latest]) {
  return earliest === latest ? value(unit, latest) : `${number(unit, earliest)} to ${value(unit, latest)}`;
}

// The terms of a window, one line each.
function explain(unit, window) {
  return window.t.map(([name, earliest, latest]) => `${data.terms[name]} ${span(unit, [earliest, latest])}`);
}

// References to issues, with links if their names have the address.
function issues(text) {
  return text.split(", ").flatMap((part, i) => {
    const m = /^(kubernetes|website|enhancements|test-infra)(?:#| PR )(\d+)$/.exec(part);
    const shown = m ? h("a", { href: `https://github.com/kubernetes/${m[1]}/issues/${m[2]}`, rel: "noreferrer" }, part) : part;
    return i ? [", ", shown] : [shown];
  });
}

const verdictMark = (v, words = true) => h("span", { class: `verdict ${v}` }, h("b", { "aria-hidden": words ? "true" : null }, GLYPHS[v] || "·"), words ? v : null);
