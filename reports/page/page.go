// Package page is what podclock's HTML pages have in common: their colours, for light, dark and print, how
// text, links and tables look, and what a browser may do with them.
package page

import (
	_ "embed"
)

//go:embed theme.css
var theme string

// Style is the stylesheet that a page's own follows. Its colours are custom properties, light or dark as
// the reader's system has it, or as data-theme on the page's html element says: --ink, --muted, --line,
// --paper, --panel and --accent of the page, --good, --warn, --bad and --doubt of what is told.
func Style() string { return theme }
