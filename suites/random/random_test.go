package random

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual"
)

// node runs trials on virtual nodes of one kubelet.
type node struct{ virtual.Subject }

func (n node) Run(ctx context.Context, t trial.Trial) (trial.Outcome, error) {
	return virtual.Run(ctx, n.Subject, t)
}

// built is the virtual node of a subject, built if need be.
func built(t *testing.T, s kubelet.Subject, log io.Writer) node {
	t.Helper()
	g := gomega.NewWithT(t)
	g.Expect(s.Virtual).To(gomega.BeTrue(), "%s is none of the virtual lane", s)
	binary, err := kubelet.Build(t.Context(), s, kubelet.Options{Log: log})
	g.Expect(err).NotTo(gomega.HaveOccurred())
	return node{virtual.Subject{Name: s.String(), Slug: s.Slug(), Binary: binary.Path}}
}

// Three hundred scenarios, the same each time, on the newest kubelet.
func TestScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for a minute, and builds a virtual node")
	}
	g := gomega.NewWithT(t)
	newest, err := kubelet.ParseSubject("virtual:" + kubelet.VirtualVersions()[0])
	g.Expect(err).NotTo(gomega.HaveOccurred())
	report := Hunt{Runner: built(t, newest, os.Stderr), Seed: 1, Scenarios: 300, AtOnce: runtime.NumCPU(), Shrinking: 30 * time.Second}.Go(t.Context())
	t.Log(report)
	for _, kind := range report.kinds() {
		t.Error(report.Violations[kind])
	}
	g.Expect(report.Scenarios).To(gomega.Equal(300))
	// What was never tried was not shown.
	g.Expect(report.Verdicts[trial.Unsupported]).To(gomega.BeNumerically("<", 30))
	for _, cause := range []string{"delete", "evict", "liveness", "startup", "postStart", "spec change", "active deadline", "completion", "crash", "second delete"} {
		g.Expect(report.Traits).To(gomega.HaveKey("cause "+cause), "no scenario had it")
	}
}

// As many scenarios as one likes: SOAK is how many for each of SUBJECTS, from SEED on; KINDS ends it when so many kinds of violations were found.
func TestSoak(t *testing.T) {
	scenarios := number(t, "SOAK", 0)
	if scenarios == 0 {
		t.Skip("make soak runs it")
	}
	g := gomega.NewWithT(t)
	subjects, err := kubelet.ParseSubjects(cmp.Or(os.Getenv("SUBJECTS"), "virtual:"+kubelet.VirtualVersions()[0]))
	g.Expect(err).NotTo(gomega.HaveOccurred())
	for _, s := range subjects {
		t.Run(s.String(), func(t *testing.T) {
			seed := number(t, "SEED", 1)
			fmt.Printf("%d scenarios on %s, seeds %d to %d\n", scenarios, s, seed, seed+scenarios-1)
			report := Hunt{
				Runner: built(t, s, os.Stdout), Seed: uint64(seed), Scenarios: scenarios, AtOnce: runtime.NumCPU(),
				Kinds: number(t, "KINDS", 10), Shrinking: time.Minute, Progress: os.Stdout,
			}.Go(t.Context())
			fmt.Println(report)
			for _, kind := range report.kinds() {
				t.Errorf("%s: seed %d, %d times", kind, report.Violations[kind].Seed, report.Violations[kind].Times)
			}
		})
	}
}

// number reads a number from the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred(), "%s=%s", name, value)
	gomega.NewWithT(t).Expect(n).To(gomega.BeNumerically(">", 0), "%s=%s", name, value)
	return n
}
