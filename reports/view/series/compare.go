package series

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// ComparisonSchema names the format of a comparison as JSON.
const ComparisonSchema = "podclock.comparison/v1"

// Comparison is what changed from one run to another. It judges nothing: it compares the verdicts and the values of
// both sides.
type Comparison struct {
	Schema string          `json:"schema"`
	Before view.RunSummary `json:"before"`
	After  view.RunSummary `json:"after"`
	// Pairs are the subjects that are compared. Alone are those without a counterpart.
	Pairs []SubjectPair `json:"pairs"`
	Alone []SubjectPair `json:"alone,omitempty"`
	// Trials is the number of outcomes on both sides, Judged the number with a judgement on both. Values is the
	// number of claims that were measured on both sides, Times the number of these that are times.
	Trials int `json:"trials"`
	Judged int `json:"judged"`
	Values int `json:"values"`
	Times  int `json:"times"`
	// Earlier is the number of runs before both that show how far the claims scatter.
	Earlier int `json:"earlier"`
	// Changes are the verdicts that differ, the worst first.
	Changes []VerdictChange `json:"changes,omitempty"`
	// Moves are the claims whose values differ by more than chance explains, Shifts the formulas whose claims
	// moved together.
	Moves  []Move  `json:"moves,omitempty"`
	Shifts []Shift `json:"shifts,omitempty"`
	// Appeared are trials of the side after alone, Went trials of the side before alone. A trial whose pods or faults
	// changed is in both.
	Appeared []oneSided `json:"appeared,omitempty"`
	Went     []oneSided `json:"went,omitempty"`
	// Differences are facts about the runs themselves.
	Differences []difference `json:"differences,omitempty"`
	ExitCode    int          `json:"exitCode"`
	Reason      string       `json:"reason"`
}

// oneSided is a trial on a subject that only one side has.
type oneSided struct {
	Trial   string        `json:"trial"`
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
}

const (
	// ExitNoWorse means that every deviation after was a deviation before.
	ExitNoWorse = 0
	// ExitWorse means that a trial deviates after that did not deviate before.
	ExitWorse = 1
	// ExitNotComparable means that no trial has a judgement on both sides, or a side could not be read.
	ExitNotComparable = 2
)

// Compare compares two runs. Subjects of the same name are pairs. If each side has one other subject, these two are a
// pair as well, unless their lanes differ or one is a mutant. The history shows how far claims scattered before.
func Compare(before, after run.Run, h History) Comparison {
	was, is := Observe(before), Observe(after)
	c := Comparison{
		Schema:      ComparisonSchema,
		Before:      was.RunSummary,
		After:       is.RunSummary,
		Differences: differences(before, after),
	}
	c.Pairs, c.Alone = Pairs(before, after, was.Subjects, is.Subjects)
	var offsets map[claimKey][]int64
	offsets, c.Earlier = h.offsets(c.Before, c.After)
	var pairs []pair
	for _, p := range c.Pairs {
		pairs = append(pairs, c.compare(p, was.On(p.Before), is.On(p.After), offsets)...)
	}
	slices.SortStableFunc(c.Changes, func(x, y VerdictChange) int { return x.Direction.rank() - y.Direction.rank() })
	c.Values, c.Times = len(pairs), times(pairs)
	c.Moves, c.Shifts = moves(pairs), shifts(pairs)
	c.ExitCode, c.Reason = c.exit()
	return c
}

// Only returns the part of a run that is about one subject.
func Only(r run.Run, subject string) (run.Run, error) {
	names := view.Names(view.ColumnsOf(r))
	if !slices.Contains(names, subject) {
		return run.Run{}, fmt.Errorf("run %s has no subject %q: it has %s",
			r.ID, subject, cmp.Or(strings.Join(names, ", "), "none"))
	}
	r.Subjects = slices.DeleteFunc(slices.Clone(r.Subjects), func(s run.Subject) bool { return s.Name != subject })
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o run.Outcome) bool { return o.Subject != subject })
	return r, nil
}

// Pairs returns the pairs of two runs' subjects and those without a counterpart. was and is are the subjects that
// have outcomes.
func Pairs(before, after run.Run, was, is []string) (paired, alone []SubjectPair) {
	var gone, new []string
	for _, name := range was {
		if slices.Contains(is, name) {
			paired = append(paired, SubjectPair{name, name})
		} else {
			gone = append(gone, name)
		}
	}
	for _, name := range is {
		if !slices.Contains(was, name) {
			new = append(new, name)
		}
	}
	if len(gone) == 1 && len(new) == 1 {
		x, y := before.Subject(gone[0]), after.Subject(new[0])
		onlyThese := len(was) == 1 && len(is) == 1
		if onlyThese || x.RanIn() == y.RanIn() && x.Mutation == "" && y.Mutation == "" {
			return append(paired, SubjectPair{gone[0], new[0]}), nil
		}
	}
	for _, name := range gone {
		alone = append(alone, SubjectPair{Before: name})
	}
	for _, name := range new {
		alone = append(alone, SubjectPair{After: name})
	}
	return paired, alone
}

// compare adds a pair of subjects. It returns the claims that were measured on both.
func (c *Comparison) compare(p SubjectPair, was, is map[string]Outcome, offsets map[claimKey][]int64) []pair {
	var pairs []pair
	for _, id := range slices.Sorted(maps.Keys(was)) {
		old := was[id]
		now, selected := is[id]
		if !selected || !now.sameTrial(old) {
			c.Went = append(c.Went, oneSided{id, p.Before, old.Verdict})
			continue
		}
		c.Trials++
		if run.Conclusive(old.Verdict) && run.Conclusive(now.Verdict) {
			c.Judged++
		}
		if change := changeOf(p, old, now); change != nil {
			c.Changes = append(c.Changes, *change)
		}
		pairs = append(pairs, claimPairs(p, old, now, offsets)...)
	}
	for _, id := range slices.Sorted(maps.Keys(is)) {
		now := is[id]
		if old, known := was[id]; known && now.sameTrial(old) {
			continue
		}
		c.Appeared = append(c.Appeared, oneSided{id, p.After, now.Verdict})
		if now.Verdict == trial.Deviates {
			c.Changes = append(c.Changes, *changeOf(p, Outcome{Verdict: view.NotSelected}, now))
		}
	}
	return pairs
}

func (c Comparison) exit() (code int, reason string) {
	const not = "the runs can't be compared: "
	worse := c.Count(Worse)
	switch {
	case worse > 0:
		return ExitWorse, run.Plural(worse, "verdict") + " got worse: what was measured deviates and did not before."
	case len(c.Pairs) == 0:
		return ExitNotComparable, fmt.Sprintf(not+"%s has %s, %s has %s.",
			c.Before.ID, listed(c.Before.Subjects), c.After.ID, listed(c.After.Subjects))
	case c.Trials == 0:
		return ExitNotComparable, not + "they have no trial in common."
	case c.Judged == 0:
		return ExitNotComparable, fmt.Sprintf(not+"none of %s in common is conclusive on both sides.",
			run.Plural(c.Trials, "verdict"))
	}
	if n := c.Count(NoLongerJudged); n > 0 {
		return ExitNoWorse, fmt.Sprintf("nothing got worse; %s no longer judged.", run.Plural(n, "verdict"))
	}
	return ExitNoWorse, "nothing got worse."
}

func listed(subjects []string) string {
	return cmp.Or(strings.Join(subjects, ", "), "no subject with a trial")
}

// Count returns the number of verdicts that changed in a direction.
func (c Comparison) Count(d Direction) int {
	n := 0
	for _, change := range c.Changes {
		if change.Direction == d {
			n++
		}
	}
	return n
}

// Unexplained returns the moves that no formula computes.
func (c Comparison) Unexplained() []Move {
	return slices.DeleteFunc(slices.Clone(c.Moves), func(m Move) bool { return m.AsPredicted })
}
