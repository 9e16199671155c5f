package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/cache"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/cli/internal/delivery"
	"github.com/podclock/podclock/reports/cli/shell"
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
		if trial.Quick.Holds(tr) {
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
			[]string{"--dry-run", "--label-filter=readiness && !liveness", "--profile=full"}, 17, "probes/"},
		"by a flag of Ginkgo's": {nil, []string{"--dry-run", "--", "--ginkgo.focus=grace-1$"}, 1,
			"termination/grace-1 "},
		"by a flag of Ginkgo's without --": {nil, []string{"--dry-run", "--ginkgo.label-filter=termination",
			"--ginkgo.focus=grace-1$", "--ginkgo.focus=grace-2$", "--ginkgo.skip=grace-2"}, 1, "termination/grace-1 "},
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
		"no flag of Ginkgo's": {[]string{"--ginkgo.fokus=x"},
			"unknown flag: --ginkgo.fokus; podclock run --help lists the flags"},
		"no flag after --":             {[]string{"--", "termination"}, `unknown argument "termination"`},
		"no flag of Ginkgo's after --": {[]string{"--", "--ginkgo.fokus=x"}, "unknown flag: --ginkgo.fokus"},
		"in several processes": {[]string{"--ginkgo.parallel.total=2", "--ginkgo.parallel.host=x"},
			"all trials run at the same time in one process: leave out -p, --procs"},
		"processes of Ginkgo's program": {[]string{"--procs=2"}, "unknown flag: --procs"},
		"Ginkgo's filters leave nothing": {[]string{"--ginkgo.focus=no-such-trial"},
			"selected trials: change --ginkgo.focus"},
		"Ginkgo's verbosities":   {[]string{"--ginkgo.v", "--ginkgo.succinct"}, "can't set more than one of"},
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

// Two interrupts at once are one. A second one ends a program that cleans up, and names the cluster that stays.
func TestASecondInterrupt(t *testing.T) {
	const cleansUp = "PODCLOCK_TEST_CLEANS_UP"
	if os.Getenv(cleansUp) != "" {
		c := &cobra.Command{}
		c.Flags().String("cluster", "mine", "")
		c.SetContext(t.Context())
		ctx, stop := shell.Interruptible(c)
		defer stop()
		_, _ = fmt.Fprintln(os.Stderr, "begins")
		<-ctx.Done()
		_, _ = fmt.Fprintln(os.Stderr, "cleans up")
		time.Sleep(time.Minute)
		return
	}
	g := NewWithT(t)
	program := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestASecondInterrupt$")
	program.Env = append(os.Environ(), cleansUp+"=1")
	interrupt := func() { _ = program.Process.Signal(os.Interrupt) }
	twice := &endsAt{words: "begins", end: sync.OnceFunc(func() { interrupt(); interrupt() })}
	log := &endsAt{words: "cleans up", end: sync.OnceFunc(func() {
		interrupt()
		time.AfterFunc(shell.SameInterrupt+time.Second, interrupt)
	})}
	program.Stderr = io.MultiWriter(twice, log)
	began := time.Now()
	g.Expect(program.Run()).NotTo(Succeed())
	g.Expect(program.ProcessState.ExitCode()).To(Equal(130), log.String())
	g.Expect(time.Since(began)).To(BeNumerically(">", shell.SameInterrupt), log.String())
	g.Expect(log.String()).To(HaveSuffix("podclock: interrupted again: if podclock made cluster mine, it stays " +
		"until the next run, or podclock down --cluster=mine\n"))
}

// What was measured leaves the pod, unless the next container continues it.
func TestTheEndOfARunInAPod(t *testing.T) {
	for name, tt := range map[string]struct {
		how       delivery.Way
		end       ending
		timeout   time.Duration
		interrupt bool
		err       error
		delivered bool
		code      int
	}{
		"judged": {how: delivery.Copy, end: ending{complete: true, measured: true, code: 1},
			delivered: true},
		"not all judged": {how: delivery.Copy, end: ending{measured: true, code: 2},
			delivered: true, code: 2},
		"not all judged, deviates": {how: delivery.Copy, end: ending{measured: true, code: 1},
			delivered: true, code: 1},
		"the time is over": {how: delivery.Copy, end: ending{measured: true, code: 2}, timeout: time.Millisecond,
			delivered: true, code: 2},
		"a report could not be written": {how: delivery.Copy, end: ending{measured: true, code: 1},
			err: errors.New("no disk"), delivered: true, code: 1},
		"stopped":       {how: delivery.Copy, end: ending{measured: true, code: 2}, interrupt: true, code: 2},
		"set-up failed": {how: delivery.Copy, end: ending{code: 2}, code: 2},
		"stopped by Sonobuoy": {how: delivery.Sonobuoy, end: ending{measured: true, code: 2}, interrupt: true,
			delivered: true, code: 2},
		"Sonobuoy's set-up failed": {how: delivery.Sonobuoy, end: ending{code: 2}, delivered: true, code: 2},
		"elsewhere":                {end: ending{complete: true, measured: true, code: 1}, code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			results := t.TempDir()
			t.Setenv("SONOBUOY_RESULTS_DIR", results)
			o := runOptions{
				deliver: delivery.Options{How: tt.how, Within: time.Millisecond}, timeout: tt.timeout,
			}
			tt.end.dir = filepath.Join(results, "20260101-000000")
			g.Expect(os.Mkdir(tt.end.dir, 0o755)).To(Succeed())
			ctx, stop := context.WithCancel(t.Context())
			c := &cobra.Command{}
			c.SetContext(ctx)
			c.SetErr(io.Discard)
			err := o.deliverEnd(c, func(ctx context.Context, _ func()) (ending, error) {
				if tt.interrupt {
					stop()
				}
				if tt.interrupt || tt.timeout > 0 {
					<-ctx.Done()
				}
				return tt.end, tt.err
			})
			stop()
			g.Expect(shell.ExitCode(err, io.Discard)).To(Equal(tt.code))
			_, missing := os.Stat(filepath.Join(results, delivery.Tarball))
			g.Expect(missing == nil).To(Equal(tt.delivered))
		})
	}
}

// Sonobuoy waits for results until its timeout, so an error before the run are its results.
func TestSonobuoyGetsAnErrorBeforeTheRun(t *testing.T) {
	g := NewWithT(t)
	results := t.TempDir()
	t.Setenv("SONOBUOY_RESULTS_DIR", results)
	got := call(t.Context(), "run", "--on=external", "--kubeconfig=/nowhere", "--yes", "--deliver=sonobuoy",
		"--out="+results)
	g.Expect(got.code).To(Equal(runs.ExitUnjudged))
	g.Expect(got.log).To(ContainSubstring("/nowhere"))
	g.Expect(filepath.Join(results, "done")).To(BeARegularFile())
	text, err := os.ReadFile(filepath.Join(results, "error", runs.JUnitFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(And(ContainSubstring("<failure"), ContainSubstring("/nowhere")))
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
