"use strict";
// Pictures are printed though they are folded.
let folded = [];
addEventListener("beforeprint", () => { folded = [...document.querySelectorAll("details:not([open])")]; for (const d of folded) d.open = true; });
addEventListener("afterprint", () => { for (const d of folded) d.open = false; });
