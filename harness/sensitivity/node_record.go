package sensitivity

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/trial"
)

// record is the result of one mutation.
type record struct {
	mutation mutation.Mutation
	trials   []trial.Trial
	outcomes []trial.Outcome
	// beside are the references that ran beside the outcomes. A mutated control plane has none.
	beside references
	// broken is why the mutant could not be put under test, trouble why its wave could not play its trials; nil
	// without a reason.
	broken, trouble error
	// build and run are the durations of all its waves together.
	build, run time.Duration
}

// take replaces inconclusive outcomes by those of another wave, with the wave's reference.
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

// open reports whether an outcome shows nothing, because it or its reference is inconclusive.
func (r *record) open(o trial.Outcome) bool {
	t := r.beside[o.Trial]
	return !conclusive(o.Verdict) || t != nil && t.judged == 0
}

// control returns the references to judge each trial by: the reference of the same wave, which had the same delay, else
// all of them. All references decide whether a divergence is always present.
func (r *record) control(all references) references {
	control := maps.Clone(all)
	for id, own := range r.beside {
		one := *own
		if own.judged > 0 {
			one.judged, one.diverge = all[id].judged, all[id].diverge
		}
		control[id] = &one
	}
	return control
}

// again returns the trials that another wave may decide. Delay or a failed boot may be over by then. A reference that
// deviates, or an unsupported trial, will not change.
func (r *record) again(all references) []trial.Trial {
	control := r.control(all)
	return slices.DeleteFunc(slices.Clone(r.trials), func(t trial.Trial) bool {
		i := slices.IndexFunc(r.outcomes, func(o trial.Outcome) bool { return o.Trial == t.ID })
		switch {
		case i < 0:
			return false
		case conclusive(r.outcomes[i].Verdict):
			return control.judges(t.ID)
		}
		return r.outcomes[i].Verdict == trial.Unsupported
	})
}

func (r *record) judge(version string, all references) detection.Mutant {
	m := judgeMutant(r.mutation, version, r.outcomes, r.control(all))
	switch {
	case r.broken != nil:
		m = failed(m, r.broken)
	case len(r.trials) == 0 && m.Unmeasured != "":
		m.Verdict, m.Why = detection.Survived, m.Unmeasured
	case len(r.trials) == 0:
		m.Why = fmt.Sprintf("no trial measures %s", r.mutation.Formula)
		if r.mutation.Formula == "" {
			m.Why = "the mutation names no formula, and nothing caught it in the virtual lane: no trial is known to " +
				"be of use"
		}
	case m.Verdict == detection.Undecided && r.trouble != nil:
		m.Why = r.trouble.Error()
	case m.Verdict == detection.Undecided && m.Why == neverRan && len(r.outcomes) > 0:
		m.Why = fmt.Sprintf("neither it nor its control could be judged, by %s for one: %s", r.outcomes[0].Trial,
			why(r.outcomes[0]))
	}
	m.Build, m.Run = r.build, r.run
	return m
}

// of returns the outcomes of a subject.
func of(subject string, outcomes []trial.Outcome) []trial.Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o trial.Outcome) bool { return o.Subject != subject })
}
