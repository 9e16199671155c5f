package disturbances

import (
	"fmt"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// What a folder of disturbances holds beside its rows' runs.
const (
	// DisturbanceFile is the report for people, DisturbanceJSON for programs.
	DisturbanceFile = "disturbance.md"
	DisturbanceJSON = "disturbance.json"
)

// disturbancePrefix begins the names of the folders of disturbances, which lie among those of runs.
const disturbancePrefix = "disturbance-"

// DisturbanceFolder creates the folder of disturbances that began at a time.
func DisturbanceFolder(out string, started time.Time) (string, error) {
	dir, _, err := run.NewFolder(out, disturbancePrefix, started)
	return dir, err
}

// Title is the result in one line.
func (t Disturbances) Title() string {
	return fmt.Sprintf(
		"Verdicts on disturbed nodes: %s, %s",
		t.ofAsked(),
		run.Plural(len(t.Broken), "verdict")+" that no disturbance may lead to",
	)
}

// totals say what the table is of.
func (t Disturbances) Totals() string {
	all := view.MarkdownTable("", "")
	add := func(name, format string, args ...any) {
		all.AppendRow(view.TableRow([]string{name, fmt.Sprintf(format, args...)}))
	}
	add("result", "exit code %d: %s", t.ExitCode, t.ExitReason())
	if !t.Started.IsZero() {
		add("date", "%s", t.Started.UTC().Format(time.DateOnly))
	}
	if len(t.MadeBy) > 0 {
		add("made by", "%s", strings.Join(t.MadeBy, "; "))
	}
	if len(t.Trials) > 0 {
		add("trials", "%d on each subject: %s", len(t.Trials), view.Code(strings.Join(t.Trials, "`, `")))
	}
	return all.RenderMarkdown()
}

// initials are the verdicts in short, in the order of a cell.
var Initials = []struct {
	Verdict trial.Verdict
	Initial string
}{{trial.Conforms, "C"}, {trial.Divergent, "D"}, {trial.Deviates, "X"}, {trial.Inconclusive, "?"}, {trial.Unsupported, "U"}}

// words explain the initials that the table has.
func (t Disturbances) Words() []string {
	seen := map[trial.Verdict]bool{}
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			for v := range c.Verdicts {
				seen[v] = true
			}
		}
	}
	var words []string
	for _, i := range Initials {
		if seen[i.Verdict] {
			words = append(words, fmt.Sprintf("%s %s", i.Initial, i.Verdict))
		}
	}
	return words
}
