package mutants

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
)

type candidate struct {
	mutation mutation.Mutation
	trials   []trial.Trial
}

// wave shares one cluster: mutants, one after another on the workers of a pool, beside a reference.
type wave struct {
	candidates []candidate
	// pool is the number of those workers: one if the mutants change the control plane. spares are the reference's.
	pool, spares int
	// beside are the reference's trials by ID: all of the mutants'. A mutated control plane has none beside it.
	beside []trial.Trial
}

// room bounds the nodes of one cluster, and the trials and mutants of one wave.
type room struct {
	workers, trials, mutants int
}

// plan puts every mutant into one wave. It groups by duration, then by workers and trials, so that the reference needs
// few. A mutant that exceeds the room is alone with its reference. The mutants of a component of the control plane come
// at the end; a reference of another wave meets their trials.
func plan(candidates []candidate, r room) []wave {
	var waves, own []wave
	var beside []trial.Trial
	for _, c := range slices.SortedStableFunc(slices.Values(candidates), candidate.compare) {
		switch {
		case len(c.trials) == 0:
		case c.mutation.Component == mutation.Kubelet:
			waves = filled(waves, c, r)
		default:
			own = filled(own, c, r)
			beside = byID(slices.Concat(beside, c.trials))
		}
	}
	waves = slices.Concat(withReferences(waves, beside, r), own)
	for i, w := range waves {
		pool := 1
		if len(w.beside) > 0 {
			pool = max(1, r.workers-w.settled())
		}
		waves[i].pool = min(len(w.candidates), pool)
		waves[i].spares = min(w.useful(), max(1, r.workers-1-waves[i].pool))
	}
	return waves
}

// filled adds a mutant to the last wave, or to a new one if that has no room or mutants of another component.
func filled(waves []wave, c candidate, r room) []wave {
	if last := len(waves) - 1; last >= 0 && waves[last].candidates[0].mutation.Component == c.mutation.Component {
		if with := waves[last].with(c); with.fits(r) {
			waves[last] = with
			return waves
		}
	}
	return append(waves, wave{}.with(c))
}

// withReferences puts each trial on some wave's reference: the last wave that has room and does not become longer, else
// a new wave.
func withReferences(waves []wave, trials []trial.Trial, r room) []wave {
	var left []trial.Trial
	for _, t := range trials {
		if slices.ContainsFunc(waves, func(w wave) bool { return w.hasReference(t.ID) }) {
			continue
		}
		taken := false
		for i := len(waves) - 1; i >= 0 && !taken; i-- {
			with := wave{candidates: waves[i].candidates, beside: byID(append(slices.Clone(waves[i].beside), t))}
			if taken = with.fits(r) && with.lasts() == waves[i].lasts(); taken {
				waves[i] = with
			}
		}
		if !taken {
			left = append(left, t)
		}
	}
	if len(left) > 0 {
		waves = append(waves, wave{beside: left})
	}
	return waves
}

func (w wave) with(c candidate) wave {
	w.candidates = append(slices.Clone(w.candidates), c)
	if c.mutation.Component == mutation.Kubelet {
		w.beside = byID(slices.Concat(w.beside, c.trials))
	}
	return w
}

func (w wave) fits(r room) bool {
	return w.settled() < r.workers && w.trials() <= r.trials && len(w.candidates) <= r.mutants
}

func (w wave) hasReference(id string) bool {
	return slices.ContainsFunc(w.beside, func(t trial.Trial) bool { return t.ID == id })
}

func (w wave) groups() [][]trial.Trial {
	var all [][]trial.Trial
	if len(w.beside) > 0 {
		all = append(all, w.beside)
	}
	for _, c := range w.candidates {
		all = append(all, c.trials)
	}
	return all
}

func (w wave) workers() int { return min(1, len(w.beside)) + w.spares + w.pool }

// settled returns the least number of the reference's workers, which are outside the pool: it has one spare if it
// needs any. More would idle.
func (w wave) settled() int { return min(1, len(w.beside)) + min(1, w.useful()) }

func (w wave) useful() int { return session.Spares(selections(w.beside, ""), "", 0) }

func (w wave) trials() int {
	n := 0
	for _, trials := range w.groups() {
		n += len(trials)
	}
	return n
}

func (w wave) lasts() time.Duration {
	longest := time.Duration(0)
	for _, trials := range w.groups() {
		longest = max(longest, lasts(trials))
	}
	return longest
}

// lasts returns how long one subject's trials should take: all at once, except those that need a tuned worker alone.
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

func selections(trials []trial.Trial, subject string) []runner.Selection {
	var all []runner.Selection
	for _, t := range trials {
		all = append(all, runner.Selection{Trial: t, Subject: subject})
	}
	return all
}

var paces = []time.Duration{time.Minute, 3 * time.Minute, 6 * time.Minute, 12 * time.Minute}

func (c candidate) pace() int {
	i, _ := slices.BinarySearch(paces, lasts(c.trials))
	return i
}

// compare puts short mutants first, so that a lane with little time judges many, and those with the same workers and
// trials together, so that their reference has few.
func (c candidate) compare(than candidate) int {
	return cmp.Or(cmp.Compare(c.mutation.Component, than.mutation.Component),
		cmp.Compare(c.pace(), than.pace()), cmp.Compare(c.needs(), than.needs()),
		slices.CompareFunc(c.trials, than.trials, func(a, b trial.Trial) int { return cmp.Compare(a.ID, b.ID) }))
}

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
