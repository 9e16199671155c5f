package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
)

func of(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

// The variables are those that hydrophone v0.8.0 (pkg/conformance/deploy.go) and Sonobuoy (pkg/client/gen.go) set.
func TestFlagsOfVariables(t *testing.T) {
	always := []string{
		"run", "--on=external", "--yes", "--out=/r/podclock", "--junit=/r/junit_01.xml", "--ginkgo.v",
		"--ginkgo.no-color",
	}
	for name, tt := range map[string]struct {
		variables map[string]string
		adds      []string
	}{
		"nothing": {},
		"hydrophone --conformance": {variables: map[string]string{
			"E2E_FOCUS": `\[Conformance\]`, "E2E_SKIP": "", "E2E_PROVIDER": "skeleton", "E2E_VERBOSITY": "4",
			"E2E_USE_GO_RUNNER": "true", "E2E_EXTRA_ARGS": "", "E2E_EXTRA_GINKGO_ARGS": "",
		}},
		"hydrophone with everything": {map[string]string{
			"E2E_FOCUS": "termination/", "E2E_SKIP": "grace-1$", "KUBE_TEST_REPO": "registry.example/podclock",
			"E2E_EXTRA_ARGS":        "--profile=full --nodes=a --clean-start=true",
			"E2E_EXTRA_GINKGO_ARGS": "--label-filter=hooks --procs=8 -v",
		}, []string{"--focus=termination/", "--skip=grace-1$", "--images=registry.example/podclock", "--profile=full",
			"--nodes=a", "--ginkgo.label-filter=hooks"}},
		"sonobuoy run --mode=certified-conformance": {variables: map[string]string{
			"E2E_FOCUS": `\[Conformance\]`, "E2E_PARALLEL": "false", "E2E_USE_GO_RUNNER": "true",
			"E2E_EXTRA_ARGS": "--progress-report-url=http://localhost:8099/progress",
		}},
		"another separator": {map[string]string{"E2E_EXTRA_ARGS_SEP": ";", "E2E_EXTRA_ARGS": "--focus=a b;--keep"},
			[]string{"--focus=a b", "--keep"}},
	} {
		NewWithT(t).Expect(flags(of(tt.variables), "/r")).To(Equal(slices.Concat(always, tt.adds)), name)
	}
	dry := flags(of(map[string]string{"E2E_DRYRUN": "true"}), "/r")
	NewWithT(t).Expect(dry).To(And(Not(ContainElement(HavePrefix("--junit="))),
		ContainElements("--ginkgo.dry-run", "--ginkgo.junit-report=/r/junit_01.xml")))
}

// program writes a script that stands for podclock.
func program(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "podclock")
	NewWithT(t).Expect(os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755)).To(Succeed())
	return file
}

func packed(t *testing.T, file string) (names []string) {
	t.Helper()
	g := NewWithT(t)
	f, err := os.Open(file)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(f.Close()).To(Succeed()) }()
	zip, err := gzip.NewReader(f)
	g.Expect(err).NotTo(HaveOccurred())
	for archive := tar.NewReader(zip); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		g.Expect(err).NotTo(HaveOccurred())
		names = append(names, header.Name)
	}
}

func read(t *testing.T, results, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(results, name))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// hydrophone's expressions (pkg/conformance/client/logs.go parseTestProgress and testsAreStillRunning).
var (
	specs    = regexp.MustCompile(`Will run (0|[1-9]\d{0,3}|10000) of (0|[1-9]\d{0,3}|10000) specs`)
	finished = regexp.MustCompile(`Ginkgo ran (00|[1-9]\d{0,2}) suite`)
)

// The files are where hydrophone and Sonobuoy read them, whatever the run's end is.
func TestFilesOfARun(t *testing.T) {
	report := `for a in "$@"; do case $a in --junit=*) echo '<testsuites></testsuites>' >"${a#--junit=}";; esac; done
`
	for name, tt := range map[string]struct {
		script string
		code   int
		junit  string
	}{
		"it conforms":      {report + "echo Will run 2 of 2 specs; echo ••; exit 0", 0, "<testsuites></testsuites>\n"},
		"it deviates":      {report + "echo Will run 2 of 2 specs; exit 1", 1, "<testsuites></testsuites>\n"},
		"bad flags":        {"echo podclock: unknown flag >&2; exit 2", 2, "podclock wrote no report: e2e.log has its output"},
		"it is killed":     {"kill -9 $$", 2, "podclock wrote no report"},
		"it is not there!": {"", 2, "podclock wrote no report"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			results := filepath.Join(t.TempDir(), "results")
			file := program(t, tt.script)
			if tt.script == "" {
				g.Expect(os.Remove(file)).To(Succeed())
			}
			var out bytes.Buffer
			code, err := play(t.Context(), &out, file, of(nil), results)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(code).To(Equal(tt.code))
			log := read(t, results, "e2e.log")
			g.Expect(log).To(Equal(out.String()), "the log has what the container prints")
			g.Expect(log).To(HavePrefix("podclock run --on=external --yes "))
			last := strings.Split(log, "\n")
			g.Expect(finished.MatchString(strings.Join(last[max(0, len(last)-30):], "\n"))).To(BeTrue())
			g.Expect(read(t, results, "junit_01.xml")).To(ContainSubstring(tt.junit))
			g.Expect(read(t, results, "done")).To(Equal(filepath.Join(results, "e2e.tar.gz")))
			g.Expect(packed(t, filepath.Join(results, "e2e.tar.gz"))).To(ConsistOf("e2e.log", "junit_01.xml"))
		})
	}
}

// hydrophone fails if it reads a log that has content but no number of specs.
func TestTheLogBeginsWithTheNumberOfSpecs(t *testing.T) {
	g := NewWithT(t)
	results := t.TempDir()
	next := filepath.Join(t.TempDir(), "next")
	file := program(t, `echo setting up
until [ -e `+next+`1 ]; do sleep 0.05; done
printf 'Will run 3 of'; echo ' 3 specs'
until [ -e `+next+`2 ]; do sleep 0.05; done
echo '• and more'`)
	ended := make(chan int)
	go func() {
		code, _ := play(context.Background(), io.Discard, file, of(nil), results)
		ended <- code
	}()
	log := func() string {
		text, _ := os.ReadFile(filepath.Join(results, "e2e.log"))
		return string(text)
	}
	g.Eventually(filepath.Join(results, "e2e.log"), "10s").Should(BeAnExistingFile())
	g.Consistently(log, "300ms").Should(BeEmpty())
	g.Expect(os.WriteFile(next+"1", nil, 0o600)).To(Succeed())
	g.Eventually(log, "10s").Should(And(ContainSubstring("setting up\n"), MatchRegexp(specs.String())))
	g.Expect(os.WriteFile(next+"2", nil, 0o600)).To(Succeed())
	g.Eventually(ended, "10s").Should(Receive(Equal(run.ExitConforms)))
	g.Expect(log()).To(ContainSubstring("3 specs\n• and more\n"))
}

// A pod that is stopped lets podclock save what it measured.
func TestAnInterruptReachesTheRun(t *testing.T) {
	g := NewWithT(t)
	results, ready := t.TempDir(), filepath.Join(t.TempDir(), "ready")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int)
	go func() {
		code, _ := play(ctx, io.Discard, program(t, "trap 'echo saved; exit 2' INT\ntouch "+ready+
			"\nwhile true; do sleep 0.05; done"), of(nil), results)
		ended <- code
	}()
	g.Eventually(ready, "10s").Should(BeAnExistingFile())
	stop()
	g.Eventually(ended, 10*time.Second).Should(Receive(Equal(run.ExitUnjudged)))
	g.Expect(read(t, results, "e2e.log")).To(ContainSubstring("saved\n"))
}

func TestShell(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "log")
	g.Expect(os.WriteFile(file, []byte("text"), 0o600)).To(Succeed())
	var out bytes.Buffer
	g.Expect(Shell(&out, []string{"-c", "cat " + file})).To(Succeed())
	g.Expect(out.String()).To(Equal("text"))
	for _, args := range [][]string{{}, {"-c", "ls"}, {"-c", "cat a; rm a"}, {"-c"}, {"cat", file}} {
		g.Expect(Shell(&out, args)).To(MatchError(ContainSubstring("only `sh -c")))
	}
}
