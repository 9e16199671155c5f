package drawn

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/gosource"
	"github.com/podclock/podclock/harness/kubelets/operator"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/virtual/trace"
)

const file = "k8s.io/kubernetes/pkg/kubelet/prober/worker.go"

const worker = `package prober

func (w *worker) run(n int) int {
	if n > 1 {
		n = w.next()
	}
	return n
}
`

// A line of the compiler belongs to the mutant whose copy of the function contains it.
func TestCompilerErrorsMarkMutants(t *testing.T) {
	g := NewWithT(t)
	all, err := operator.Mutants([]byte(worker))
	g.Expect(err).NotTo(HaveOccurred())
	var mutants []Mutant
	var choices []gosource.Choice
	for i, m := range all {
		name := fmt.Sprintf("m%d", i)
		mutants = append(mutants, Mutant{File: file, Within: m.Within, name: name})
		choices = append(choices, gosource.Choice{Name: name, Within: m.Within, Change: func(s []byte) ([]byte, error) {
			return []byte(string(s[:m.From]) + m.Other + string(s[m.To:])), nil
		}})
	}
	text, err := gosource.Choose("worker.go", []byte(worker), "CHOSEN", choices)
	g.Expect(err).NotTo(HaveOccurred())
	second := strings.Split(string(text), "func (w *worker) run_m2(")[0]
	line := strings.Count(second, "\n") + 3
	printed := fmt.Sprintf(
		"# k8s.io/kubernetes/pkg/kubelet/prober\nkubernetes/pkg/kubelet/prober/worker.go:%d:3: undefined: x\n",
		line,
	)
	g.Expect(invalid(mutants, map[string][]byte{file: text}, printed)).To(Equal(1))
	g.Expect(mutants[2].Status).To(Equal(Invalid))
	g.Expect(mutants[2].Because).To(Equal("undefined: x"))
	g.Expect(invalid(mutants, map[string][]byte{file: text}, printed)).To(Equal(0), "it is known already")
	g.Expect(invalid(mutants, map[string][]byte{file: text}, "other/worker.go:9:1: undefined: x\n")).To(Equal(0))
}

// Trials that execute more of a function than others are rare, and come first.
func TestTrialsOfEachWayThroughAFunctionTakeTurns(t *testing.T) {
	block := func(trials ...int) reach.Block { return reach.Block{Statements: 1, Trials: trials} }
	o := Options{Reach: reach.Map{
		Trials: []string{"a", "b", "c", "d", "e"},
		Files: []reach.File{{Name: file, Functions: []reach.Function{
			{Name: "worker.run", Blocks: []reach.Block{block(0, 1, 2, 3, 4), block(3), block(1, 4)}},
			{Name: "worker.stop", Blocks: []reach.Block{block(0)}},
		}}},
	}}
	ids := []string{"c", "b", "a", "e", "d"}
	NewWithT(t).Expect(o.inOrder(ids, Mutant{File: file, Within: "worker.run"})).
		To(Equal([]string{"d", "c", "b", "a", "e"}))
}

func TestSurvivorsAreEquivalentForAReason(t *testing.T) {
	const source = `package p

func killPodNow() {
	n := max(1, 2)
	// open a channel
	ch := make(chan struct{}, 1)
}

func other() {
	ch := make(chan struct{}, 1)
	if n < 1 {
		n = 1
	}
}
`
	all, err := operator.Mutants([]byte(source))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	reasons := map[string]string{}
	for _, m := range all {
		if m.Operator == operator.Increased || m.Operator == operator.Moved {
			reasons[fmt.Sprintf("%s:%d %s", m.Within, m.Line, m.Now)] = equivalent(Mutant{
				Within: m.Within, Operator: m.Operator, Now: m.Now, idle: m.Because, code: code([]byte(source), m.From),
			})
		}
	}
	NewWithT(t).Expect(reasons).To(Equal(map[string]string{
		"killPodNow:4 1": "", "killPodNow:4 2": "", "killPodNow:6 1": "the channel is only closed",
		"other:10 1": "", "other:11 <": "both sides are equal then", "other:11 1": "", "other:12 1": "",
	}))
}

func TestAMutantIsDifferentByATraceAndKilledByAClaim(t *testing.T) {
	outcome := func(v trial.Verdict) map[string]trial.Outcome {
		r := trial.Result{Verdict: v, Findings: []trial.Finding{{Claim: "sigterm-to-death", Verdict: v, Why: "late"}}}
		return map[string]trial.Outcome{"a": {Trial: "a", Verdict: v, Attempts: []trial.Attempt{{Result: r}}}}
	}
	traces := func(what ...string) map[string]trace.Trace {
		tr := trace.Trace{Trial: "a"}
		for i, w := range what {
			tr.Entries = append(tr.Entries, trace.Entry{At: int64(i), What: w})
		}
		return map[string]trace.Trace{"a": tr}
	}
	usual := played{outcome(trial.Conforms), traces("start", "stop"), nil}
	for name, tt := range map[string]struct {
		got, usual played
		want       Status
	}{
		"the same":      {usual, usual, Survived},
		"another trace": {played{outcome(trial.Conforms), traces("start"), nil}, usual, Different},
		"a deviation":   {played{outcome(trial.Deviates), traces("start"), nil}, usual, Killed},
		"a deviation that the unchanged kubelet has": {played{outcome(trial.Deviates), traces("start", "stop"), nil},
			played{outcome(trial.Deviates), traces("start", "stop"), nil}, Survived},
		"a kubelet that ended":   {played{outcome(trial.Inconclusive), nil, []string{"panic"}}, usual, Killed},
		"a node without a trace": {played{outcome(trial.Inconclusive), nil, nil}, usual, Killed},
	} {
		t.Run(name, func(t *testing.T) {
			m := Mutant{Status: Survived}
			m.compare([]trial.Trial{{ID: "a"}}, tt.got, tt.usual)
			NewWithT(t).Expect(m.Status).To(Equal(tt.want))
		})
	}
}

// Code that further trials reach adds mutants to a draw. They replace some, and change nothing else.
func TestADrawKeepsItsMutants(t *testing.T) {
	g := NewWithT(t)
	var all []Mutant
	for line := range 1000 {
		all = append(all, Mutant{File: "a.go", Line: line})
	}
	lines := func(all []Mutant, seed uint64) (lines []int) {
		for _, m := range choose(all, seed, 100) {
			lines = append(lines, m.Line)
		}
		return lines
	}
	before, after := lines(all[:900], 1), lines(all, 1)
	added := 0
	for _, line := range after {
		if line >= 900 {
			added++
		} else {
			g.Expect(before).To(ContainElement(line))
		}
	}
	g.Expect(added).To(And(BeNumerically(">", 0), BeNumerically("<", 30)))
	g.Expect(lines(all, 2)).NotTo(ContainElements(after))
}

func TestCount(t *testing.T) {
	n := Count(
		[]Mutant{
			{Status: Killed},
			{Status: Killed, Ended: true},
			{Status: Different},
			{Status: Survived},
			{Status: Equivalent},
			{Status: Invalid},
			{},
		},
	)
	NewWithT(t).Expect(n).To(Equal(Figures{
		Drawn: 7, Compiled: 5, Equivalent: 1, Different: 3, Killed: 2, Ended: 1,
	}))
	NewWithT(t).Expect(n.Valid()).To(Equal(4))
}
