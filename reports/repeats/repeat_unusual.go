package repeats

import (
	"cmp"
	"slices"

	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Unusual is a verdict that most repeats of its trial on its kubelet did not come to, or that no clean
// kubelet should come to at all.
type Unusual struct {
	Round   string        `json:"round"`
	Trial   string        `json:"trial"`
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
	// Usual is the verdict of most of the trial's repeats on this kubelet, Times how many of its Repeats
	// had this one instead.
	Usual   trial.Verdict `json:"usual"`
	Times   int           `json:"times"`
	Repeats int           `json:"repeats"`
	// Attempts is how many it took, Reason why it has its verdict.
	Attempts int    `json:"attempts"`
	Reason   string `json:"reason,omitempty"`
}

// unusual are the verdicts that are not the usual ones, the worst first, otherwise by trial and round. A
// deviation or an inconclusive verdict is told even where it is the usual one.
func (r *Repeats) unusual() []Unusual {
	var all []Unusual
	for _, outcomes := range r.outcomes {
		usual, counts := usualOf(outcomes)
		for _, u := range outcomes {
			if u.Verdict != usual || u.Verdict == trial.Deviates || u.Verdict == trial.Inconclusive {
				u.Usual, u.Times, u.Repeats = usual, counts[u.Verdict], len(outcomes)
				all = append(all, u)
			}
		}
	}
	slices.SortFunc(all, func(a, b Unusual) int {
		return cmp.Or(-cmp.Compare(slices.Index(view.Verdicts(), a.Verdict), slices.Index(view.Verdicts(), b.Verdict)),
			cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

// usualOf is the most frequent verdict, the better one of two that are as frequent.
func usualOf(outcomes []Unusual) (usual trial.Verdict, counts map[trial.Verdict]int) {
	counts = map[trial.Verdict]int{}
	for _, u := range outcomes {
		counts[u.Verdict]++
	}
	for _, v := range view.Verdicts() {
		if counts[v] > counts[usual] {
			usual = v
		}
	}
	return usual, counts
}
