package view

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/rules/formula"
)

// A subject's functions are named unless its release is older than the map's. The version of the map is printed if it
// is another one.
func TestLookAt(t *testing.T) {
	m := reach.Map{Version: "v1.37.2", Files: []reach.File{{
		Name:      "k8s.io/kubernetes/pkg/kubelet/prober/worker.go",
		Functions: []reach.Function{{Name: "worker.run", Blocks: []reach.Block{{Statements: 1, Trials: []int{0}}}}},
	}}}
	c := Column{Subject: run.Subject{Name: "mine"}}
	for i := range 25 {
		o := run.Outcome{Trial: fmt.Sprint(i), Subject: c.Name, Verdict: trial.Conforms, Attempts: []run.Attempt{{}}}
		if i == 0 {
			o.Verdict = trial.Deviates
			o.Attempts[0].Result = trial.Result{Verdict: o.Verdict, Findings: []trial.Finding{
				{Formula: "probes/period", Source: "pkg/kubelet/prober/worker.go run", Verdict: trial.Deviates},
			}}
		}
		m.Trials, c.Outcomes = append(m.Trials, o.Trial), append(c.Outcomes, o)
	}
	const here = "mine: pkg/kubelet/prober/worker.go worker.run"
	for version, want := range map[string]string{
		"v1.37.2": here, "v1.37.2+k3s1": here,
		"v1.38.0-beta.0": here + " (what trials execute was measured in v1.37.2)",
		"v1.36.3":        "",
	} {
		c.Kubelet = formula.Kubelet{Version: version}
		NewWithT(t).Expect(lookAt(c, m)).To(Equal(want), version)
	}
}
