"use strict";
// Folded pictures are printed as well.
let folded = [];
addEventListener("beforeprint", () => { folded = [...document.querySelectorAll("details:not([open])")]; for (const d of folded) d.open = true; });
addEventListener("afterprint", () => { for (const d of folded) d.open = false; });
