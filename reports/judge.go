package reports

import (
	"fmt"
	"slices"

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

// Rejudge judges every attempt of a run again, from its evidence, and says which verdicts are not the saved ones. The run it is given
// stays as it is. Outcomes without an attempt have nothing to judge and keep their verdict. A trial that the catalogue no
// longer has, or a subject that the run does not describe, makes its outcomes inconclusive.
func Rejudge(r Run, catalogue func(id string) (trial.Trial, bool)) (Run, []Change) {
	subjects := map[string]Subject{}
	for _, s := range r.Subjects {
		subjects[s.Name] = s
	}
	var changes []Change
	r.Outcomes = slices.Clone(r.Outcomes)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if len(o.Attempts) == 0 {
			continue
		}
		judge, why := unjudgeable, ""
		t, known := catalogue(o.Trial)
		subject, described := subjects[o.Subject]
		switch {
		case !known:
			why = "the catalogue no longer has this trial: judge the run with the revision that made it, " + orUnknown(r.Environment.Podclock)
		case !described:
			why = fmt.Sprintf("the saved run does not describe its subject %s, so its noise and version are unknown", o.Subject)
		default:
			judge = func(e timeline.Evidence) trial.Result {
				return trial.Judge(t, timeline.Build(e, subject.Noise), subject.Noise, subject.Kubelet)
			}
		}
		was := o.Verdict
		rejudge(o, judge, why, func(attempt int, before, now trial.Verdict) {
			if attempt == len(o.Attempts) {
				before = was // the outcome's verdict is the one that was reported
			}
			if before != now {
				changes = append(changes, Change{Trial: o.Trial, Subject: o.Subject, Attempt: attempt, Was: before, Now: now})
			}
		})
	}
	return r, changes
}

// rejudge replaces the results of all attempts, and the verdict by that of the last one.
func rejudge(o *Outcome, judge func(timeline.Evidence) trial.Result, why string, seen func(attempt int, was, now trial.Verdict)) {
	if why != "" {
		o.Why = why
	}
	o.Attempts = slices.Clone(o.Attempts)
	for i := range o.Attempts {
		a := &o.Attempts[i]
		was := a.Result.Verdict
		a.Result = judge(a.Evidence)
		seen(i+1, was, a.Result.Verdict)
	}
	o.Verdict = o.Last().Result.Verdict
}

// unjudgeable is the result of an attempt that nobody can judge.
func unjudgeable(timeline.Evidence) trial.Result { return trial.Result{Verdict: trial.Inconclusive} }

func orUnknown(revision string) string {
	if revision == "" {
		return "which it does not name"
	}
	return revision
}
