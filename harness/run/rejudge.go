package run

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// Change is an attempt whose verdict is another one when it is judged again.
type Change struct {
	Trial   string
	Subject string
	// Attempt counts from 1.
	Attempt  int
	Was, Now trial.Verdict
}

// String says it in one line.
func (c Change) String() string {
	return fmt.Sprintf("%s on %s, attempt %d: was %s, now %s", c.Trial, c.Subject, c.Attempt, c.Was, c.Now)
}

// Rejudge judges every attempt of a run again, from its evidence, and says which verdicts are not the saved
// ones. The run it is given stays as it is. Outcomes without an attempt have nothing to judge and keep
// their verdict. A trial that the catalogue no longer has, or a subject or node that the run does not
// describe, makes its outcomes inconclusive.
func Rejudge(r Run, catalogue func(id string) (trial.Trial, bool)) (Run, []Change) {
	var changes []Change
	r.Outcomes = slices.Clone(r.Outcomes)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		was := o.Verdict
		o.Attempts = slices.Clone(o.Attempts)
		for j := range o.Attempts {
			a := &o.Attempts[j]
			before := a.Result.Verdict
			last := j == len(o.Attempts)-1
			if last {
				before = was // the outcome's verdict is the one that was reported
			}
			result, why := r.rejudge(*o, *a, catalogue)
			a.Result = result
			if why != "" {
				o.Why = why
			}
			if last {
				o.Verdict = result.Verdict
			}
			if before != result.Verdict {
				changes = append(
					changes,
					Change{Trial: o.Trial, Subject: o.Subject, Attempt: j + 1, Was: before, Now: result.Verdict},
				)
			}
		}
	}
	return r, changes
}

// rejudge judges one attempt, or says why it can't be.
func (r Run) rejudge(
	o Outcome,
	a Attempt,
	catalogue func(id string) (trial.Trial, bool),
) (result trial.Result, why string) {
	result.Verdict = trial.Inconclusive
	t, known := catalogue(o.Trial)
	if !known {
		return result, "the catalogue no longer has this trial: judge the run with the revision that " +
			"made it, " + OrUnknown(
			r.Environment.Podclock,
		)
	}
	if !slices.ContainsFunc(r.Subjects, func(s Subject) bool { return s.Name == o.Subject }) {
		return result, fmt.Sprintf(
			"the saved run does not describe its subject %s, so its version is unknown",
			o.Subject,
		)
	}
	on := r.RanOn(o, a)
	n := slices.IndexFunc(r.Nodes, func(n Node) bool { return n.Name == on })
	if n < 0 {
		return result, fmt.Sprintf("the saved run does not describe node %s, so its delay is unknown", on)
	}
	delays := r.Nodes[n].Delays
	return judge.Judge(t, timeline.Build(a.Evidence, delays), delays, r.KubeletOf(o, a)), ""
}

func OrUnknown(revision string) string {
	if revision == "" {
		return "which it does not name"
	}
	return revision
}
