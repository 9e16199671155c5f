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
	Sections       []view.Section
}

// mostRows is the number of rows and lines that a section has at most. The JSON has all.
const mostRows = 40

// IDs of the sections that pages arrange in their own way: the runs; the unexplained moves; the trials whose verdict
// changed; those that deviate or are inconclusive in the newest run.
const (
	RunsSection     = "runs"
	MovesSection    = "moves"
	UnsteadySection = "unsteady"
	OpenSection     = "open"
)

// Shown returns the sections that have rows or lines, with 40 of each at most.
func Shown(all ...view.Section) []view.Section {
	var some []view.Section
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
