package verify

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/conformance"
	"github.com/podclock/podclock/reports/view/fixture"
)

// verified runs the command on reports of the fixture run, changed.
func verified(t *testing.T, change func(*v1alpha1.TimingConformanceReport)) (said string, code int) {
	g := NewWithT(t)
	r := fixture.Conforming()
	r.Profile = "full"
	report, err := conformance.Conformance(r, r.Subjects[0].Name, conformance.Options{
		Catalogue: slices.Collect(maps.Values(fixture.Catalogue())), Podclock: "0123456789ab", Numbers: true,
		Implementation: &v1alpha1.Implementation{
			Organization: "Example", Project: "example-kubernetes", URL: "https://example.org", Version: "v1",
			Contact: []string{"@example/node"},
		},
	})
	g.Expect(err).NotTo(HaveOccurred())
	change(&report)
	text, err := yaml.Marshal(report)
	g.Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(t.TempDir(), "report.yaml")
	g.Expect(os.WriteFile(file, text, 0o600)).To(Succeed())
	var out, log bytes.Buffer
	c := Command()
	c.SetArgs([]string{"verify", file})
	c.SetOut(&out)
	c.SetErr(&log)
	c.SilenceUsage, c.SilenceErrors = true, true
	code = shell.ExitCode(c.Execute(), &log)
	return strings.ReplaceAll(out.String()+log.String(), file, "FILE"), code
}

func complete(r *v1alpha1.TimingConformanceReport) {
	r.Environment.Podclock, r.Environment.Command = "0123456789ab", "PROFILE=full podclock run"
	r.Subject.System = &v1alpha1.System{
		Provider: "none", Distribution: "k3s1", Runtime: "containerd://2", OS: "Debian", Kernel: "6.1",
		Architecture: "amd64",
	}
	r.Subject.Group, r.Subject.Nodes = "v1.36.3, containerd", []string{"a", "b"}
	r.Subject.Configuration = "sha256:" + strings.Repeat("0", 64)
}

func TestACompleteReportCanBePublished(t *testing.T) {
	g := NewWithT(t)
	said, code := verified(t, complete)
	g.Expect(said).To(MatchRegexp(`^FILE: \S+ of run \S+ is a valid report \(\w+\) and can be published\n$`))
	g.Expect(code).To(Equal(0))
}

func TestAReportThatLacksSomethingMayNotBePublished(t *testing.T) {
	for lacks, change := range map[string]func(*v1alpha1.TimingConformanceReport){
		"implementation: Required value":  func(r *v1alpha1.TimingConformanceReport) { r.Implementation = nil },
		"subject.mutation: Invalid value": func(r *v1alpha1.TimingConformanceReport) { r.Subject.Mutation = "x" },
		"subject.system: Required value":  func(r *v1alpha1.TimingConformanceReport) { r.Subject.System = nil },
		"subject.configuration: Required": func(r *v1alpha1.TimingConformanceReport) { r.Subject.Configuration = "" },
		"subject.system.provider: Required value: it is none": func(r *v1alpha1.TimingConformanceReport) {
			r.Subject.System.Provider = ""
		},
		"subject.system.distribution: Required value: it is none": func(r *v1alpha1.TimingConformanceReport) {
			r.Subject.System.Distribution = ""
		},
		"subject.nodes: Required value: name the nodes": func(r *v1alpha1.TimingConformanceReport) {
			r.Subject.Nodes = nil
		},
		"subject.group: Required value: say what": func(r *v1alpha1.TimingConformanceReport) {
			r.Subject.Group, r.Environment.NodeImage = "", ""
		},
		"environment.command: Required": func(r *v1alpha1.TimingConformanceReport) { r.Environment.Command = "" },
		`environment.podclock: Invalid value: "1-dirty"`: func(r *v1alpha1.TimingConformanceReport) {
			r.Environment.Podclock = "1-dirty"
		},
		`oracle.podclock: Invalid value: "unknown"`: func(r *v1alpha1.TimingConformanceReport) {
			r.Oracle.Podclock = "unknown"
		},
		"trials: Required value": func(r *v1alpha1.TimingConformanceReport) { r.Trials = nil },
	} {
		t.Run(lacks, func(t *testing.T) {
			g := NewWithT(t)
			said, code := verified(t, func(r *v1alpha1.TimingConformanceReport) { complete(r); change(r) })
			g.Expect(said).To(ContainSubstring(lacks))
			g.Expect(said).To(ContainSubstring("may not be published"))
			g.Expect(strings.Count(said, "\n")).To(Equal(2), said)
			g.Expect(code).To(Equal(1))
		})
	}
}

func TestAnEditedResultIsNoReport(t *testing.T) {
	g := NewWithT(t)
	said, code := verified(t, func(r *v1alpha1.TimingConformanceReport) { complete(r); r.Result = "splendid" })
	g.Expect(said).To(ContainSubstring("result: Invalid value"))
	g.Expect(code).To(Equal(2))
}

// A trial that was not judged says why, and the runtime is what the times depend on.
func TestAReportWithoutReasonsOrRuntimeIsNoReport(t *testing.T) {
	for lacks, change := range map[string]func(*v1alpha1.TimingConformanceReport){
		"skippedTrials[0].reason: Required": func(r *v1alpha1.TimingConformanceReport) {
			skipped(r).SkippedTrials[0].Reason = ""
		},
		"statistics.skipped: Invalid value: 1: skippedTrials lists 0": func(r *v1alpha1.TimingConformanceReport) {
			skipped(r).SkippedTrials = nil
		},
		"subject.system.runtime: Required": func(r *v1alpha1.TimingConformanceReport) { r.Subject.System.Runtime = "" },
	} {
		g := NewWithT(t)
		said, code := verified(t, func(r *v1alpha1.TimingConformanceReport) { complete(r); change(r) })
		g.Expect(said).To(ContainSubstring(lacks))
		g.Expect(code).To(Equal(2))
	}
}

// skipped returns a profile of the report with one trial that the kubelet does not support.
func skipped(r *v1alpha1.TimingConformanceReport) *v1alpha1.Profile {
	p := &r.Profiles[0]
	p.SkippedTrials = []v1alpha1.SkippedTrial{{
		Trial: p.Name + "/new", Cause: v1alpha1.Unsupported, Reason: "the kubelet has no such feature",
	}}
	p.Statistics.Skipped = 1
	r.Trials = append(r.Trials, v1alpha1.Trial{Trial: p.Name + "/new", Verdict: "unsupported"})
	r.Conclude()
	return p
}
