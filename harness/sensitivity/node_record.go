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

// record is what came of one mutation.
type record struct {
	mutation mutation.Mutation
	trials   []trial.Trial
	outcomes []trial.Outcome
	// beside are the controls that ran beside the outcomes; a trial of a mutated control plane has none.
	beside references
	// broken is why it could not be put under test, trouble what kept its wave from its trials; nil where nothing did.
	broken, trouble error
	// build and run are how long it took, all its waves together.
	build, run time.Duration
}

// take puts a wave's outcomes, with what its control has of the same trials, in the place of those that say nothing.
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

// open says whether an outcome says nothing, as it came to no verdict, or the control beside it to none.
func (r *record) open(o trial.Outcome) bool {
	t := r.beside[o.Trial]
	return !conclusive(o.Verdict) || t != nil && t.judged == 0
}

// control is what the released code says of each trial beside the outcomes: the control of the same wave,
// which had the same noise, where there was one, else all of them. Whether a divergence is always there,
// all of them say.
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

// again are the trials that another wave may say more of. A node's noise, or what kept a cluster from
// booting, may be over then; a control that deviates says something of the trial, and what a node can't
// have it has not the next time, either.
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
			m.Why = "the mutation names no formula, and nothing caught it in the virtual lane: no trial is known to be of use"
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

// undecided are the mutants that ran and could not be judged, or never ran, each with the trials that may
// say more the next time.
func (p *nodeProof) undecided() (again []candidate) {
	for _, m := range p.lane.Mutants {
		r := p.met[m.Name]
		if trials := r.again(p.references); m.Verdict == detection.Undecided && len(trials) > 0 {
			again = append(again, candidate{r.mutation, trials})
		}
	}
	return again
}

// failure is a wave that was kept from its trials.
type failure struct {
	what string
	// mutants are the names of those that were in it, control are its control's trials.
	mutants []string
	control []trial.Trial
}

// settleFailures makes a note of each failure that kept no mutant from being judged in the end. The others
// stay problems of the lane.
func (p *nodeProof) settleFailures() {
	for _, f := range p.failures {
		if p.lastsOn(f) {
			continue
		}
		p.lane.Problems = slices.DeleteFunc(p.lane.Problems, func(problem string) bool { return problem == f.what })
		p.lane.Notes = append(p.lane.Notes, f.what+"; all that it was for was judged nevertheless")
	}
}

// lastsOn says whether something that was in a failed wave is not judged yet.
func (p *nodeProof) lastsOn(f failure) bool {
	if len(f.mutants) == 0 {
		return p.needed(f.control)
	}
	return slices.ContainsFunc(p.lane.Mutants, func(m detection.Mutant) bool {
		return m.Verdict == detection.Undecided && slices.Contains(f.mutants, m.Name)
	})
}
