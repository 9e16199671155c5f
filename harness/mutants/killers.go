package mutants

import (
	"cmp"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	// mostKillers bounds a mutant's trials in the node lane.
	mostKillers = 2
	// mostUnguided bounds those of a mutant that nothing killed in the virtual lane.
	mostUnguided = 24
	// enough killing trials make a long trial, a tuned worker or an unclear kill too costly. enoughGuesses, trials that
	// killed nothing, make a long one too costly.
	enough, enoughGuesses = 1, 2
	// short bounds a killing trial that delays no wave.
	short = time.Minute
	// plainMiss is the least miss of a time that a node shows as well.
	plainMiss = 500 * time.Millisecond
	// plainShare is the least share of a measured time by which it must be late. Delay could explain less.
	plainShare = 0.5
)

type killer struct {
	trial.Trial
	// kill is that of the virtual lane, nil without one.
	kill *mutationtest.Kill
}

func killersOf(p mutationtest.Report) Killers {
	w := Killers{}
	for _, l := range p.Lanes {
		if l.Lane != run.VirtualLane {
			continue
		}
		for _, m := range l.Mutants {
			if len(m.Kills) > 0 {
				w[m.Name] = m.Kills
			}
		}
	}
	return w
}

// choose returns a mutant's trials in the node lane by ID: those that killed it in the virtual lane, clear and cheap
// ones first. A mutant that nothing killed gets more trials, which measure its formula. One that only a check of a
// whole run killed gets all quick ones of them.
func choose(m mutation.Mutation, w Killers, trials []trial.Trial, most int) []trial.Trial {
	all := killing(w[m.Name], trials)
	if len(all) == 0 {
		all, most = measuring(m.Formula, trials), max(most, mostUnguided)
	}
	slices.SortStableFunc(all, killer.compare)
	var chosen []killer
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

func checked(c mutationtest.Kill) bool {
	return c.Trial == run.ValuesCheck || c.Trial == run.ConductCheck
}

func trialsOf(killers []killer) (all []trial.Trial) {
	for _, w := range killers {
		all = append(all, w.Trial)
	}
	return all
}

func killing(kills []mutationtest.Kill, trials []trial.Trial) (all []killer) {
	for _, t := range trials {
		if i := slices.IndexFunc(kills, func(c mutationtest.Kill) bool { return c.Trial == t.ID }); i >= 0 {
			all = append(all, killer{t, &kills[i]})
		}
	}
	return all
}

func measuring(id string, trials []trial.Trial) (all []killer) {
	for _, t := range trials {
		if slices.ContainsFunc(t.Claims, func(c trial.Claim) bool { return c.Formula.ID == id }) {
			all = append(all, killer{t, nil})
		}
	}
	return all
}

// quick returns the quick trials that measure a formula and need no worker of their own. If no trial claims it, each
// trial measures it.
func quick(id string, trials []trial.Trial) (all []killer) {
	if all = measuring(id, trials); len(all) == 0 {
		for _, t := range trials {
			all = append(all, killer{t, nil})
		}
	}
	return slices.DeleteFunc(all, func(w killer) bool { return w.Worker != nil || w.Lasts > trial.QuickBound })
}

// compare puts clear killing trials first, then cheap ones, then those that measure what the mutant breaks.
func (w killer) compare(than killer) int {
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

// dear reports whether a killing trial is not worth its cost beside the chosen ones.
func (w killer) dear(chosen []killer) bool {
	if w.kill == nil { // the tuned worker may be the point
		return len(chosen) >= enoughGuesses && w.long()
	}
	return len(chosen) >= enough && (w.long() || w.Worker != nil) || clearOf(chosen) >= enough && !w.clear()
}

// clearOf returns the number of clear killing trials.
func clearOf(chosen []killer) (n int) {
	for _, c := range chosen {
		if c.clear() {
			n++
		}
	}
	return n
}

func (w killer) long() bool { return w.Lasts > short }
func (w killer) own() bool  { return w.kill != nil && w.kill.Own }

// clear reports whether no delay could hide the kill: a count, a missing time, or one too early or much too late.
func (w killer) clear() bool {
	c := w.kill
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
