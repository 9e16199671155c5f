package judge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Pooled is the judgement of all attempts of one trial together.
type Pooled struct {
	Verdict trial.Verdict
	// Results are the attempts' results. Misses that deviate only together deviate here.
	Results []trial.Result
	// Open means that a further attempt could change the verdict.
	Open bool
}

// Pool judges the attempts of a trial together. An attempt that deviates makes the trial deviate. Otherwise the last
// conclusive attempt counts, unless excused misses say more.
//
// A delay that the node probably had excuses a miss in every attempt: on a slow node, a correct kubelet is late each
// time. Some misses are excused only because the longest possible delay could explain them (the rule "unlikely delay").
// Two of them in different attempts are a deviation if they are of one claim on one side of its window, or if one known
// mistake fits both. After a single one, the trial needs more conclusive attempts than attempts with such a miss.
func Pool(attempts []trial.Result) Pooled {
	p := Pooled{Verdict: trial.Inconclusive, Results: slices.Clone(attempts)}
	by := map[string][]int{} // the attempts with such a miss, by what they can share
	for i := range p.Results {
		p.Results[i].Findings = slices.Clone(p.Results[i].Findings)
		for _, f := range p.Results[i].Findings {
			for _, key := range shared(f) {
				if n := len(by[key]); n == 0 || by[key][n-1] != i {
					by[key] = append(by[key], i)
				}
			}
		}
	}
	missed, conclusive := 0, 0
	for i := range p.Results {
		r := &p.Results[i]
		if Missed(*r) {
			missed++
		}
		for j := range r.Findings {
			f := &r.Findings[j]
			repeated := func(key string) bool { return len(by[key]) > 1 }
			if slices.ContainsFunc(shared(*f), repeated) {
				f.Verdict, f.Rule = trial.Deviates, pooledMisses
				f.Why += ", but hardly more than once"
				r.Verdict = trial.Deviates
			}
			if f.Verdict == trial.Deviates {
				f.Why += rate(attempts, f.Claim)
			}
		}
		if r.Verdict != trial.Inconclusive {
			conclusive++
			if p.Verdict != trial.Deviates {
				p.Verdict = r.Verdict
			}
		}
	}
	p.Open = p.Verdict == trial.Inconclusive || p.Verdict != trial.Deviates && missed > 0 && conclusive <= missed
	if p.Open && missed > 1 {
		p.Verdict = trial.Inconclusive
	}
	return p
}

// Missed reports whether a result deviates, or could deviate together with another one.
func Missed(r trial.Result) bool {
	return r.Verdict == trial.Deviates ||
		slices.ContainsFunc(r.Findings, func(f trial.Finding) bool { return f.Rule == unlikelyDelay })
}

// Doomed returns why an attempt under way can't conform any more: the node delayed a time that was measured, or what it
// depends on. It returns "" while it can.
func Doomed(r trial.Result) string {
	for _, f := range r.Findings {
		delayed := f.Rule == likelyDelay || f.Rule == delayedInputs || f.Rule == unlikelyDelay
		if delayed && f.Measured != nil && f.Implemented.Unit == formula.Nanoseconds {
			return f.Claim + ": " + f.Why
		}
	}
	return ""
}

// shared returns what a miss that only the longest delay explains can have in common with another one.
func shared(f trial.Finding) []string {
	if f.Rule != unlikelyDelay || f.Measured == nil {
		return nil
	}
	all := []string{fmt.Sprint(f.Claim, f.Measured.Value > f.Implemented.Latest)}
	var fits []trial.Mistake
	for _, r := range f.Mistakes {
		if r.Beyond && r.Fits {
			fits = append(fits, r)
		}
	}
	if len(fits) > 0 {
		narrower := func(a, b trial.Mistake) int { return cmp.Compare(width(a.Would), width(b.Would)) }
		all = append(all, slices.MinFunc(fits, narrower).Name)
	}
	return all
}

// rate returns in how many attempts a claim missed its window, of those that show whether it did, or "" for one.
func rate(attempts []trial.Result, claim string) string {
	missed, of := 0, 0
	for _, r := range attempts {
		for _, f := range r.Findings {
			switch {
			case f.Claim != claim:
			case f.Verdict == trial.Deviates || f.Rule == unlikelyDelay:
				missed, of = missed+1, of+1
			case slices.Contains(hits, f.Verdict):
				of++
			}
		}
	}
	if of < 2 {
		return ""
	}
	return fmt.Sprintf("; in %d of %d attempts", missed, of)
}
