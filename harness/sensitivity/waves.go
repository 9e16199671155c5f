package sensitivity

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// candidate is a mutant and the trials that it is to meet.
type candidate struct {
	mutation mutation.Mutation
	trials   []trial.Trial
}

// wave is what shares one cluster: mutants on workers of their own, and a clean control that meets whatever
// any of them meets.
type wave struct {
	candidates []candidate
	// control are the control's trials, in the order of their IDs; none in the run of a mutated control
	// plane, beside which nothing is clean.
	control []trial.Trial
}

// room is what one cluster may have.
type room struct {
	// workers are all subjects' nodes, spare ones too. trials are all subjects' trials.
	workers, trials int
}

// plan puts every mutant into one wave. Those whose trials last alike are together, so that a long trial
// holds up few others, and of these the ones that need the same workers, as the control then needs the
// fewest. A mutated control plane is in a run of its own, after the others: the control that its trials
// need is that of one of the waves. A mutant that needs more than there is room for is alone with its
// control.
func plan(candidates []candidate, r room) []wave {
	var waves, own []wave
	var beside []trial.Trial
	var kubelets []candidate
	for _, c := range candidates {
		switch {
		case len(c.trials) == 0:
		case c.mutation.Component == mutation.Kubelet:
			kubelets = append(kubelets, c)
		default:
			own = append(own, wave{candidates: []candidate{c}})
			beside = byID(slices.Concat(beside, c.trials))
		}
	}
	slices.SortStableFunc(kubelets, candidate.compare)
	var w wave
	for _, c := range kubelets {
		if with := w.with(c); len(w.candidates) == 0 || with.fits(r) {
			w = with
			continue
		}
		waves = append(waves, w)
		w = wave{}.with(c)
	}
	if len(w.candidates) > 0 {
		waves = append(waves, w)
	}
	return slices.Concat(withControls(waves, beside, r), own)
}

// withControls has some wave's control meet each of the trials: the last one, which is the shortest, that
// has room and is not made longer, else one of its own.
func withControls(waves []wave, trials []trial.Trial, r room) []wave {
	var left []trial.Trial
	for _, t := range trials {
		if slices.ContainsFunc(waves, func(w wave) bool { return w.controls(t.ID) }) {
			continue
		}
		taken := false
		for i := len(waves) - 1; i >= 0 && !taken; i-- {
			with := wave{waves[i].candidates, byID(append(slices.Clone(waves[i].control), t))}
			if taken = with.fits(r) && with.lasts() == waves[i].lasts(); taken {
				waves[i] = with
			}
		}
		if !taken {
			left = append(left, t)
		}
	}
	if len(left) > 0 {
		waves = append(waves, wave{control: left})
	}
	return waves
}

// with is the wave with one more mutant.
func (w wave) with(c candidate) wave {
	return wave{append(slices.Clone(w.candidates), c), byID(slices.Concat(w.control, c.trials))}
}

func (w wave) fits(r room) bool { return w.workers() <= r.workers && w.trials() <= r.trials }

func (w wave) controls(id string) bool {
	return slices.ContainsFunc(w.control, func(t trial.Trial) bool { return t.ID == id })
}

// groups are the trials of each subject.
func (w wave) groups() [][]trial.Trial {
	var all [][]trial.Trial
	if len(w.control) > 0 {
		all = append(all, w.control)
	}
	for _, c := range w.candidates {
		all = append(all, c.trials)
	}
	return all
}

// workers is how many nodes the wave's subjects get.
func (w wave) workers() int {
	n := 0
	for _, trials := range w.groups() {
		n += 1 + session.Spares(selections(trials, ""), "")
	}
	return n
}

// trials is how many trials the wave's subjects meet, all together.
func (w wave) trials() int {
	n := 0
	for _, trials := range w.groups() {
		n += len(trials)
	}
	return n
}

// lasts is how long the trials of the wave should take.
func (w wave) lasts() time.Duration {
	longest := time.Duration(0)
	for _, trials := range w.groups() {
		longest = max(longest, lasts(trials))
	}
	return longest
}

// lasts is how long one subject's trials should take, all of them at once, but for those that disturb each
// other on a worker of theirs.
func lasts(trials []trial.Trial) time.Duration {
	longest, alone := time.Duration(0), map[string]time.Duration{}
	for _, t := range trials {
		longest = max(longest, t.Lasts)
		if t.Worker != nil && t.Worker.Alone {
			alone[t.Worker.Name] += t.Lasts
			longest = max(longest, alone[t.Worker.Name])
		}
	}
	return longest
}

// selections are trials on a subject.
func selections(trials []trial.Trial, subject string) []stage.Selection {
	var all []stage.Selection
	for _, t := range trials {
		all = append(all, stage.Selection{Trial: t, Subject: subject})
	}
	return all
}

// paces are the lengths by which mutants are put together: one that lasts half a minute may as well wait
// for one that lasts a whole.
var paces = []time.Duration{time.Minute, 3 * time.Minute, 6 * time.Minute, 12 * time.Minute}

// pace is the number of the pace of a mutant's trials.
func (c candidate) pace() int {
	i, _ := slices.BinarySearch(paces, lasts(c.trials))
	return i
}

// compare orders mutants for their waves: the longest first, and those that need the same workers together.
func (c candidate) compare(than candidate) int {
	return cmp.Or(cmp.Compare(than.pace(), c.pace()), cmp.Compare(c.needs(), than.needs()))
}

// needs names the configurations of workers that a mutant's trials need.
func (c candidate) needs() string {
	var names []string
	for _, t := range c.trials {
		if t.Worker != nil {
			names = append(names, t.Worker.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
