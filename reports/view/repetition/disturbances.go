package repetition

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// DisturbancesSchema names the format of disturbance.json.
const DisturbancesSchema = "podclock.disturbance/v2"

// What a folder of disturbances has beside the runs: the report for people, and all for programs.
const (
	DisturbancesFile = "disturbance.md"
	DisturbancesJSON = "disturbance.json"
	// DisturbancesPrefix begins the folder's name.
	DisturbancesPrefix = "disturbance-"
)

// Disturbed is one run of a selection under one disturbance of its nodes.
type Disturbed struct {
	// Name and Description are the disturbance. Control is true for the run without one.
	Name, Description string
	Control           bool
	// Applied is how often each node was disturbed, by its name.
	Applied map[string]int
	// Problem is why the run shows nothing: it failed, or a node was never disturbed.
	Problem string
	Run     run.Run
}

// String is the run in one line.
func (d Disturbed) String() string {
	if d.Problem != "" {
		return fmt.Sprintf("disturbance %s: %s", d.Name, d.Problem)
	}
	return fmt.Sprintf("disturbance %s, applied %s: %s", d.Name, applied(d.Applied), view.Tally(d.Run.Outcomes))
}

// Disturbances are the verdicts under each disturbance. Two rules must hold: an unchanged kubelet never deviates, and a
// trial by which a mutant deviates undisturbed never conforms or diverges on it. What cannot be judged must be
// inconclusive.
type Disturbances struct {
	Schema  string    `json:"schema"`
	Started time.Time `json:"started,omitzero"`
	// MadeBy are the revision, host and profile of the runs. If there are several, the rows cannot be compared.
	MadeBy []string `json:"madeBy,omitempty"`
	Trials []string `json:"trials,omitempty"`
	// Asked are the disturbances that were requested, Rows those that were applied. The control is the first.
	Asked []string       `json:"asked"`
	Rows  []disturbedRow `json:"rows"`
	// Ended is why there are fewer rows than requested.
	Ended string `json:"ended,omitempty"`
	// Broken are the verdicts that break a rule.
	Broken   []breach `json:"broken,omitempty"`
	ExitCode int      `json:"exitCode"`

	// killed are the trials by which a mutant deviates undisturbed.
	killed []subjectTrial
}

type subjectTrial struct{ subject, trial string }

type disturbedRow struct {
	Name        string         `json:"name"`
	Description string         `json:"says"`
	Control     bool           `json:"control,omitempty"`
	Run         string         `json:"run,omitempty"`
	Applied     map[string]int `json:"applied,omitempty"`
	Problem     string         `json:"problem,omitempty"`
	Cells       []disturbedOn  `json:"cells,omitempty"`
}

type disturbedOn struct {
	Subject  string `json:"subject"`
	Mutation string `json:"mutation,omitempty"`
	// Clean is true for a reference: neither a mutant nor a user's binary.
	Clean    bool                  `json:"clean,omitempty"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Repeated is the number of trials with more than one attempt.
	Repeated int                      `json:"repeated"`
	Attempts int                      `json:"attempts"`
	Trials   map[string]trial.Verdict `json:"trials"`
}

type breach struct {
	Disturbance string        `json:"disturbance"`
	Subject     string        `json:"subject"`
	Trial       string        `json:"trial"`
	Verdict     trial.Verdict `json:"verdict"`
	Why         string        `json:"why"`
}

// Add adds a run. The control comes first.
func (t *Disturbances) Add(d Disturbed) {
	seen := series.Observe(d.Run)
	t.Schema = DisturbancesSchema
	row := disturbedRow{d.Name, d.Description, d.Control, d.Run.ID, d.Applied, d.Problem, nil}
	if row.Problem == "" && len(d.Run.Problems) > 0 {
		row.Problem = d.Run.Problems[0]
	}
	if t.Started.IsZero() {
		t.Started = d.Run.Started
	}
	made := view.MadeBy(seen.Podclock, seen.CPUs, seen.Profile)
	if seen.Podclock != "" && !slices.Contains(t.MadeBy, made) {
		t.MadeBy = append(t.MadeBy, made)
	}
	for _, s := range d.Run.Subjects {
		cell := disturbedOn{
			Subject: s.Name, Mutation: s.Mutation, Clean: s.Mutation == "" && s.Path == "",
			Trials: map[string]trial.Verdict{},
		}
		var outcomes []series.Outcome
		for _, o := range seen.Outcomes {
			if o.Subject != s.Name {
				continue
			}
			outcomes = append(outcomes, o)
			cell.Trials[o.Trial] = o.Verdict
			t.check(d, cell.Clean, o)
			if !slices.Contains(t.Trials, o.Trial) {
				t.Trials = append(t.Trials, o.Trial)
			}
		}
		count := series.TallyOf(outcomes)
		cell.Verdicts, cell.Repeated, cell.Attempts = count.Verdicts, count.Repeated, count.Attempts
		row.Cells = append(row.Cells, cell)
	}
	t.Rows = append(t.Rows, row)
	t.ExitCode = t.Code()
}

// check notes an outcome that breaks a rule, and the trials by which a mutant deviates undisturbed.
func (t *Disturbances) check(d Disturbed, clean bool, o series.Outcome) {
	key := subjectTrial{o.Subject, o.Trial}
	broken := func(why string) {
		t.Broken = append(t.Broken, breach{d.Name, o.Subject, o.Trial, o.Verdict, why})
	}
	switch {
	case clean && o.Verdict == trial.Deviates:
		broken(o.Why)
	case d.Control && o.Verdict == trial.Deviates:
		t.killed = append(t.killed, key)
	case slices.Contains(t.killed, key) && (o.Verdict == trial.Conforms || o.Verdict == trial.Divergent):
		broken("undisturbed it deviates")
	}
}

// End notes why there will be no more rows.
func (t *Disturbances) End(why string) {
	t.Schema, t.Ended = DisturbancesSchema, why
	t.ExitCode = t.Code()
}

// unjudged is why the table shows nothing, empty if it shows something.
func (t Disturbances) unjudged() string {
	if !slices.ContainsFunc(t.Rows, func(r disturbedRow) bool { return r.Control }) {
		return "there is no row without a disturbance to compare with"
	}
	for _, r := range t.Rows {
		if r.Problem != "" {
			return fmt.Sprintf("the row %s shows nothing: %s", r.Name, r.Problem)
		}
	}
	judged := func(c disturbedOn) bool { return c.Clean && run.Judged(c.Verdicts) > 0 }
	if !slices.ContainsFunc(t.Rows[0].Cells, judged) {
		return "no trial has a conclusive verdict on an unchanged kubelet even without a disturbance"
	}
	for _, c := range t.Rows[0].Cells {
		killed := func(id string) bool { return slices.Contains(t.killed, subjectTrial{c.Subject, id}) }
		if c.Mutation != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(c.Trials)), killed) {
			const quiet = "no trial deviates on %s even without a disturbance: choose trials that kill the mutant"
			return fmt.Sprintf(quiet, c.Subject)
		}
	}
	switch {
	case t.Ended != "":
		return fmt.Sprintf("there are %s: %s", t.ofAsked(), t.Ended)
	case len(t.Rows) < len(t.Asked):
		return "there are only " + t.ofAsked() + " so far"
	}
	return ""
}

// Code is the exit code of the rows so far.
func (t Disturbances) Code() int {
	switch {
	case len(t.Broken) > 0:
		return run.ExitDeviates
	case t.unjudged() != "":
		return run.ExitUnjudged
	}
	return run.ExitConforms
}

// ExitReason is the meaning of the exit code in one sentence.
func (t Disturbances) ExitReason() string {
	if len(t.Broken) > 0 {
		return run.Plural(len(t.Broken), "verdict") + " that no disturbance may lead to."
	}
	if why := t.unjudged(); why != "" {
		return "the harness could not judge: " + why + "."
	}
	var rows []string
	for _, r := range t.Rows {
		rows = append(rows, r.Name+" "+r.judged())
	}
	return "no unchanged kubelet deviates, and no mutant's deviation became a good verdict. Judged verdicts: " +
		strings.Join(rows, ", ") + "."
}

// JudgeDisturbances judges saved disturbances again, from what the runs of their rows recorded. dir is their folder.
func JudgeDisturbances(dir string, catalogue func(id string) (trial.Trial, bool)) (Disturbances, error) {
	var saved Disturbances
	format := run.Format{
		What: "table of disturbances", File: DisturbancesJSON, Link: DisturbancesPrefix + "…",
		Schema: DisturbancesSchema,
	}
	if err := format.Read(dir, &saved); err != nil {
		return Disturbances{}, err
	}
	again := Disturbances{Schema: DisturbancesSchema, Asked: saved.Asked, Ended: saved.Ended}
	for _, r := range saved.Rows {
		row := Disturbed{Name: r.Name, Description: r.Description, Control: r.Control, Applied: r.Applied,
			Problem: r.Problem}
		if r.Run != "" {
			loaded, err := run.Load(filepath.Join(dir, r.Run))
			if err != nil {
				return Disturbances{}, fmt.Errorf("the row %s of %s: %w", r.Name, dir, err)
			}
			row.Run, _ = run.Rejudge(loaded, catalogue)
		}
		again.Add(row)
	}
	again.ExitCode = again.Code()
	return again, nil
}

func (t Disturbances) ofAsked() string {
	return fmt.Sprintf("%d of %s", len(t.Rows), run.Plural(len(t.Asked), "row"))
}

func (r disturbedRow) judged() string {
	n, all := 0, 0
	for _, c := range r.Cells {
		all += len(c.Trials)
		n += run.Judged(c.Verdicts)
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// applied is how often the nodes were disturbed: "12 to 13 times on each of 2 nodes".
func applied(times map[string]int) string {
	if len(times) == 0 {
		return "never"
	}
	counts := slices.Sorted(maps.Values(times))
	least, most := counts[0], counts[len(counts)-1]
	words := run.Plural(most, "time")
	if least < most {
		words = fmt.Sprintf("%d to %s", least, words)
	}
	if len(times) > 1 {
		words += fmt.Sprintf(" on each of %d nodes", len(times))
	}
	return words
}
