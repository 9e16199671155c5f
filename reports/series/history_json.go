package series

import (
	"io"
)

// HistoryJSON writes all of a history for programs.
func HistoryJSON(w io.Writer, h History) error { return writeJSON(w, "the history", h) }
