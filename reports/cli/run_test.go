package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/cache"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/suites"
)

// plain is an environment without variables of podclock.
var plain = []string{
	"SUBJECTS=",
	"LANE=",
	"PROFILE=",
	"FOCUS=",
	"SKIP=",
	"LABELS=",
	"DRY_RUN=",
	"KEEP=",
	"OUT=",
	"CLUSTER=",
	"NODE_IMAGE=",
	"KIND_CONFIG=",
}

func TestDryRunListsWhatWouldRun(t *testing.T) {
	quick, full, onNodes := 0, 0, 0
	for _, tr := range suites.Catalogue() {
		full++
		if !tr.VirtualOnly() {
			onNodes++
		}
		if session.Quick.Holds(tr) {
			quick++
		}
	}
	for name, tt := range map[string]struct {
		environment, args []string
		trials            int
		has               string
	}{
		"quick by default": {nil, []string{"--dry-run"}, quick, "v1.37.2  termination/grace-1 "},
		"all": {nil, []string{"--dry-run", "--profile=full", "--subjects=v1.37.2,v1.23.1"},
			2 * onNodes, "v1.23.1  termination/grace-1 "},
		"under virtual time": {nil, []string{"--dry-run", "--lane=virtual", "--subjects=v1.37.2"}, full,
			"virtual:v1.37.2  termination/grace-1 "},
		"by variables": {[]string{"DRY_RUN=1", "FOCUS=grace-[12]$"}, nil, 2, "termination/grace-2 "},
		"by focus and skip": {nil, []string{"--dry-run", "--focus=grace-[12]$", "--skip=grace-2"}, 1,
			"termination/grace-1 "},
		"by label": {nil,
			[]string{"--dry-run", "--label-filter=readiness && !liveness", "--profile=full"}, 14, "probes/"},
		"by a flag of Ginkgo's": {nil, []string{"--dry-run", "--", "--ginkgo.focus=grace-1$"}, 1,
			"termination/grace-1 "},
		"by Ginkgo's dry run": {nil, []string{"--focus=grace-1$", "--", "--ginkgo.dry-run"}, 1,
			"termination/grace-1 "},
		"focus sees the subject": {nil, []string{"--dry-run", "--subjects=v1.37.2,v1.23.1",
			"--focus=v1.23.1 termination/grace-1$"}, 1, "v1.23.1  termination/grace-1 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			got := start(t, append(plain, tt.environment...), append([]string{"run"}, tt.args...)...)
			g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
			g.Expect(strings.Count(got.out, "\n")).To(Equal(tt.trials+1), got.out)
			g.Expect(got.out).To(ContainSubstring(tt.has))
		})
	}
}

func TestRunRefusesBeforeItStarts(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"nothing selected": {[]string{"--focus=no-such-trial"},
			`no trial of the profile quick is selected by focus "no-such-trial"`},
		"no regular expression": {[]string{"--focus=grace-("}, "--focus=grace-(: it must be a regular expression"},
		"no label filter":       {[]string{"--label-filter=(probes"}, "--label-filter=(probes: it can't be read"},
		"no flag of Ginkgo's": {[]string{"--", "--ginkgo.fokus=x"},
			"for other flags call ginkgo --tags e2e ./suites: flag provided but not defined"},
		"no flag after --": {[]string{"--", "termination"}, `unknown argument "termination"`},
		"in several processes": {[]string{"--", "--ginkgo.parallel.total=2", "--ginkgo.parallel.host=x"},
			"for other flags call ginkgo --tags e2e ./suites"},
		"an invalid time":        {[]string{"--timeout=long"}, "invalid argument"},
		"a negative time":        {[]string{"--timeout=-5m"}, "--timeout=-5m0s: it must be the longest"},
		"a report onto a folder": {[]string{"--junit=."}, "--junit=.: it is a folder: name a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			got := start(t, plain, append([]string{"run"}, tt.args...)...)
			g.Expect(got.code).To(Equal(runs.ExitUnjudged))
			g.Expect(got.out).To(BeEmpty())
			g.Expect(got.log).To(And(HavePrefix("podclock: "), ContainSubstring(tt.says)))
			g.Expect(strings.Count(got.log, "\n")).To(Equal(1), got.log)
		})
	}
}

// TestAnInterruptedRunIsSaved interrupts a run in its set-up. The run and all its reports must be saved with
// the reason.
func TestAnInterruptedRunIsSaved(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	program := asAProcess(t, append(plain, cache.Variable+"="+t.TempDir()), "run", "--subjects=virtual:v1.37.2",
		"--focus=grace-[12]$", "--out="+out)
	log := &endsAt{words: "building a ", end: sync.OnceFunc(func() { _ = program.Process.Signal(syscall.SIGTERM) })}
	var summary bytes.Buffer
	program.Stdout, program.Stderr = &summary, log
	_ = program.Run() // the exit code is checked below
	g.Expect(program.ProcessState.ExitCode()).To(Equal(runs.ExitUnjudged), log.String())
	g.Expect(summary.String()).To(ContainSubstring("Exit code 2: the harness could not judge: set-up failed: "))
	run, err := runs.Load(filepath.Join(out, runs.LatestLink))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run.Problems).To(ContainElement(HavePrefix("set-up failed: ")))
	g.Expect(run.Outcomes).To(HaveLen(2))
	g.Expect(run.Outcomes).To(HaveEach(HaveField("Verdict", BeEquivalentTo("inconclusive"))))
	for _, file := range []string{"report.html", "junit.xml", "metrics.txt", "summary.md"} {
		g.Expect(filepath.Join(out, runs.LatestLink, file)).To(BeARegularFile())
	}
}

// TestAnInterruptEndsReadingCommands expects that an interrupt ends them at once, even while they wait for
// input.
func TestAnInterruptEndsReadingCommands(t *testing.T) {
	g := NewWithT(t)
	program := asAProcess(t, nil, "predict", "-f", "-")
	manifest, err := program.StdinPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(program.Start()).To(Succeed())
	// more than a pipe holds, so the program is reading
	_, err = io.WriteString(manifest, strings.Repeat("# to be continued\n", 1<<13))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(program.Process.Signal(syscall.SIGTERM)).To(Succeed())
	g.Expect(program.Wait()).To(MatchError("signal: terminated"))
}
