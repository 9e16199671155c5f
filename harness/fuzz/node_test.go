package fuzz

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/trial"
)

// built returns the virtual node of a subject, and builds it if necessary.
func built(t *testing.T, subject string) Node {
	t.Helper()
	s, err := kubelets.ParseSubject(subject)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := builder.Build(t.Context(), s, builder.Options{Log: os.Stderr})
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return Node{Name: s.String(), Binary: binary.Path, Env: binary.Env}
}

// The same 300 scenarios each time, on the newest kubelet.
func TestScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for a minute, and builds a virtual node")
	}
	g := gomega.NewWithT(t)
	report := Campaign{
		Runner: built(t, "virtual:"+kubelets.VirtualVersions()[0]), Seed: 1, Scenarios: Many,
		AtOnce: runtime.NumCPU(), Shrinking: 30 * time.Second,
	}.Run(t.Context())
	g.Expect(report.Kinds()).To(gomega.BeEmpty())
	g.Expect(report.Lacks(Many, 0)).To(gomega.BeEmpty())
}

// Scenarios find a mutant whose probes count from one after a restart.
func TestScenariosFindAMutant(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	g := gomega.NewWithT(t)
	report := Campaign{
		Runner: built(t, "virtual:"+kubelets.VirtualVersions()[0]+"+resultrun-one"), Seed: 1, Scenarios: Many,
		AtOnce: runtime.NumCPU(), Kinds: 1, Shrinking: 10 * time.Second,
	}.Run(t.Context())
	g.Expect(report.Kinds()).NotTo(gomega.BeEmpty())
	v := report.Violations[report.Kinds()[0]]
	g.Expect(v.Verdict).To(gomega.Equal(trial.Deviates), v.Kind)
	g.Expect(v.Again).To(gomega.Equal(Repeats), v.Kind)
}
