package drawn

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/podclock/podclock/harness/kubelets/operator"
	"github.com/podclock/podclock/harness/reach"
)

// draw returns so many of all reached mutants by the seed.
func (o Options) draw(ctx context.Context, r *Report) error {
	var reached []Mutant
	source := reach.Sources(ctx, o.Reach.Version)
	for _, f := range o.Reach.Files {
		text, err := source(f.Name)
		if err != nil {
			return err
		}
		all, err := operator.Mutants(text)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		r.Made += len(all)
		for _, m := range all {
			block, ok := f.At(m.Line, m.Column)
			if !ok || !block.Reached() {
				continue
			}
			reached = append(reached, Mutant{
				File: f.Name, Within: m.Within, Line: m.Line, Column: m.Column, Operator: m.Operator,
				Now: m.Now, Other: m.Other, Executing: len(block.Trials), from: m.From, to: m.To, trials: block.Trials,
				idle: m.Because, code: code(text, m.From),
			})
		}
	}
	for _, name := range unknown(o.Reach) {
		const format = "%s of harness/mutants/drawn/equivalent.go is no function of %s\n"
		_, _ = fmt.Fprintf(o.Log, format, name, o.Reach.Version)
	}
	r.Reached = len(reached)
	for _, seed := range o.Seeds {
		random := rand.New(rand.NewPCG(seed, 0))
		for _, i := range random.Perm(len(reached))[:min(o.Count, len(reached))] {
			m := reached[i]
			m.Seed = seed
			r.Mutants = append(r.Mutants, m)
		}
	}
	for i := range r.Mutants {
		r.Mutants[i].name = fmt.Sprintf("m%d", i)
	}
	return nil
}
