"use strict";
// Pictures are printed though they are folded, and a link leads to one that is.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
