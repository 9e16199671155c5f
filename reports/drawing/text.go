package drawing

import "io"

// Text draws d for a terminal of that many columns.
func Text(w io.Writer, d Drawing, columns int) error { return nil }
