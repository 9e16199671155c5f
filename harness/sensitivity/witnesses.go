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
	// mostWitnesses is the most trials that a mutant meets in the node lane.
	mostWitnesses = 4
	// mostUnguided is the most trials for a mutant that nothing caught in the virtual lane: those of its formula.
	mostUnguided = 24
	// enough is the number of witnesses after which a long trial, a tuned worker or an unclear catch is not worth its
	// cost.
	enough = 2
	// short is the longest duration of a witness that delays no wave.
	short = time.Minute
	// plainMiss is how far outside its window a time must be, so that a node shows the miss as well.
	plainMiss = 500 * time.Millisecond
	// plainShare is the least share of a measured time by which it must be late. Delay of that much could explain a
	// smaller miss, which would be inconclusive: in a large cluster some task waits for a core for much of the time.
	plainShare = 0.5
)

// witness is a trial that may catch a mutant in the node lane.
type witness struct {
	trial.Trial
	// catch is the catch in the virtual lane, nil if there was none.
	catch *detection.Catch
}

// loadWitnesses returns those of a saved sensitivity run of this version.
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

// witnessesOf returns the catches of the virtual lane by mutant.
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

// choose returns the trials that a mutant meets in the node lane, in the order of their IDs: those that caught it in
// the virtual lane, clear and cheap ones first. A mutant that nothing caught gets more trials, which measure its
// formula.
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

// catching returns the trials that caught a mutant.
func catching(catches []detection.Catch, trials []trial.Trial) (all []witness) {
	for _, t := range trials {
		if i := slices.IndexFunc(catches, func(c detection.Catch) bool { return c.Trial == t.ID }); i >= 0 {
			all = append(all, witness{t, &catches[i]})
		}
	}
	return all
}

// measuring returns the trials with a claim of a formula.
func measuring(id string, trials []trial.Trial) (all []witness) {
	for _, t := range trials {
		if slices.ContainsFunc(t.Claims, func(c trial.Claim) bool { return c.Formula.ID == id }) {
			all = append(all, witness{t, nil})
		}
	}
	return all
}

// compare orders witnesses: clear ones first, then cheap ones, then those that measure what the mutant breaks.
func (w witness) compare(than witness) int {
	return cmp.Or(first(w.clear(), than.clear()), first(!w.long(), !than.long()),
		first(w.Worker == nil, than.Worker == nil), first(w.own(), than.own()), cmp.Compare(w.Lasts, than.Lasts),
		cmp.Compare(w.ID, than.ID))
}

// first orders true before false.
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

// clear reports whether no delay of a node could hide the catch: a different count, a time that is too early or much
// too late, or a missing one.
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

// byID sorts trials by their IDs and removes duplicates.
func byID(trials []trial.Trial) []trial.Trial {
	slices.SortFunc(trials, func(a, b trial.Trial) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(trials, func(a, b trial.Trial) bool { return a.ID == b.ID })
}
