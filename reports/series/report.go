package series

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/podclock/podclock/reports/view"
)

// Report is a view of a series in words. All renderers take it.
type Report struct {
	// Title is the result in one line.
	Title string
	// Size is how much was compared, and ExitCode the exit code in words. Both can be empty.
	Size, ExitCode string
	Passages       []view.Passage
}

// mostRows is the number of rows and lines that a passage has at most. The JSON has all.
const mostRows = 40

// shown returns the passages that have rows or lines, each with mostRows at most.
func shown(all ...view.Passage) []view.Passage {
	var some []view.Passage
	for _, p := range all {
		if len(p.Rows)+len(p.Lines) > 0 {
			some = append(some, cut(p, mostRows))
		}
	}
	return some
}

// cut leaves the first rows and lines of a passage.
func cut(p view.Passage, most int) view.Passage {
	if more := len(p.Rows) - most; more > 0 {
		p.Rows, p.Rest = p.Rows[:most], p.Rest+more
	}
	if more := len(p.Lines) - most; more > 0 {
		p.Lines, p.Rest = p.Lines[:most], p.Rest+more
	}
	return p
}

// facts is a passage of names and what is known of them.
type facts struct{ view.Passage }

func (f *facts) add(name, format string, args ...any) {
	f.Rows = append(f.Rows, []string{name, fmt.Sprintf(format, args...)})
}

// line adds a line, and what belongs to it.
func line(p *view.Passage, text string, more ...string) {
	p.Lines = append(p.Lines, view.Line{Text: text, More: more})
}

// row adds a row of a table. Its cells are formatted as fmt.Print does.
func row(p *view.Passage, cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
	}
	p.Rows = append(p.Rows, texts)
}

// JSON writes a comparison or a history with all its numbers for programs.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing the series as JSON: %w", err)
	}
	return nil
}
