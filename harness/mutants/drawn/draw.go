package drawn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

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
		r.Mutants = append(r.Mutants, choose(reached, seed, o.Count)...)
	}
	for i := range r.Mutants {
		r.Mutants[i].name = fmt.Sprintf("m%d", i)
	}
	return nil
}

// choose returns so many of all by the seed.
func choose(all []Mutant, seed uint64, count int) []Mutant {
	byRank := func(a, b Mutant) int { return cmp.Compare(a.rank(seed), b.rank(seed)) }
	all = slices.SortedFunc(slices.Values(all), byRank)[:min(count, len(all))]
	for i := range all {
		all[i].Seed = seed
	}
	return all
}

// rank is the mutant's place in the draw of a seed. It depends on nothing but the mutant, so that a draw changes little
// when trials reach more code.
func (m Mutant) rank(seed uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s:%d:%d %s %s", seed, m.File, m.Line, m.Column, m.Operator, m.Other))
	return binary.BigEndian.Uint64(sum[:])
}
