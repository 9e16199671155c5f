package mutants

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

type record struct {
	mutation mutation.Mutation
	trials   []trial.Trial
	outcomes []trial.Outcome
	// beside are the references of the same waves. A mutated control plane has none.
	beside references
	// broken is why the mutant could not be put under test, trouble why its wave could not play.
	broken, trouble error
	build, run      time.Duration
}

// take adds outcomes and replaces inconclusive ones, with their wave's reference.
func (r *record) take(outcomes []trial.Outcome, beside references) {
	if r.beside == nil {
		r.beside = references{}
	}
	for _, o := range outcomes {
		i := slices.IndexFunc(r.outcomes, func(before trial.Outcome) bool { return before.Trial == o.Trial })
		switch {
		case i < 0:
			r.outcomes = append(r.outcomes, o)
		case r.open(r.outcomes[i]):
			r.outcomes[i] = o
		default:
			continue
		}
		delete(r.beside, o.Trial)
		if t := beside[o.Trial]; t != nil {
			r.beside[o.Trial] = t
		}
	}
}

func (r *record) open(o trial.Outcome) bool {
	t := r.beside[o.Trial]
	return !run.Conclusive(o.Verdict) || t != nil && t.judged == 0
}

// judgedBy returns the reference of each trial: that of the same wave, which had the same delay, else all. A reference
// that could not be judged says nothing. All references decide whether a divergence is always present.
func (r *record) judgedBy(all references) references {
	merged := maps.Clone(all)
	for id, own := range r.beside {
		if own.judged > 0 {
			one := *own
			one.judged, one.diverge = all[id].judged, all[id].diverge
			merged[id] = &one
		}
	}
	return merged
}

// again returns the trials that another wave may decide. A deviating reference or an unsupported trial will not change.
func (r *record) again(all references) []trial.Trial {
	merged := r.judgedBy(all)
	return slices.DeleteFunc(slices.Clone(r.trials), func(t trial.Trial) bool {
		i := slices.IndexFunc(r.outcomes, func(o trial.Outcome) bool { return o.Trial == t.ID })
		switch {
		case i < 0:
			return false
		case run.Conclusive(r.outcomes[i].Verdict):
			return merged.judges(t.ID)
		}
		return r.outcomes[i].Verdict == trial.Unsupported
	})
}

func (r *record) judge(version string, all references) mutationtest.Mutant {
	merged := r.judgedBy(all)
	m := judgeMutant(r.mutation, version, r.outcomes, merged)
	switch {
	case r.broken != nil:
		m = failed(m, r.broken)
	case len(r.trials) == 0:
		m.Why = fmt.Sprintf("no trial measures %s", r.mutation.Formula)
		if r.mutation.Formula == "" {
			m.Why = "the mutation names no formula, and nothing killed it in the virtual lane: no trial is known to " +
				"be of use"
		}
	case m.Verdict == mutationtest.Undecided && r.trouble != nil:
		m.Why = r.trouble.Error()
	case m.Verdict == mutationtest.Undecided && unplayed(m) && len(r.outcomes) > 0:
		m.Why = fmt.Sprintf("neither it nor its reference could be judged, by %s for one: %s", r.outcomes[0].Trial,
			why(r.outcomes[0]))
	default:
		m = r.settle(m, merged)
	}
	m.Build, m.Run = r.build, r.run
	return m
}

// settle lets a mutant survive only if one of its trials was judged on it and on the reference. The checks of a whole
// run are judged on a busy node as well, but they need none of these trials.
func (r *record) settle(m mutationtest.Mutant, all references) mutationtest.Mutant {
	met := slices.ContainsFunc(r.outcomes, func(o trial.Outcome) bool {
		return !run.IsCheck(o) && all.judges(o.Trial) && run.Conclusive(o.Verdict)
	})
	if m.Verdict == mutationtest.Survived && !met {
		m.Verdict, m.Why = mutationtest.Undecided, "none of its trials was judged on it and on the reference"
	}
	return m
}

func of(subject string, outcomes []trial.Outcome) []trial.Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o trial.Outcome) bool { return o.Subject != subject })
}
