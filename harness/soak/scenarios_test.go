package soak

import (
	"context"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual"
)

// node runs trials on virtual nodes of one kubelet.
type node struct{ virtual.Subject }

func (n node) Run(ctx context.Context, t trial.Trial) (trial.Outcome, error) {
	return virtual.Run(ctx, n.Subject, t)
}

// built returns the virtual node of a subject, and builds it if necessary.
func built(t *testing.T, s kubelet.Subject, log io.Writer) node {
	t.Helper()
	binary, err := builder.Build(t.Context(), s, builder.Options{Log: log})
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return node{virtual.Subject{Name: s.String(), Slug: s.Slug(), Binary: binary.Path}}
}

// The same 300 scenarios each time, on the newest kubelet.
func TestScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for a minute, and builds a virtual node")
	}
	g := gomega.NewWithT(t)
	newest, err := kubelet.ParseSubject("virtual:" + kubelet.VirtualVersions()[0])
	g.Expect(err).NotTo(gomega.HaveOccurred())
	report := Hunt{
		Runner:    built(t, newest, os.Stderr),
		Seed:      1,
		Scenarios: many,
		AtOnce:    runtime.NumCPU(),
		Shrinking: 30 * time.Second,
	}.Go(t.Context())
	t.Log(report)
	g.Expect(report.kinds()).To(gomega.BeEmpty())
	g.Expect(report.lacks(many, 0)).To(gomega.BeEmpty())
}
