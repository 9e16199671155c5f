package mutants

import (
	"cmp"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

// The numbers of trials that a mutant of the virtual lane meets before it is judged: those that are likely to kill it
// are few. Two cores need half a second for eight of them.
const likelyBatch, batch = 8, 32

// needed is the number of trials that must kill a mutant before it meets no more: two while there are likely ones, so
// that a kill seldom hangs on one trial. If no likely trial is left, one is enough.
func needed(likelyLeft bool) int {
	if likelyLeft {
		return 2
	}
	return 1
}

// inOrder returns the trials that a mutant of the virtual lane meets, in batches: first the likely ones, which killed
// it before or measure its formula, then the rest, its own area before the others. Short trials come first.
func inOrder(m mutation.Mutation, w []mutationtest.Kill, trials []trial.Trial) (likely, rest [][]trial.Trial) {
	killed := func(t trial.Trial) bool {
		return slices.ContainsFunc(w, func(c mutationtest.Kill) bool { return c.Trial == t.ID })
	}
	measures := func(t trial.Trial) bool {
		return slices.ContainsFunc(t.Claims, func(c trial.Claim) bool { return c.Formula.ID == m.Formula })
	}
	area, _, _ := strings.Cut(m.Formula, "/")
	near := func(t trial.Trial) bool { return area != "" && strings.HasPrefix(t.ID, area+"/") }
	all := slices.SortedFunc(slices.Values(trials), func(a, b trial.Trial) int {
		return cmp.Or(first(killed(a), killed(b)), first(measures(a), measures(b)), first(near(a), near(b)),
			cmp.Compare(a.Lasts, b.Lasts), cmp.Compare(a.ID, b.ID))
	})
	n := slices.IndexFunc(all, func(t trial.Trial) bool { return !killed(t) && !measures(t) })
	if n < 0 {
		n = len(all)
	}
	return slices.Collect(slices.Chunk(all[:n], likelyBatch)), slices.Collect(slices.Chunk(all[n:], batch))
}
