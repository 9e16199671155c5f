package run

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Change is an attempt whose verdict changed when it was judged again.
type Change struct {
	Trial   string `json:"trial"`
	Subject string `json:"subject"`
	// Attempt counts from 1.
	Attempt int           `json:"attempt"`
	Was     trial.Verdict `json:"was"`
	Now     trial.Verdict `json:"now"`
}

// String returns the change in one line.
func (c Change) String() string {
	return fmt.Sprintf("%s on %s, attempt %d: was %s, now %s", c.Trial, c.Subject, c.Attempt, c.Was, c.Now)
}

// Rejudge judges every attempt of a run again from its evidence. It returns a new run and the changed verdicts.
// Outcomes without an attempt keep their verdict. Outcomes become inconclusive if the catalogue no longer has
// their trial, or if the run does not describe their subject or node. An outcome is Kept as it was saved if the
// catalogue's trial is another one now: its evidence says nothing of other pods, faults or claims.
func Rejudge(r Run, catalogue func(id string) (trial.Trial, bool)) (Run, []Change) {
	var changes []Change
	checked := map[[2]string]trial.Verdict{}
	for _, o := range r.Outcomes {
		if IsCheck(o) {
			checked[[2]string{o.Trial, o.Subject}] = o.Verdict
		}
	}
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), IsCheck)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if len(o.Attempts) == 0 {
			continue
		}
		if o.Kept = changed(*o, catalogue); o.Kept != "" {
			continue
		}
		o.Attempts = slices.Clone(o.Attempts)
		var results []trial.Result
		for _, a := range o.Attempts {
			result, why := r.rejudge(*o, a, catalogue)
			results = append(results, result)
			if why != "" {
				o.Why = why
			}
		}
		pool := judge.Pool(results)
		for j, result := range pool.Results {
			a := &o.Attempts[j]
			was, now := a.Result.Verdict, result.Verdict
			a.Result = result
			if j == len(o.Attempts)-1 {
				was, now = o.Verdict, pool.Verdict // compare with the verdict that was reported
			}
			if was != now {
				changes = append(changes, Change{o.Trial, o.Subject, j + 1, was, now})
			}
		}
		o.Verdict = pool.Verdict
	}
	r.Check()
	for _, o := range r.Outcomes {
		if was, known := checked[[2]string{o.Trial, o.Subject}]; known && was != o.Verdict {
			changes = append(changes, Change{Trial: o.Trial, Subject: o.Subject, Attempt: 1, Was: was, Now: o.Verdict})
		}
	}
	return r, changes
}

// rejudge judges one attempt, or returns why it cannot.
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
	return judge.Judge(asSaved(t, a), timeline.Build(a.Evidence, delays), delays, r.KubeletOf(o, a)), ""
}

// changed returns why the catalogue's trial is not the one that ran, or "". A run of an older revision has no setup, so
// a missing claim shows the change. The timeline has no delays: with delays, a timeline has fewer standing claims.
func changed(o Outcome, catalogue func(id string) (trial.Trial, bool)) string {
	t, known := catalogue(o.Trial)
	if !known {
		return ""
	}
	if o.Setup != "" && o.Setup != t.Setup() {
		return "the trial has other pods or faults since then"
	}
	for _, a := range o.Attempts {
		tl := timeline.Build(a.Evidence, delay.Record{})
		claims := slices.Concat(t.Claims, t.Standing(tl))
		for _, f := range a.Result.Findings {
			if !slices.ContainsFunc(claims, func(c trial.Claim) bool { return c.ID() == f.Claim }) {
				return "the trial no longer has the claim " + f.Claim
			}
		}
	}
	return ""
}

// asSaved returns a trial without the claims that an attempt was not judged by: what they need may not be in its
// evidence.
func asSaved(t trial.Trial, a Attempt) trial.Trial {
	if findings := a.Result.Findings; len(findings) > 0 {
		t.Claims = slices.DeleteFunc(slices.Clone(t.Claims), func(c trial.Claim) bool {
			return !slices.ContainsFunc(findings, func(f trial.Finding) bool { return f.Claim == c.ID() })
		})
	}
	return t
}

// OrUnknown returns the revision that made a run, or, if that is empty, a clause for the end of "the revision that made
// the run, ".
func OrUnknown(revision string) string {
	if revision == "" {
		return "which it does not name"
	}
	return revision
}
