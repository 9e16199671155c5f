package series

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/podclock/podclock/reports/view"
)

// Report is a view of a series in words. All renderers take it.
type Report struct {
	Title string
	// Size is how much was compared, and ExitCode the exit code in words. Both can be empty.
	Size, ExitCode string
	Passages       []view.Passage
}

// mostRows is the number of rows and lines that a passage has at most. The JSON has all.
const mostRows = 40

// IDs of the passages that pages arrange in their own way: the runs; the unexplained moves; the trials whose verdict
// changed; those that deviate or are inconclusive in the newest run.
const (
	RunsPassage     = "runs"
	MovesPassage    = "moves"
	UnsteadyPassage = "unsteady"
	OpenPassage     = "open"
)

// Shown returns the passages that have rows or lines, with 40 of each at most.
func Shown(all ...view.Passage) []view.Passage {
	var some []view.Passage
	for _, p := range all {
		if len(p.Rows)+len(p.Lines) > 0 {
			some = append(some, p.Cut(mostRows))
		}
	}
	return some
}

// JSON writes a view of a series with all its numbers for programs.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing the series as JSON: %w", err)
	}
	return nil
}
