// Package page has what podclock's HTML pages share: colours for light, dark and print, the style of text and tables,
// and the security policy.
package page

import (
	_ "embed"
)

//go:embed theme.css
var theme string

// Style returns the stylesheet that precedes a page's own. Its colours are custom properties for light and dark:
// --ink, --muted, --line, --paper, --panel and --accent of the page, --good, --warn, --bad and --doubt of verdicts.
func Style() string { return theme }
