package specs

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

// asSuite makes the test's binary play the saved run in this folder. A run that continues has its outcomes already, so
// it needs no cluster. Ginkgo's flags are its arguments.
const asSuite = "PODCLOCK_TEST_AS_SUITE"

func TestMain(m *testing.M) {
	dir := os.Getenv(asSuite)
	if dir == "" {
		os.Exit(m.Run())
	}
	flag.Parse()
	r, err := run.Load(dir)
	if err != nil {
		panic(err)
	}
	c, selected := ofSaved(dir, r)
	if c.KindBase, err = os.ReadFile("../../kind-config.yaml"); err != nil {
		panic(err)
	}
	if c, err = c.Resolve(); err != nil {
		panic(err)
	}
	program := session.Program{Log: io.Discard, TakeInterrupts: func() {}}
	played, err := Suite(Program{}).Play(context.Background(), c, selected, program)
	if err != nil {
		fmt.Println("error:", err)
	}
	os.Exit(played.Run.ExitCode())
}

func ofSaved(dir string, r run.Run) (c session.Config, selected []runner.Selection) {
	c = session.Config{Out: filepath.Dir(dir), Folder: dir}
	for _, s := range r.Subjects {
		c.Subjects = strings.TrimPrefix(c.Subjects+","+s.Name, ",")
	}
	for _, o := range r.Outcomes {
		one := trial.Trial{ID: o.Trial, About: o.About, Labels: []string{"kept"}}
		selected = append(selected, runner.Selection{Trial: one, Subject: o.Subject})
	}
	return c, selected
}

// played is how a suite ended.
type played struct {
	code  int
	out   string
	specs map[string]types.SpecReport
	junit reporters.JUnitTestSuites
}

// playSaved plays a saved run in a process of its own.
func playSaved(t *testing.T, r run.Run, args ...string) played {
	t.Helper()
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "out", r.ID)
	g.Expect(os.MkdirAll(dir, 0o755)).To(Succeed())
	g.Expect(run.Save(dir, r, nil)).To(Succeed())
	asJSON, asXML := filepath.Join(dir, "ginkgo.json"), filepath.Join(dir, "ginkgo.xml")
	args = append([]string{"--ginkgo.json-report=" + asJSON, "--ginkgo.junit-report=" + asXML}, args...)
	program := exec.CommandContext(t.Context(), os.Args[0], args...)
	program.Env = append(os.Environ(), asSuite+"="+dir)
	var out bytes.Buffer
	program.Stdout, program.Stderr = &out, &out
	_ = program.Run() // the exit code is checked below
	p := played{code: program.ProcessState.ExitCode(), out: out.String(), specs: map[string]types.SpecReport{}}
	text, err := os.ReadFile(asJSON)
	g.Expect(err).NotTo(HaveOccurred(), p.out)
	var reports []types.Report
	g.Expect(json.Unmarshal(text, &reports)).To(Succeed())
	if !reports[0].SuiteConfig.DryRun {
		g.Expect(reports[0].SuiteSucceeded).To(Equal(p.code == run.ExitConforms), p.out)
	}
	for _, s := range reports[0].SpecReports {
		p.specs[strings.TrimSpace(s.FullText()+" "+s.LeafNodeType.String())] = s
	}
	text, err = os.ReadFile(asXML)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(xml.Unmarshal(text, &p.junit)).To(Succeed())
	return p
}

// judged returns the fixture without what would be played again.
func judged() run.Run {
	r := fixture.Fixture()
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o run.Outcome) bool { return !run.Ended(o) })
	return r
}

const reference, mutant = "v1.36.3", "v1.36.3+resultrun-one"

func spec(subject, id string) string {
	area, _, _ := strings.Cut(id, "/")
	return subject + " " + area + " " + id + " It"
}

// Each verdict ends its spec as the exit codes promise.
func TestVerdictsEndSpecs(t *testing.T) {
	g := NewWithT(t)
	r := judged()
	p := playSaved(t, r)
	g.Expect(p.code).To(Equal(run.ExitDeviates), p.out)
	seen := map[trial.Verdict]int{}
	for _, o := range r.Outcomes {
		seen[o.Verdict]++
		s, there := p.specs[spec(o.Subject, o.Trial)]
		g.Expect(there).To(BeTrue(), "%s on %s", o.Trial, o.Subject)
		g.Expect(s.Labels()).To(ConsistOf(trial.Trial{ID: o.Trial}.Area(), "kept"))
		want := types.SpecStatePassed
		switch {
		case r.Fails(o):
			want = types.SpecStateFailed
		case o.Verdict == trial.Unsupported || o.Verdict == trial.Inconclusive:
			want = types.SpecStateSkipped
			g.Expect(s.Failure.Message).To(HavePrefix(string(o.Verdict) + ": "))
		}
		g.Expect(s.State).To(Equal(want), "%s on %s: %s", o.Trial, o.Subject, s.Failure.Message)
	}
	for _, v := range view.Verdicts() {
		g.Expect(seen).To(HaveKey(v), "the fixture has every verdict")
	}
}

// A failure says what Gomega's reader needs: the value, the window, its formula, and the known mistake.
func TestAFailedClaimNamesTheKnownMistake(t *testing.T) {
	g := NewWithT(t)
	p := playSaved(t, judged())
	for _, o := range judged().Outcomes {
		if o.Verdict != trial.Deviates {
			continue
		}
		s := p.specs[spec(o.Subject, o.Trial)]
		for _, f := range view.FindingsOf(o) {
			if f.Verdict != trial.Deviates {
				continue
			}
			g.Expect(s.Failure.Message).To(And(ContainSubstring(f.Claim), ContainSubstring(view.FormatMeasured(f)),
				ContainSubstring(f.Implemented.String()), ContainSubstring(f.Formula), ContainSubstring(f.Source)))
			if f.Diagnosis != nil {
				g.Expect(s.Failure.Message).To(ContainSubstring(f.Diagnosis.Reference))
			}
		}
		g.Expect(p.out).To(ContainSubstring(strings.SplitN(s.Failure.Message, "\n", 2)[0]), "by default as well")
	}
}

// The measured numbers are properties of Ginkgo's JUnit report, and a divergence is an entry.
func TestEntriesOfSpecs(t *testing.T) {
	g := NewWithT(t)
	p := playSaved(t, judged(), "--ginkgo.v")
	divergent := 0
	for _, c := range p.junit.TestSuites[0].TestCases {
		if !strings.HasPrefix(c.Name, "[It]") {
			continue
		}
		g.Expect(c.Properties.WithName("verdict")).NotTo(BeEmpty(), c.Name)
		if c.Properties.WithName("divergent") != "" {
			divergent++
		}
	}
	g.Expect(divergent).To(BeNumerically(">", 0))
	g.Expect(p.out).To(ContainSubstring("documented is"))
	g.Expect(playSaved(t, fixture.Conforming()).out).NotTo(ContainSubstring("margin_ms"), "nobody asked")
}

// A run that judged nothing has no failed spec, and is no success either.
func TestARunWithoutAJudgementFails(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Conforming()
	for i := range r.Outcomes {
		r.Outcomes[i].Verdict, r.Outcomes[i].Attempts = trial.Unsupported, nil
	}
	p := playSaved(t, r)
	g.Expect(p.code).To(Equal(run.ExitUnjudged), p.out)
	g.Expect(p.specs["AfterSuite"].State).To(Equal(types.SpecStateFailed), p.out)
}

// Ginkgo's own flags choose specs.
func TestGinkgosFlags(t *testing.T) {
	g := NewWithT(t)
	all := playSaved(t, fixture.Conforming())
	g.Expect(all.code).To(Equal(run.ExitConforms), all.out)
	g.Expect(all.out).To(ContainSubstring("SUCCESS!"))
	one := fixture.Conforming().Outcomes[0]
	focused := playSaved(t, judged(), "--ginkgo.focus="+reference+" .* "+one.Trial+"$")
	ran := 0
	for _, s := range focused.specs {
		if s.LeafNodeType.Is(types.NodeTypeIt) && !s.State.Is(types.SpecStateSkipped) {
			ran++
			g.Expect(s.LeafNodeText).To(Equal(one.Trial))
		}
	}
	g.Expect(ran).To(Equal(1), focused.out)
	dry := playSaved(t, judged(), "--ginkgo.dry-run", "--ginkgo.v")
	g.Expect(dry.out).To(ContainSubstring(mutant + " "))
	for _, s := range dry.specs {
		g.Expect(s.State).To(Or(Equal(types.SpecStatePassed), Equal(types.SpecStateSkipped)))
	}
}

func TestGinkgoRefusesInOneLine(t *testing.T) {
	suite, reporter := types.NewDefaultSuiteConfig(), types.NewDefaultReporterConfig()
	for name, tt := range map[string]struct {
		change func(*types.SuiteConfig, *types.ReporterConfig)
		says   string
	}{
		"processes": {func(s *types.SuiteConfig, _ *types.ReporterConfig) { s.ParallelTotal = 2 },
			"leave out -p, --procs"},
		"focus": {func(s *types.SuiteConfig, _ *types.ReporterConfig) { s.FocusStrings = []string{"("} },
			"--ginkgo.focus=(: it must be a regular expression"},
		"labels": {func(s *types.SuiteConfig, _ *types.ReporterConfig) { s.LabelFilter = "(a" },
			"--ginkgo.label-filter=(a"},
		"verbosity": {func(_ *types.SuiteConfig, r *types.ReporterConfig) { r.Verbose, r.Succinct = true, true },
			"more than one of -v, -vv and --succinct"},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := suite, reporter
			tt.change(&s, &r)
			err := check(s, r)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
			NewWithT(t).Expect(err.Error()).NotTo(Or(ContainSubstring("\n"), ContainSubstring("{{")))
		})
	}
	NewWithT(t).Expect(check(suite, reporter)).To(Succeed())
}

func TestBeWithin(t *testing.T) {
	window := formula.Window{Unit: formula.Nanoseconds, Earliest: 10, Latest: 20}
	finding := func(value int64) trial.Finding {
		return trial.Finding{Claim: "a-to-b", Measured: &trial.Measured{Unit: formula.Nanoseconds, Value: value}}
	}
	g := NewWithT(t)
	for value, in := range map[int64]bool{9: false, 10: true, 20: true, 21: false} {
		g.Expect(BeWithin(window).Match(finding(value))).To(Equal(in), "%d", value)
	}
	g.Expect(BeWithin(window).Match(trial.Finding{})).To(BeFalse(), "it never came")
	_, err := BeWithin(window).Match(15)
	g.Expect(err).To(MatchError(ContainSubstring("not int")))
}

func TestWholeLines(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	w := &wholeLines{to: &out}
	for _, part := range []string{"a", "b\nc", "\n", "d"} {
		g.Expect(w.Write([]byte(part))).To(Equal(len(part)))
	}
	g.Expect(out.String()).To(Equal("ab\nc\n"))
	w.flush()
	w.flush()
	g.Expect(out.String()).To(Equal("ab\nc\nd\n"))
}
