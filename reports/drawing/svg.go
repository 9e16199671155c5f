package drawing

import "io"

// SVG draws d as one svg element to be put into a page that carries Style.
func SVG(w io.Writer, d Drawing) error { return nil }

// Style is the stylesheet of what SVG draws.
func Style() string { return "" }
