package mutants

import (
	"context"
	"io"
	"runtime"
	"time"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

// fuzzScenarios is the number of random scenarios for each survivor. They take two minutes on two cores.
const fuzzScenarios = 2000

// fuzz runs the scenarios of the first seeds on a mutant, and ends with the first violation.
func (h host) fuzz(ctx context.Context, s kubelets.Subject, ran func(scenarios, kinds int)) mutationtest.Fuzz {
	p, err := h.build(ctx, s, io.Discard)
	if err != nil {
		return mutationtest.Fuzz{Problem: err.Error()}
	}
	report := fuzz.Campaign{
		Runner: fuzz.Node{Name: s.String(), Binary: p.binary.Path, Env: p.binary.Env},
		Seed:   1, Scenarios: fuzzScenarios, AtOnce: runtime.NumCPU(), Kinds: 1, Shrinking: time.Minute, Ran: ran,
	}.Run(ctx)
	found := mutationtest.Fuzz{Scenarios: report.Scenarios, Violations: report.Kinds()}
	if err := h.discard(p); err != nil {
		found.Problem = err.Error()
	}
	return found
}
