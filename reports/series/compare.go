package series

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// ComparisonSchema names the format of a comparison as JSON; it changes when a reader of an older one would
// misunderstand it.
const ComparisonSchema = "podclock.comparison/v1"

// Comparison is what changed from one run to another: last night's and tonight's, or those of two kubelets.
// It judges nothing: each side has the verdicts that it came to, and what is compared is what they rest on.
type Comparison struct {
	Schema string `json:"schema"`
	// Before and After are the two sides.
	Before view.RunSummary `json:"before"`
	After  view.RunSummary `json:"after"`
	// Pairs are the subjects that stand side by side, Alone those of either side that have no counterpart
	// on the other and are in nothing that follows.
	Pairs []SubjectPair `json:"pairs"`
	Alone []SubjectPair `json:"alone,omitempty"`
	// Trials is how many outcomes were selected on both sides, Judged how many of them both came to a
	// judgement of. Values is how many claims were measured on both, and Times how many of these are times.
	Trials int `json:"trials"`
	Judged int `json:"judged"`
	Values int `json:"values"`
	Times  int `json:"times"`
	// Earlier is how many runs before them told how far the claims scatter.
	Earlier int `json:"earlier"`
	// Changes are the verdicts that differ, the worst first.
	Changes []VerdictChange `json:"changes,omitempty"`
	// Moves are the claims whose values lie further apart than chance explains, Shifts the formulas whose
	// claims moved together.
	Moves  []Move  `json:"moves,omitempty"`
	Shifts []Shift `json:"shifts,omitempty"`
	// Appeared are trials of the side after that the one before had not, Went the other way round.
	Appeared []OneSided `json:"appeared,omitempty"`
	Went     []OneSided `json:"went,omitempty"`
	// Differences are what is not alike about the runs themselves.
	Differences []Difference `json:"differences,omitempty"`
	// ExitCode is what `podclock compare` ends with, Reason why.
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"`
}

// SubjectPair is a subject of one side and what stands for it on the other: itself, where it has the same
// name. Of one that is alone the other is empty.
type SubjectPair struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// String names the pair: once, where both have the same name.
func (p SubjectPair) String() string {
	if p.Before == p.After {
		return p.Before
	}
	return cmp.Or(p.Before, "nothing") + " → " + cmp.Or(p.After, "nothing")
}

// OneSided is a trial on a subject that only one side has.
type OneSided struct {
	Trial   string        `json:"trial"`
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
}

// Exit codes of a comparison.
const (
	// ExitNoWorse: nothing deviates after that did not deviate before.
	ExitNoWorse = 0
	// ExitWorse: something deviates after that did not before.
	ExitWorse = 1
	// ExitNotComparable: the sides have no trial that both came to a judgement of, or one of them could not be read.
	ExitNotComparable = 2
)

// Compare sets two runs side by side. Subjects stand for each other that have the same name. Where each
// side has exactly one other subject, these two do, as long as they are clean kubelets in the same lane: a
// version and the next one. Two others are compared by runs of [Run.Only] one subject each. The history,
// which may be the zero one, tells how far claims scattered on the subjects of the side before in runs that
// began before both.
func Compare(before, after run.Run, h History) Comparison {
	c := Comparison{
		Schema:      ComparisonSchema,
		Before:      view.SummaryOf(before),
		After:       view.SummaryOf(after),
		Differences: differences(before, after),
	}
	was, is := bySubject(before), bySubject(after)
	c.Pairs, c.Alone = Pairs(before, after, c.Before.Subjects, c.After.Subjects)
	earlier := h.earlier(c.Before, c.After)
	c.Earlier = earlier.runs
	var measured []pairedClaim
	for _, p := range c.Pairs {
		measured = append(measured, c.compare(p, was[p.Before], is[p.After], earlier)...)
	}
	slices.SortStableFunc(c.Changes, func(x, y VerdictChange) int { return x.Direction.rank() - y.Direction.rank() })
	c.Values, c.Times = len(measured), timesAmong(measured)
	c.Moves, c.Shifts = moves(measured), shifts(measured)
	c.ExitCode, c.Reason = c.exit()
	return c
}

// Only is the run as far as it is about one subject.
func Only(r run.Run, subject string) (run.Run, error) {
	names := SubjectNames(r)
	if !slices.Contains(names, subject) {
		return run.Run{}, fmt.Errorf(
			"run %s has no subject %q: it has %s",
			r.ID,
			subject,
			cmp.Or(strings.Join(names, ", "), "none"),
		)
	}
	r.Subjects = slices.DeleteFunc(slices.Clone(r.Subjects), func(s run.Subject) bool { return s.Name != subject })
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o run.Outcome) bool { return o.Subject != subject })
	return r, nil
}

// subjectNames are those of the run, in its order.
func SubjectNames(r run.Run) []string {
	var names []string
	for _, b := range view.ColumnsOf(r) {
		names = append(names, b.Subject.Name)
	}
	return names
}

// bySubject is a run's outcomes by subject and trial.
func bySubject(r run.Run) map[string]map[string]run.Outcome {
	all := map[string]map[string]run.Outcome{}
	for _, o := range r.Outcomes {
		if all[o.Subject] == nil {
			all[o.Subject] = map[string]run.Outcome{}
		}
		all[o.Subject][o.Trial] = o
	}
	return all
}

// pairs says which of the subjects with outcomes stand for each other, and which have no counterpart.
func Pairs(before, after run.Run, was, is []string) (paired, alone []SubjectPair) {
	var gone, come []string
	for _, name := range was {
		if slices.Contains(is, name) {
			paired = append(paired, SubjectPair{Before: name, After: name})
		} else {
			gone = append(gone, name)
		}
	}
	for _, name := range is {
		if !slices.Contains(was, name) {
			come = append(come, name)
		}
	}
	if len(gone) == 1 && len(come) == 1 {
		onlyThese := len(was) == 1 && len(is) == 1
		if x, y := before.Subject(
			gone[0],
		), after.Subject(
			come[0],
		); onlyThese ||
			x.RanIn() == y.RanIn() && x.Mutation == "" && y.Mutation == "" {
			return append(paired, SubjectPair{Before: gone[0], After: come[0]}), nil
		}
	}
	for _, name := range gone {
		alone = append(alone, SubjectPair{Before: name})
	}
	for _, name := range come {
		alone = append(alone, SubjectPair{After: name})
	}
	return paired, alone
}

// compare takes a pair of subjects in and returns the claims that were measured on both.
func (c *Comparison) compare(p SubjectPair, was, is map[string]run.Outcome, earlier earlierValues) []pairedClaim {
	var measured []pairedClaim
	for _, id := range slices.Sorted(maps.Keys(was)) {
		old := was[id]
		now, selected := is[id]
		if !selected {
			c.Went = append(c.Went, OneSided{Trial: id, Subject: p.Before, Verdict: old.Verdict})
			continue
		}
		c.Trials++
		if run.Conclusive(old.Verdict) && run.Conclusive(now.Verdict) {
			c.Judged++
		}
		if change := changeOf(p, old, now); change != nil {
			c.Changes = append(c.Changes, *change)
		}
		measured = append(measured, pairClaims(p, old, now, earlier)...)
	}
	for _, id := range slices.Sorted(maps.Keys(is)) {
		now := is[id]
		if _, known := was[id]; known {
			continue
		}
		c.Appeared = append(c.Appeared, OneSided{Trial: id, Subject: p.After, Verdict: now.Verdict})
		if now.Verdict == trial.Deviates {
			c.Changes = append(c.Changes, *changeOf(p, run.Outcome{Verdict: view.NotSelected}, now))
		}
	}
	return measured
}

// exit is the exit code, and why.
func (c Comparison) exit() (code int, reason string) {
	worse := c.Count(Worse)
	switch {
	case worse > 0:
		return ExitWorse, run.Plural(worse, "verdict") + " got worse: what was measured deviates and did not before."
	case len(c.Pairs) == 0:
		return ExitNotComparable, fmt.Sprintf("the runs can't be compared: %s has %s, %s has %s.",
			c.Before.ID, named(c.Before.Subjects), c.After.ID, named(c.After.Subjects))
	case c.Trials == 0:
		return ExitNotComparable, "the runs can't be compared: they have no trial in common."
	case c.Judged == 0:
		return ExitNotComparable, fmt.Sprintf(
			"the runs can't be compared: of %s in common both came to a judgement of none.",
			run.Plural(c.Trials, "verdict"),
		)
	}
	if n := c.Count(NoLongerJudged); n > 0 {
		return ExitNoWorse, fmt.Sprintf("nothing got worse; %s no longer judged.", run.Plural(n, "verdict"))
	}
	return ExitNoWorse, "nothing got worse."
}

// named lists subjects in a sentence.
func named(subjects []string) string {
	if len(subjects) == 0 {
		return "no subject with a trial"
	}
	return strings.Join(subjects, ", ")
}

// count is how many verdicts changed in a direction.
func (c Comparison) Count(d Direction) int {
	n := 0
	for _, change := range c.Changes {
		if change.Direction == d {
			n++
		}
	}
	return n
}
