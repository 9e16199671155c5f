package markdown

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/mutants/drawn"
	"github.com/podclock/podclock/harness/reach"
)

func TestReachListsWhatIsNotExecuted(t *testing.T) {
	g := NewWithT(t)
	m := reach.Map{Version: "v1.37.2", Trials: []string{"a", "b"}, Files: []reach.File{
		{Name: "k8s.io/kubernetes/pkg/kubelet/prober/worker.go", Functions: []reach.Function{
			{Name: "worker.run", Blocks: []reach.Block{{Line: 5, EndLine: 6, Statements: 2, Trials: []int{0}}}},
			{Name: "worker.stop", Blocks: []reach.Block{
				{Line: 10, EndLine: 12, Statements: 1, Trials: []int{1}},
				{Line: 12, EndLine: 14, Statements: 3, Excuse: reach.Unobserved, Because: "a metric counts it"},
				{Line: 14, EndLine: 15, Statements: 3, Excuse: reach.Unobserved, Because: "a metric counts it"},
				{Line: 16, EndLine: 16, Statements: 1}, {Line: 17, EndLine: 19, Statements: 1},
			}},
		}},
		{Name: "k8s.io/client-go/util/flowcontrol/backoff.go", Functions: []reach.Function{
			{Name: "Backoff.Next", Blocks: []reach.Block{{Line: 5, EndLine: 6, Statements: 2, Trials: []int{0, 1}}}},
		}},
	}}
	var b strings.Builder
	g.Expect(Reach(&b, m)).To(Succeed())
	g.Expect(b.String()).To(Equal(`# Which code of Kubernetes the trials execute

2 trials on a virtual node of v1.37.2 execute 5 of 13 statements of the code that decides how pods die and restart. ` +
		"6 more are excused: 84.6 % together." + `

| file | statements | reached | excused | open |
|---|---:|---:|---:|---:|
` + "| `kubelet/prober/worker.go` | 11 | 3 | 6 | 2 |" + `
` + "| `k8s.io/client-go/util/flowcontrol/backoff.go` | 2 | 2 | 0 | 0 |" + `

` + "## `kubelet/prober/worker.go`" + `

` + "- `worker.stop`, 1 of 9 reached; nothing outside the kubelet shows it: a metric counts it; " +
		"**open:** 16, 17–19" + `
`))
}

func TestDrawnStatesTheScoreAndWhatLives(t *testing.T) {
	g := NewWithT(t)
	mutant := func(s drawn.Status, line int) drawn.Mutant {
		return drawn.Mutant{
			Seed: 7, File: "k8s.io/kubernetes/pkg/kubelet/prober/worker.go", Within: "worker.run", Line: line,
			Operator: "condition negated", Now: "a |\n\tb", Other: "!(a | b)", Status: s, Played: 4, Executing: 9,
			Difference: "probes/x: missing cri StopContainer",
		}
	}
	var b strings.Builder
	g.Expect(Drawn(&b, drawn.Report{Version: "v1.37.2", Seeds: []uint64{7}, Made: 20, Reached: 10,
		Mutants: []drawn.Mutant{
			mutant(drawn.Killed, 1), mutant(drawn.Different, 9), mutant(drawn.Different, 3), mutant(drawn.Invalid, 2),
			mutant(drawn.Equivalent, 5),
		}})).
		To(Succeed())
	text := b.String()
	g.Expect(text).
		To(HavePrefix("5 mutants of the 10 in code that a trial executes, of 20 in all code that decides how pods " +
			"die and restart (Kubernetes v1.37.2). 4 compile, and 1 of these are equivalent. Of the other 3, 3 (100.0 %) differ " +
			"from the unchanged kubelet in a trace. 1 (33.3 %) are killed: 1 by a claim, and 0 have a kubelet that does not " +
			"start, ends or hangs.\n"))
	g.Expect(text).To(ContainSubstring("\n| 7 | 5 | 4 | 1 | 3 (100.0 %) | 1 (33.3 %) |\n"))
	_, living, _ := strings.Cut(text, "## Different, but no claim deviates\n\n")
	lines := strings.Split(strings.TrimSpace(living), "\n")
	g.Expect(lines).To(HaveLen(2))
	g.Expect(lines[0]).
		To(HavePrefix("- `kubelet/prober/worker.go:3` worker.run, condition negated: `a | b` → `!(a | b)`; " +
			"4 of 9 trials."))
}
