package drawn

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
)

// A mutant's own trials replace the reference's. Those that execute it and that it did not meet are left out.
func TestLocate(t *testing.T) {
	g := NewWithT(t)
	saved := reach.Map{Version: "v1.37.2", Files: []reach.File{{
		Name: "k8s.io/kubernetes/pkg/kubelet/prober/worker.go",
		Functions: []reach.Function{
			{Name: "worker.run", Blocks: []reach.Block{{Statements: 1, Trials: []int{0, 1}}}},
			{Name: "worker.stop", Blocks: []reach.Block{{Statements: 1, Trials: []int{2}}}},
		},
	}}}
	outcome := func(id string, v trial.Verdict, f ...trial.Finding) trial.Outcome {
		a := trial.Attempt{Result: trial.Result{Verdict: v, Findings: f}}
		return trial.Outcome{Trial: id, Subject: saved.Version, Verdict: v, Attempts: []trial.Attempt{a}}
	}
	reference := map[string]trial.Outcome{}
	for i := range 30 {
		id := fmt.Sprint("a/", i)
		saved.Trials, reference[id] = append(saved.Trials, id), outcome(id, trial.Conforms)
	}
	killed := outcome("a/0", trial.Deviates,
		trial.Finding{Formula: "f", Source: "pkg/kubelet/kubelet.go Run", Verdict: trial.Deviates})
	m := Mutant{File: saved.Files[0].Name, Within: "worker.run"}
	m.locate(map[string]trial.Outcome{"a/0": killed}, reference, []string{"a/0", "a/1"}, saved)
	g.Expect(m.Unexplained).To(BeTrue())
	g.Expect(m.AsIf).To(BeEmpty())
	g.Expect(m.LookAt).To(Equal([]string{"pkg/kubelet/prober/worker.go worker.run"}))
	g.Expect(m.Located).To(Equal(1))
	g.Expect(Count([]Mutant{{}, m})).To(Equal(Figures{Drawn: 2, Unexplained: 1, Named: 1, Located: 1}))
	g.Expect(reference["a/0"].Verdict).To(Equal(trial.Conforms))
}
