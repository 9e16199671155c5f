package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/specs"
)

// asProgram makes the test's binary run the program. Ginkgo allows one suite in a process, so each run needs a
// process.
const asProgram = "PODCLOCK_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(tested.Main())
	}
	os.Exit(m.Run())
}

// tested is the program under test.
var tested = App{suites.Catalogue, specs.Suite(specs.Program{}), readFile("kind-config.yaml"),
	readFile("docs/generated/mutants/proof.json")}

func readFile(name string) []byte {
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		panic(err)
	}
	return text
}

// said is the output and the exit code of a call of the program.
type said struct {
	code     int
	out, log string
}

// call calls the program in this process.
func call(ctx context.Context, args ...string) said {
	var out, log bytes.Buffer
	code := tested.Execute(ctx, args, strings.NewReader(""), &out, &log)
	return said{code, out.String(), log.String()}
}

// asAProcess returns a call of the program in its own process, with additional variables.
func asAProcess(t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	program := exec.CommandContext(t.Context(), os.Args[0], args...)
	program.Env = append(append(os.Environ(), asProgram+"=1"), environment...)
	return program
}

// start starts the call and waits for its end.
func start(t *testing.T, environment []string, args ...string) said {
	t.Helper()
	var out, log bytes.Buffer
	program := asAProcess(t, environment, args...)
	program.Stdout, program.Stderr = &out, &log
	if err := program.Run(); err != nil && program.ProcessState == nil {
		t.Fatal(err)
	}
	return said{program.ProcessState.ExitCode(), out.String(), log.String()}
}

// each visits every command of the program, without groups and hidden commands.
func each(visit func(*cobra.Command)) {
	for _, c := range tested.program().Commands() {
		if c.Runnable() && c.IsAvailableCommand() {
			visit(c)
		}
	}
}

func TestEveryCommandDescribesItsUse(t *testing.T) {
	n := 0
	each(func(c *cobra.Command) {
		n++
		t.Run(c.Name(), func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(c.Short).
				To(MatchRegexp(`^[a-z].*[^.]$`), "one sentence without a full stop, as in every line of the list")
			g.Expect(c.GroupID).NotTo(BeEmpty())
			g.Expect(c.Example).To(ContainSubstring("podclock " + c.Name()))
			help := call(t.Context(), c.Name(), "--help")
			g.Expect(help.code).To(Equal(runs.ExitConforms))
			g.Expect(help.out).To(And(ContainSubstring("Usage:"), ContainSubstring("Examples:")))
			for line := range strings.SplitSeq(help.out, "\n") {
				g.Expect(len(line)).To(BeNumerically("<=", 125), line)
			}
		})
	})
	NewWithT(t).Expect(n).To(BeNumerically(">", 10))
}

// A program named like a plugin of kubectl is the same one, and calls itself as its user does.
func TestKubectlPlugin(t *testing.T) {
	g := NewWithT(t)
	plugin := filepath.Join(t.TempDir(), "kubectl-podclock")
	g.Expect(os.Symlink(os.Args[0], plugin)).To(Succeed())
	for program, says := range map[string][]string{
		plugin:     {"  kubectl podclock predict MANIFEST... | TYPE/NAME...", "kubectl podclock predict --help"},
		os.Args[0]: {"  podclock predict MANIFEST... | TYPE/NAME... [flags]", "podclock predict --help lists"},
	} {
		for i, flag := range []string{"--help", "--bad"} {
			c := exec.CommandContext(t.Context(), program, "predict", flag)
			c.Env = append(os.Environ(), asProgram+"=1")
			out, _ := c.CombinedOutput() // a bad flag ends it with 2
			g.Expect(string(out)).To(ContainSubstring(says[i]), program)
			g.Expect(regexp.MustCompile(`(?m)^  podclock |\| podclock `).Match(out)).
				To(Equal(program == os.Args[0] && flag == "--help"), "%s: examples call it as the user does", program)
		}
	}
}

// A program named like an extension of openshift-tests answers as one.
func TestExtensionOfOpenShift(t *testing.T) {
	g := NewWithT(t)
	extension := filepath.Join(t.TempDir(), "podclock-tests-ext")
	g.Expect(os.Symlink(os.Args[0], extension)).To(Succeed())
	for program, args := range map[string][]string{extension: {"images"}, os.Args[0]: {"openshift", "images"}} {
		c := exec.CommandContext(t.Context(), program, args...)
		c.Env = append(os.Environ(), asProgram+"=1", "IMAGES=")
		out, err := c.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(out)).To(Equal("[]\n"), "openshift-tests reads both outputs as JSON")
	}
	got := start(t, []string{"IMAGES=a,b"}, "openshift", "info")
	g.Expect(got.code).To(Equal(runs.ExitUnjudged))
	g.Expect(got.log).To(HavePrefix("podclock: --images=a,b: "))
}

var virtualSubject = flag.String("virtual", "", "the release whose virtual node plays tests of an extension")

// The extension plays the real session without a cluster, and leaves the run where openshift-tests wants it.
func TestExtensionPlaysTrials(t *testing.T) {
	if *virtualSubject == "" {
		t.Skip("make test-virtual names a virtual node")
	}
	g := NewWithT(t)
	left := t.TempDir()
	got := start(t, []string{"LANE=virtual", "SUBJECTS=" + *virtualSubject, "OUT=", "EXTENSION_ARTIFACT_DIR=" + left},
		"openshift", "run-test", "-o", "jsonl", "-n", "[sig-node] podclock termination/grace-1",
		"-n", "[sig-node] podclock deletion/taint-harmless [Serial]")
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	for line := range strings.Lines(got.out) {
		g.Expect(line).To(And(HavePrefix("{"), ContainSubstring(`"result":"passed"`)))
	}
	g.Expect(strings.Count(got.out, "\n")).To(Equal(2))
	r, err := runs.Load(filepath.Join(left, runs.LatestLink))
	g.Expect(err).NotTo(HaveOccurred())
	var played []string
	for _, o := range r.Outcomes {
		played = append(played, o.Trial)
	}
	g.Expect(played).To(ContainElements("termination/grace-1", "deletion/taint-harmless"))
	g.Expect(slices.DeleteFunc(played, func(id string) bool { return strings.HasPrefix(id, "kubelet/") })).
		To(HaveLen(2), "beside the verdicts on the kubelet as a whole")
}

func TestHelpNamesExitCodes(t *testing.T) {
	g := NewWithT(t)
	g.Expect(call(t.Context(), "help", "exit-codes").out).
		To(And(ContainSubstring("0  good"), ContainSubstring("\n  1  "), ContainSubstring("\n  2  ")))
	g.Expect(call(t.Context(), "--help").out).To(ContainSubstring("podclock exit-codes"))
}

func TestBadInputEndsWithTwoAndOneLine(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"no such command": {[]string{"measure"}, `unknown command "measure"`},
		"no such flag": {[]string{"judge", "--colour", "out"},
			"unknown flag: --colour; podclock judge --help lists the flags"},
		"no argument": {[]string{"judge"}, "an argument is missing: call it as podclock judge RUN"},
		"one argument more": {[]string{"compare", "a", "b", "c"},
			`unexpected argument "c": call it as podclock compare BEFORE [AFTER]`},
		"an argument where none is allowed": {[]string{"version", "-o", "json", "all"},
			`unexpected argument "all": call it as podclock version`},
		"no saved run":         {[]string{"mutants", "--judge=/nowhere"}, "/nowhere"},
		"no disturbances":      {[]string{"disturb", "--judge=/nowhere"}, "no saved table of disturbances at /nowhere"},
		"flags without effect": {[]string{"repeat", "--of=out", "--focus=grace"}, "--focus has no effect with --of"},
		"a flag that judging ignores": {[]string{"mutants", "--judge=out", "--lane=node"},
			"--lane has no effect with --judge"},
		"without effect on a table": {[]string{"disturb", "--judge=out", "--subjects=v1.36.3"},
			"--subjects has no effect with --judge"},
		"no such format":     {[]string{"version", "-o", "xml"}, "it must be text, json or yaml"},
		"no run":             {[]string{"judge", "/nowhere"}, "no saved run at /nowhere"},
		"an argument":        {[]string{"run", "termination/grace-1"}, "select trials with --focus"},
		"an area misspelled": {[]string{"catalogue", "terminaton"}, `no trial and no area "terminaton"`},
		"a subject": {[]string{"run", "--subjects=v9.9.9"},
			`--subjects=v9.9.9: subject "v9.9.9": there is no kubelet`},
		"nothing to build":     {[]string{"build"}, "no subject to build"},
		"no number of mutants": {[]string{"mutants", "--count=-1"}, "--count=-1: it must be a number of mutants"},
		"a mutation beside drawn mutants": {[]string{"mutants", "--count=3", "--mutants=resultrun-one"},
			"--mutants has no effect with --count"},
		"no such code":   {[]string{"mutants", "--count=3", "--code=nothing"}, "no package that podclock reach lists matches"},
		"no map of code": {[]string{"reach", "--of=/nowhere"}, "reading a saved map of the code that trials execute"},
		"no scenarios":   {[]string{"fuzz", "--scenarios=0"}, "--scenarios=0: write a whole number above 0"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := call(t.Context(), tt.args...)
			g.Expect(got.code).To(Equal(runs.ExitUnjudged))
			g.Expect(got.out).To(BeEmpty())
			g.Expect(got.log).To(And(HavePrefix("podclock: "), ContainSubstring(tt.says)))
			g.Expect(strings.Count(got.log, "\n")).To(Equal(1), got.log)
		})
	}
}

func TestDivergencesOfAPartialRunAreRefused(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	run := runs.Run{
		ID:       "20260302-095800",
		Profile:  "quick",
		Subjects: []runs.Subject{{Name: formula.Versions()[0]}},
		Problems: []string{"interrupted"},
	}
	written := func(args ...string) said {
		g.Expect(runs.Save(dir, run, nil)).To(Succeed())
		return call(t.Context(), append([]string{"divergences", dir}, args...)...)
	}
	got := written()
	g.Expect(got.code).To(Equal(runs.ExitUnjudged))
	g.Expect(got.out).To(BeEmpty())
	g.Expect(got.log).
		To(And(ContainSubstring(`"quick"`), ContainSubstring("v1.23.1"), ContainSubstring("interrupted"),
			ContainSubstring("not selected"),
			ContainSubstring("PROFILE=full SUBJECTS="), ContainSubstring("--any")))
	got = written("--any")
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).To(And(ContainSubstring("Not complete"), ContainSubstring("interrupted")))

	run = runs.Run{ID: run.ID, Profile: "full"}
	for _, v := range formula.Versions() {
		run.Subjects = append(run.Subjects, runs.Subject{Name: v})
		for _, t := range suites.Catalogue() {
			if !t.VirtualOnly() { // no real node plays it
				run.Outcomes = append(run.Outcomes, runs.Outcome{Trial: t.ID, Subject: v})
			}
		}
	}
	got = written()
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).To(And(Not(BeEmpty()), Not(ContainSubstring("Not complete"))))
}

// TestNoIDEndsWithAnother matters because the command that reproduces a divergence selects its trial by the end
// of the spec's text.
func TestNoIDEndsWithAnother(t *testing.T) {
	all := tested.ids()
	for _, id := range all {
		for _, other := range all {
			if other != id && strings.HasSuffix(other, id) {
				t.Errorf("FOCUS='%s$$' selects %s as well", id, other)
			}
		}
	}
}
