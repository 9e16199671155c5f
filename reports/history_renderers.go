package reports

import "io"

// HistoryText writes a history for a terminal: the runs and what was not always the same, and at the end,
// where the eye is, how things stand.
func HistoryText(w io.Writer, h History, s Screen) error {
	p := &page{width: s.Columns(), colour: s.Colour}
	p.passages(h.Passages())
	p.line("")
	p.heading(h.Title() + ".")
	return writeAll(w, "the history", &p.b)
}

// HistoryMarkdown writes a history as Markdown.
func HistoryMarkdown(w io.Writer, h History) error {
	d := &document{}
	d.line("# %s", h.Title())
	d.passages(h.Passages())
	return writeAll(w, "the history as Markdown", &d.b)
}

// HistoryJSON writes all of a history for programs.
func HistoryJSON(w io.Writer, h History) error { return writeJSON(w, "the history", h) }
