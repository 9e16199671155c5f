package disturbances

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// DisturbanceSchema names the format of disturbance.json; it changes when a reader of an older file would
// misunderstand it.
const DisturbanceSchema = "podclock.disturbance/v2"

// Disturbed is one run of a selection while its nodes were disturbed.
type Disturbed struct {
	// Name and Says are what was done to the nodes; Control says that nothing was.
	Name, Says string
	Control    bool
	// Applied is how often it was done on each node, by the node's name.
	Applied map[string]int
	// Problem is why the row says nothing: its run failed, or a node was never disturbed. Empty is the rule.
	Problem string
	Run     run.Run
}

// String says in one line how the row went.
func (d Disturbed) String() string {
	if d.Problem != "" {
		return fmt.Sprintf("disturbance %s: %s", d.Name, d.Problem)
	}
	return fmt.Sprintf("disturbance %s, done %s: %s", d.Name, Done(d.Applied), view.Tally(d.Run.Outcomes))
}

// Disturbances is what the verdicts became under each disturbance. Two rules must hold: a clean kubelet
// never deviates, and a trial by which a mutant deviates undisturbed never conforms or diverges on it.
// Inconclusive is the right answer for what could not be judged.
type Disturbances struct {
	Schema string `json:"schema"`
	// Started is when the first row's run began.
	Started time.Time `json:"started,omitzero"`
	// MadeBy are the revision, host and profile of the rows' runs: one, unless the rows can't be compared.
	MadeBy []string `json:"madeBy,omitempty"`
	// Trials are the IDs of all trials of the rows.
	Trials []string `json:"trials,omitempty"`
	// Asked are the names of the rows that were asked for, Rows those that there are.
	Asked []string         `json:"asked"`
	Rows  []DisturbanceRow `json:"rows"`
	// Ended says why there are fewer, empty where there are all.
	Ended string `json:"ended,omitempty"`
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
	Run string `json:"run,omitempty"`
	// Applied is how often it was done on each node.
	Applied map[string]int    `json:"applied,omitempty"`
	Problem string            `json:"problem,omitempty"`
	Cells   []DisturbanceCell `json:"cells,omitempty"`
}

// DisturbanceCell is one subject under one disturbance.
type DisturbanceCell struct {
	Subject  string `json:"subject"`
	Mutation string `json:"mutation,omitempty"`
	// Clean says that the kubelet is as released: neither a mutant nor a binary of the user's own.
	Clean    bool                  `json:"clean,omitempty"`
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
	row := DisturbanceRow{
		Name:    d.Name,
		Says:    d.Says,
		Control: d.Control,
		Run:     d.Run.ID,
		Applied: d.Applied,
		Problem: d.Problem,
	}
	if row.Problem == "" && len(d.Run.Problems) > 0 {
		row.Problem = d.Run.Problems[0]
	}
	t.describe(d.Run)
	for _, s := range d.Run.Subjects {
		cell := DisturbanceCell{
			Subject:  s.Name,
			Mutation: s.Mutation,
			Clean:    released(s),
			Verdicts: map[trial.Verdict]int{},
			Trials:   map[string]trial.Verdict{},
		}
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
	t.ExitCode = t.Code()
}

// describe takes over what the runs are of.
func (t *Disturbances) describe(r run.Run) {
	if t.Started.IsZero() {
		t.Started = r.Started
	}
	if made := view.MadeBy(
		r.Environment.Podclock,
		r.Environment.CPUs,
		r.Profile,
	); r.Environment.Podclock != "" &&
		!slices.Contains(t.MadeBy, made) {
		t.MadeBy = append(t.MadeBy, made)
	}
	for _, o := range r.Outcomes {
		if !slices.Contains(t.Trials, o.Trial) {
			t.Trials = append(t.Trials, o.Trial)
		}
	}
}

// End says why there will be no more rows, though more were asked for.
func (t *Disturbances) End(why string) {
	t.Schema, t.Ended = DisturbanceSchema, why
	t.ExitCode = t.Code()
}

// released says that the kubelet is as released, as [kubelet.Subject.Clean] says it of a subject that is
// yet to be built.
func released(s run.Subject) bool { return s.Mutation == "" && s.Path == "" }

// check holds an outcome against the two rules. In the control's row it learns by which trials a mutant deviates.
func (t *Disturbances) check(d Disturbed, s run.Subject, o run.Outcome) {
	caught := t.caught[s.Name][o.Trial]
	switch {
	case released(s) && o.Verdict == trial.Deviates:
		t.Broken = append(t.Broken, DisturbanceBreach{d.Name, s.Name, o.Trial, o.Verdict, o.Reason()})
	case d.Control && o.Verdict == trial.Deviates:
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
	if !t.Rows[0].judgesClean() {
		return "not one trial came to a verdict on a clean kubelet even without a disturbance"
	}
	for _, c := range t.Rows[0].Cells {
		if c.Mutation != "" && len(t.caught[c.Subject]) == 0 {
			return fmt.Sprintf(
				"no trial deviates on %s even without a disturbance: choose trials that tell it from the released code",
				c.Subject,
			)
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

// ofAsked is how many rows there are, of how many.
func (t Disturbances) ofAsked() string {
	return fmt.Sprintf("%d of %s", len(t.Rows), run.Plural(len(t.Asked), "row"))
}

func (t Disturbances) Code() int {
	switch {
	case len(t.Broken) > 0:
		return run.ExitDeviates
	case t.unjudged() != "":
		return run.ExitUnjudged
	}
	return run.ExitConforms
}

// ExitReason says in one sentence why the table has its exit code.
func (t Disturbances) ExitReason() string {
	if len(t.Broken) > 0 {
		return fmt.Sprintf("%s that no disturbance may lead to.", run.Plural(len(t.Broken), "verdict"))
	}
	if why := t.unjudged(); why != "" {
		return "the harness could not judge: " + why + "."
	}
	var rows []string
	for _, r := range t.Rows {
		rows = append(rows, r.Name+" "+r.Judged())
	}
	return "no clean kubelet deviates, and no mutant's deviation became a good verdict; so many verdicts were judged: " + strings.Join(
		rows,
		", ",
	) + "."
}

// judged is how many verdicts of the row say anything of a kubelet, of how many.
func (r DisturbanceRow) Judged() string {
	n, all := 0, 0
	for _, c := range r.Cells {
		all += len(c.Trials)
		n += run.Judged(c.Verdicts)
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// judgesClean says whether any verdict on a clean kubelet says anything of it.
func (r DisturbanceRow) judgesClean() bool {
	return slices.ContainsFunc(r.Cells, func(c DisturbanceCell) bool { return c.Clean && run.Judged(c.Verdicts) > 0 })
}

// done says how often a disturbance was done to its nodes.
func Done(applied map[string]int) string {
	if len(applied) == 0 {
		return "never"
	}
	counts := slices.Sorted(maps.Values(applied))
	least, most := counts[0], counts[len(counts)-1]
	times := run.Plural(most, "time")
	if least < most {
		times = fmt.Sprintf("%d to %s", least, times)
	}
	if len(applied) == 1 {
		return times
	}
	return fmt.Sprintf("%s on each of %d nodes", times, len(applied))
}

// String is a breach in one line.
func (b DisturbanceBreach) String() string {
	return fmt.Sprintf(
		"%s on %s under %s: %s; %s",
		b.Trial,
		b.Subject,
		b.Disturbance,
		b.Verdict,
		strings.TrimSuffix(b.Why, "."),
	)
}
