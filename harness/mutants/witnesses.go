package sensitivity

import (
	"cmp"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
)

const (
	// mostWitnesses bounds a mutant's trials in the node lane.
	mostWitnesses = 2
	// mostUnguided bounds those of a mutant that nothing caught in the virtual lane.
	mostUnguided = 24
	// enough witnesses make a long trial, a tuned worker or an unclear catch too costly. enoughGuesses, trials that
	// caught nothing, make a long one too costly.
	enough, enoughGuesses = 1, 2
	// short bounds a witness that delays no wave.
	short = time.Minute
	// plainMiss is the least miss of a time that a node shows as well.
	plainMiss = 500 * time.Millisecond
	// plainShare is the least share of a measured time by which it must be late. Delay could explain less.
	plainShare = 0.5
)

type witness struct {
	trial.Trial
	// catch is that of the virtual lane, nil without one.
	catch *detection.Catch
}

func witnessesOf(p detection.Report) Witnesses {
	w := Witnesses{}
	for _, l := range p.Lanes {
		if l.Lane != run.VirtualLane {
			continue
		}
		for _, m := range l.Mutants {
			if len(m.Catches) > 0 {
				w[m.Name] = m.Catches
			}
		}
	}
	return w
}

// choose returns a mutant's trials in the node lane by ID: those that caught it in the virtual lane, clear and cheap
// ones first. A mutant that nothing caught gets more trials, which measure its formula. One that only a check of a
// whole run caught gets all quick ones of them.
func choose(m mutation.Mutation, w Witnesses, trials []trial.Trial, most int) []trial.Trial {
	all := catching(w[m.Name], trials)
	if len(all) == 0 {
		all, most = measuring(m.Formula, trials), max(most, mostUnguided)
	}
	slices.SortStableFunc(all, witness.compare)
	var chosen []witness
	for _, candidate := range all {
		if len(chosen) == most || candidate.dear(chosen) {
			break
		}
		chosen = append(chosen, candidate)
	}
	if clearOf(chosen) < enough && slices.ContainsFunc(w[m.Name], checked) {
		chosen = append(chosen, quick(m.Formula, trials)...)
	}
	return byID(trialsOf(chosen))
}

func checked(c detection.Catch) bool {
	return c.Trial == run.ValuesCheck || c.Trial == run.ConductCheck
}

func trialsOf(witnesses []witness) (all []trial.Trial) {
	for _, w := range witnesses {
		all = append(all, w.Trial)
	}
	return all
}

func catching(catches []detection.Catch, trials []trial.Trial) (all []witness) {
	for _, t := range trials {
		if i := slices.IndexFunc(catches, func(c detection.Catch) bool { return c.Trial == t.ID }); i >= 0 {
			all = append(all, witness{t, &catches[i]})
		}
	}
	return all
}

func measuring(id string, trials []trial.Trial) (all []witness) {
	for _, t := range trials {
		if slices.ContainsFunc(t.Claims, func(c trial.Claim) bool { return c.Formula.ID == id }) {
			all = append(all, witness{t, nil})
		}
	}
	return all
}

// quick returns the quick trials that measure a formula and need no worker of their own. If no trial claims it, each
// trial measures it.
func quick(id string, trials []trial.Trial) (all []witness) {
	claimed := measuring(id, trials)
	for _, t := range trials {
		measures := func(w witness) bool { return w.ID == t.ID }
		if t.Worker == nil && t.Lasts <= session.QuickBound &&
			(len(claimed) == 0 || slices.ContainsFunc(claimed, measures)) {
			all = append(all, witness{t, nil})
		}
	}
	return all
}

// compare puts clear witnesses first, then cheap ones, then those that measure what the mutant breaks.
func (w witness) compare(than witness) int {
	return cmp.Or(first(w.clear(), than.clear()), first(!w.long(), !than.long()),
		first(w.Worker == nil, than.Worker == nil), first(w.own(), than.own()), cmp.Compare(w.Lasts, than.Lasts),
		cmp.Compare(w.ID, than.ID))
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// dear reports whether a witness is not worth its cost beside the chosen ones.
func (w witness) dear(chosen []witness) bool {
	if w.catch == nil { // the tuned worker may be the point
		return len(chosen) >= enoughGuesses && w.long()
	}
	return len(chosen) >= enough && (w.long() || w.Worker != nil) || clearOf(chosen) >= enough && !w.clear()
}

// clearOf returns the number of clear witnesses.
func clearOf(chosen []witness) (n int) {
	for _, c := range chosen {
		if c.clear() {
			n++
		}
	}
	return n
}

func (w witness) long() bool { return w.Lasts > short }
func (w witness) own() bool  { return w.catch != nil && w.catch.Own }

// clear reports whether no delay could hide the catch: a count, a missing time, or one too early or much too late.
func (w witness) clear() bool {
	c := w.catch
	switch {
	case c == nil, c.Measured == nil, c.Verdict == trial.Conforms, c.Window.Unit != formula.Nanoseconds:
		return true
	case time.Duration(abs(c.Miss)) < plainMiss:
		return false
	}
	return c.Miss < 0 || float64(c.Miss) >= plainShare*float64(*c.Measured)
}

func abs(n int64) int64 { return max(n, -n) }

func byID(trials []trial.Trial) []trial.Trial {
	slices.SortFunc(trials, func(a, b trial.Trial) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(trials, func(a, b trial.Trial) bool { return a.ID == b.ID })
}
