package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/trial"
)

// DisturbanceSchema names the format of disturbance.json; it changes when a reader of an older file would misunderstand it.
const DisturbanceSchema = "podclock.disturbance/v1"

// Disturbed is one run of a selection while its nodes were disturbed.
type Disturbed struct {
	// Name and Says are what was done to the nodes; Control says that nothing was.
	Name, Says string
	Control    bool
	// Applied is how often it was done, on all nodes together.
	Applied int
	// Problem is why the row says nothing: its run failed, or it was never disturbed. Empty is the rule.
	Problem string
	Run     Run
}

// String says in one line how the row went.
func (d Disturbed) String() string {
	if d.Problem != "" {
		return fmt.Sprintf("disturbance %s: %s", d.Name, d.Problem)
	}
	return fmt.Sprintf("disturbance %s, done %d times: %s", d.Name, d.Applied, tally(d.Run.Outcomes))
}

// Disturbances is what the verdicts became under each disturbance. Two rules must hold: a clean kubelet never deviates, and a trial by which a mutant deviates
// undisturbed never conforms or diverges on it. Inconclusive is the right answer for what could not be judged.
type Disturbances struct {
	Schema string           `json:"schema"`
	Rows   []DisturbanceRow `json:"rows"`
	// Broken are the breaches of the two rules.
	Broken []DisturbanceBreach `json:"broken,omitempty"`
	// ExitCode is what `podclock disturb` ends with.
	ExitCode int `json:"exitCode"`

	// caught are the trials, by subject, by which a mutant deviates undisturbed.
	caught map[string]map[string]bool
}

// DisturbanceRow is one disturbance.
type DisturbanceRow struct {
	Name    string `json:"name"`
	Says    string `json:"says"`
	Control bool   `json:"control,omitempty"`
	// Run is the ID of the row's run.
	Run     string            `json:"run,omitempty"`
	Applied int               `json:"applied"`
	Problem string            `json:"problem,omitempty"`
	Cells   []DisturbanceCell `json:"cells,omitempty"`
}

// DisturbanceCell is one subject under one disturbance.
type DisturbanceCell struct {
	Subject  string                `json:"subject"`
	Mutation string                `json:"mutation,omitempty"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Repeated is how many trials took more than one attempt, Attempts how many there were.
	Repeated int `json:"repeated"`
	Attempts int `json:"attempts"`
	// Trials are the verdicts, by trial.
	Trials map[string]trial.Verdict `json:"trials"`
}

// DisturbanceBreach is a verdict that no disturbance may lead to.
type DisturbanceBreach struct {
	Disturbance string        `json:"disturbance"`
	Subject     string        `json:"subject"`
	Trial       string        `json:"trial"`
	Verdict     trial.Verdict `json:"verdict"`
	Why         string        `json:"why"`
}

// Add takes in a row. The control comes first.
func (t *Disturbances) Add(d Disturbed) {
	t.Schema = DisturbanceSchema
	row := DisturbanceRow{Name: d.Name, Says: d.Says, Control: d.Control, Run: d.Run.ID, Applied: d.Applied, Problem: d.Problem}
	if row.Problem == "" && len(d.Run.Problems) > 0 {
		row.Problem = d.Run.Problems[0]
	}
	for _, s := range d.Run.Subjects {
		cell := DisturbanceCell{Subject: s.Name, Mutation: s.Mutation, Verdicts: map[trial.Verdict]int{}, Trials: map[string]trial.Verdict{}}
		for _, o := range d.Run.Outcomes {
			if o.Subject != s.Name {
				continue
			}
			cell.Verdicts[o.Verdict]++
			cell.Trials[o.Trial] = o.Verdict
			if cell.Attempts += len(o.Attempts); len(o.Attempts) > 1 {
				cell.Repeated++
			}
			t.check(d, s, o)
		}
		row.Cells = append(row.Cells, cell)
	}
	t.Rows = append(t.Rows, row)
	t.ExitCode = t.exitCode()
}

// check holds an outcome against the two rules. In the control's row it learns by which trials a mutant deviates.
func (t *Disturbances) check(d Disturbed, s Subject, o Outcome) {
	caught := t.caught[s.Name][o.Trial]
	switch {
	case s.Mutation == "" && o.Verdict == trial.Deviates:
		t.Broken = append(t.Broken, DisturbanceBreach{d.Name, s.Name, o.Trial, o.Verdict, o.Reason()})
	case d.Control && s.Mutation != "" && o.Verdict == trial.Deviates:
		if t.caught == nil {
			t.caught = map[string]map[string]bool{}
		}
		if t.caught[s.Name] == nil {
			t.caught[s.Name] = map[string]bool{}
		}
		t.caught[s.Name][o.Trial] = true
	case caught && (o.Verdict == trial.Conforms || o.Verdict == trial.Divergent):
		t.Broken = append(t.Broken, DisturbanceBreach{d.Name, s.Name, o.Trial, o.Verdict, "undisturbed it deviates"})
	}
}

// unjudged says why the table proves nothing, empty where it proves something.
func (t Disturbances) unjudged() string {
	if !slices.ContainsFunc(t.Rows, func(r DisturbanceRow) bool { return r.Control }) {
		return "there is no row without a disturbance to compare with"
	}
	for _, r := range t.Rows {
		if r.Problem != "" {
			return fmt.Sprintf("the row %s says nothing: %s", r.Name, r.Problem)
		}
	}
	for _, c := range t.Rows[0].Cells {
		if c.Mutation != "" && len(t.caught[c.Subject]) == 0 {
			return fmt.Sprintf("no trial deviates on %s even without a disturbance: choose trials that tell it from the released code", c.Subject)
		}
	}
	return ""
}

func (t Disturbances) exitCode() int {
	switch {
	case len(t.Broken) > 0:
		return ExitDeviates
	case t.unjudged() != "":
		return ExitUnjudged
	}
	return ExitConforms
}

// ExitReason says in one sentence why the table has its exit code.
func (t Disturbances) ExitReason() string {
	if len(t.Broken) > 0 {
		return fmt.Sprintf("%s that no disturbance may lead to.", plural(len(t.Broken), "verdict"))
	}
	if why := t.unjudged(); why != "" {
		return "the harness could not judge: " + why + "."
	}
	return "no clean kubelet deviates, and no mutant's deviation became a good verdict."
}

// String is a breach in one line.
func (b DisturbanceBreach) String() string {
	return fmt.Sprintf("%s on %s under %s: %s; %s", b.Trial, b.Subject, b.Disturbance, b.Verdict, strings.TrimSuffix(b.Why, "."))
}
