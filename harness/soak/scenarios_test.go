package soak

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual"
)

// node runs trials on virtual nodes of one kubelet.
type node struct{ virtual.Subject }

// Run returns an error if the virtual node fails, which the lab logs.
func (n node) Run(ctx context.Context, t trial.Trial) (trial.Outcome, error) {
	var failure strings.Builder
	lab, err := virtual.Open(ctx, virtual.Options{Subjects: []virtual.Subject{n.Subject}, Log: &failure})
	if err != nil {
		return trial.Outcome{}, err
	}
	lab.Start([]stage.Selection{{Trial: t, Subject: n.Name}})
	o, err := lab.Await(ctx, t.ID, n.Name)
	err = errors.Join(err, lab.Close(ctx))
	if failure.Len() > 0 {
		err = errors.Join(err, errors.New(failure.String()))
	}
	return o, err
}

// built returns the virtual node of a subject, and builds it if necessary.
func built(t *testing.T, s kubelet.Subject, log io.Writer) node {
	t.Helper()
	binary, err := builder.Build(t.Context(), s, builder.Options{Log: log})
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return node{virtual.Subject{Name: s.String(), Binary: binary.Path}}
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
