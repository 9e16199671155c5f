package sensitivity

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

const (
	// mostWitnesses is how many trials a mutant meets at most in the node lane.
	mostWitnesses = 4
	// mostUnguided is how many it meets of which nobody knows what catches it, as nothing did in the
	// virtual lane: all of its formula's that are not too many.
	mostUnguided = 24
	// enough is how many witnesses are worth a long trial, a tuned worker or a catch that noise could hide.
	enough = 2
	// short is how long a witness lasts that holds no wave up.
	short = time.Minute
	// plainMiss is how far outside its window a time must be, to be seen on a node as well, whatever the
	// node adds to it or takes from it.
	plainMiss = 500 * time.Millisecond
	// plainShare is the least share of a time by which it must be too late. A node that keeps work waiting
	// for as much of that time could be the reason, and such a miss is inconclusive: in a cluster of many
	// workers some task waits for a core for a good part of the time.
	plainShare = 0.5
)

// witness is a trial that may catch a mutant in the node lane.
type witness struct {
	trial.Trial
	// catch is what it caught the mutant by in the virtual lane, nil where it did not.
	catch *detection.Catch
}

// loadWitnesses are those of a saved proof of the version.
func loadWitnesses(path, version string) (Witnesses, error) {
	saved, err := detection.Load(path)
	if err != nil {
		return nil, err
	}
	isVirtual := func(l detection.LaneReport) bool { return l.Lane == run.VirtualLane }
	switch {
	case saved.Version != version:
		return nil, fmt.Errorf("the witnesses of proof %s are those of %s: name a proof of %s", saved.ID, saved.Version,
			version)
	case !slices.ContainsFunc(saved.Lanes, isVirtual):
		return nil, fmt.Errorf("proof %s has no virtual lane, so it names no witnesses: name one that has", saved.ID)
	}
	return witnessesOf(saved), nil
}

// witnessesOf are what the virtual lane of a proof says of each mutant that it caught.
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

// choose picks the trials that a mutant meets in the node lane, in the order of their IDs: those that
// caught it in the virtual lane, the cheapest of the clear ones first. One that nothing caught there,
// whether it was there or not, gets more: as many of the trials that measure its formula as are worth a
// guess.
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
	return byID(trialsOf(chosen))
}

func trialsOf(witnesses []witness) (all []trial.Trial) {
	for _, w := range witnesses {
		all = append(all, w.Trial)
	}
	return all
}

// catching are the trials that caught a mutant.
func catching(catches []detection.Catch, trials []trial.Trial) (all []witness) {
	for _, t := range trials {
		if i := slices.IndexFunc(catches, func(c detection.Catch) bool { return c.Trial == t.ID }); i >= 0 {
			all = append(all, witness{t, &catches[i]})
		}
	}
	return all
}

// measuring are the trials with a claim of a formula.
func measuring(id string, trials []trial.Trial) (all []witness) {
	for _, t := range trials {
		if slices.ContainsFunc(t.Claims, func(c trial.Claim) bool { return c.Formula.ID == id }) {
			all = append(all, witness{t, nil})
		}
	}
	return all
}

// compare orders witnesses: the clear ones first, of those the cheap ones, and of those the ones that catch
// a mutant by what it breaks.
func (w witness) compare(than witness) int {
	return cmp.Or(first(w.clear(), than.clear()), first(!w.long(), !than.long()),
		first(w.Worker == nil, than.Worker == nil), first(w.own(), than.own()), cmp.Compare(w.Lasts, than.Lasts),
		cmp.Compare(w.ID, than.ID))
}

// first orders what is true before what is false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// dear says that a witness is not worth its price beside those that are chosen.
func (w witness) dear(chosen []witness) bool {
	plain := 0
	for _, c := range chosen {
		if c.clear() {
			plain++
		}
	}
	tuned := w.Worker != nil && w.catch != nil // of what nobody knows, the tuned worker may be the point
	return len(chosen) >= enough && (w.long() || tuned) || plain >= enough && !w.clear()
}

func (w witness) long() bool { return w.Lasts > short }
func (w witness) own() bool  { return w.catch != nil && w.catch.Own }

// clear says that no noise of a node could hide what is to be seen: a count is another one, a time too
// early, or too late by a good part of itself, or it never came at all.
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

// byID puts trials in the order of their IDs, each once.
func byID(trials []trial.Trial) []trial.Trial {
	slices.SortFunc(trials, func(a, b trial.Trial) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(trials, func(a, b trial.Trial) bool { return a.ID == b.ID })
}
