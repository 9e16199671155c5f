package junit

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestJUnitGolden(t *testing.T) {
	var b bytes.Buffer
	NewWithT(t).Expect(Run(&b, view.OverviewOf(fixture.Small(), nil))).To(Succeed())
	fixture.Golden(t, "run", b.Bytes())
}

func TestJUnitOfAFailedSetUp(t *testing.T) {
	g := NewWithT(t)
	r := fixture.FailedSetUp()
	report := parse(t, r)
	g.Expect(report.TestSuites[0].TestCases[0].Failure.Message).To(Equal(r.Problems[0]))
	for _, s := range report.TestSuites[1:] {
		for _, c := range s.TestCases {
			g.Expect(c.Failure.Message).To(Equal("inconclusive: it never ran: the cluster never got ready"))
		}
	}
}

func parse(t *testing.T, r run.Run) reporters.JUnitTestSuites {
	t.Helper()
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(Run(&b, view.OverviewOf(r, nil))).To(Succeed())
	var s reporters.JUnitTestSuites
	g.Expect(xml.Unmarshal(b.Bytes(), &s)).To(Succeed())
	return s
}

func TestJUnitHasOneCaseForEveryOutcome(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	report := parse(t, r)
	outcomes, failures := map[[2]string]run.Outcome{}, 0
	for _, o := range r.Outcomes {
		outcomes[[2]string{"podclock." + view.AreaOf(o) + "." + Undotted(o.Subject), o.Trial}] = o
		if r.Fails(o) {
			failures++
		}
	}
	g.Expect(report.TestSuites).To(HaveLen(1+2*len(r.Subjects)), "two areas")
	seen := map[[2]string]bool{}
	for _, s := range report.TestSuites[1:] {
		for _, c := range s.TestCases {
			key := [2]string{s.Name, c.Name}
			g.Expect(seen).NotTo(HaveKey(key), "one case each")
			seen[key] = true
			g.Expect(outcomes).To(HaveKey(key))
			o, v := outcomes[key], outcomes[key].Verdict
			g.Expect(c.Classname).To(Equal(s.Name))
			g.Expect(c.Failure != nil).To(Equal(r.Fails(o)), "%v %s", key, v)
			g.Expect(c.Skipped != nil).To(Equal(v == trial.Unsupported || v == trial.Inconclusive && !r.Fails(o)),
				"%v %s", key, v)
			g.Expect(properties(c)).To(HaveKeyWithValue("verdict", `"`+string(v)+`"`))
			promises := slices.ContainsFunc(c.Properties.Properties,
				func(p reporters.JUnitProperty) bool { return strings.HasSuffix(p.Name, ".promise") })
			g.Expect(promises).To(Equal(v == trial.Divergent), "%v %s", key, v)
		}
	}
	g.Expect(seen).To(HaveLen(len(r.Outcomes)))
	g.Expect(report.Tests).To(Equal(1 + len(r.Outcomes)))
	g.Expect(failures).To(BeNumerically(">=", r.Count(trial.Deviates)))
	g.Expect(report.Failures).To(Equal(failures))
	g.Expect(report.Errors).To(BeZero())
}

// properties returns the values of a case's properties, as JSON.
func properties(c reporters.JUnitTestCase) map[string]string {
	all := map[string]string{}
	for _, p := range c.Properties.Properties {
		all[p.Name] = p.Value
	}
	return all
}

// TestJUnitNamesDoNotDependOnTheResult matters because readers find a history by these names.
func TestJUnitNamesDoNotDependOnTheResult(t *testing.T) {
	g := NewWithT(t)
	names := func(r run.Run) (all []string) {
		for _, s := range parse(t, r).TestSuites {
			for _, c := range s.TestCases {
				all = append(all, s.Name+" "+c.Classname+" "+c.Name)
			}
		}
		return all
	}
	later := fixture.FailedSetUp()
	later.ID, later.Started = "20270101-000000", later.Started.Add(24*time.Hour)
	g.Expect(names(later)).To(Equal(names(fixture.Fixture())))
	g.Expect(names(fixture.Fixture())).To(ContainElement(
		"podclock.termination.v1_36_3+resultrun-one podclock.termination.v1_36_3+resultrun-one " +
			"termination/ignored-sigterm",
	))
}

func TestJUnitOfARunWithoutResultsIsNotGreen(t *testing.T) {
	for name, r := range map[string]run.Run{
		"nothing at all": {},
		"set-up failed":  {Problems: []string{"no engine"}},
		"problem":        {Problems: []string{"interrupted"}, Outcomes: fixture.Conforming().Outcomes},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			report := parse(t, r)
			g.Expect(report.Failures).To(Equal(1))
			g.Expect(report.TestSuites[0].TestCases[0].Failure).NotTo(BeNil())
		})
	}
	good := parse(t, fixture.Conforming())
	NewWithT(t).Expect([]int{good.Errors, good.Failures}).To(Equal([]int{0, 0}))
}

// TestJUnitOfAnUnknownVerdictIsAFailure expects that a verdict of a newer version does not pass.
func TestJUnitOfAnUnknownVerdictIsAFailure(t *testing.T) {
	r := run.Run{Outcomes: []run.Outcome{{Trial: "a/b", Subject: fixture.Reference, Verdict: "fine"}}}
	c := parse(t, r).TestSuites[1].TestCases[0]
	NewWithT(t).Expect(c.Failure).To(HaveField("Message", "fine: no reason was saved"))
}

// TestJUnitIsGreenIfTheExitCodeIs0 expects that a reader of JUnit fails exactly the runs that podclock fails.
func TestJUnitIsGreenIfTheExitCodeIs0(t *testing.T) {
	few := fixture.Conforming()
	for i := range 20 {
		o := run.Outcome{Trial: "probes/" + strconv.Itoa(i), Subject: fixture.Reference, Verdict: trial.Conforms}
		if i == 0 {
			doubt := trial.Result{Verdict: trial.Inconclusive, Doubts: []string{"1 mark was lost"}}
			doubt.Findings = []trial.Finding{{Claim: "death", Verdict: trial.Inconclusive, Why: "1 mark was lost"}}
			o.Verdict, o.Attempts = trial.Inconclusive, []run.Attempt{{Result: doubt}}
		}
		few.Outcomes = append(few.Outcomes, o)
	}
	many := few
	many.Outcomes = slices.Clone(few.Outcomes)
	for i := range many.Outcomes[:10] {
		many.Outcomes[i].Verdict = trial.Inconclusive
	}
	for name, tt := range map[string]struct {
		r    run.Run
		code int
	}{
		"conforming":           {fixture.Conforming(), run.ExitConforms},
		"few are inconclusive": {few, run.ExitConforms},
		"many are":             {many, run.ExitUnjudged},
		"all kinds":            {fixture.Fixture(), run.ExitDeviates},
		"many trials":          {fixture.Large(), run.ExitDeviates},
		"both lanes":           {fixture.BothLanes(), run.ExitDeviates},
		"set-up failed":        {fixture.FailedSetUp(), run.ExitUnjudged},
		"nothing":              {run.Run{}, run.ExitUnjudged},
		"nothing is supported": {run.Run{Outcomes: []run.Outcome{{Trial: "a/b", Verdict: trial.Unsupported}}},
			run.ExitUnjudged},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			report := parse(t, tt.r)
			g.Expect(tt.r.ExitCode()).To(Equal(tt.code))
			g.Expect(report.Errors).To(BeZero())
			g.Expect(report.Failures > 0).To(Equal(tt.code != run.ExitConforms))
			judged := report.TestSuites[0].TestCases[0].Failure
			if tt.code == run.ExitUnjudged && len(tt.r.Problems) == 0 {
				g.Expect(judged).To(HaveField("Message", view.ExitReason(tt.r)))
			}
		})
	}
	var skipped []string
	for _, s := range parse(t, few).TestSuites {
		for _, c := range s.TestCases {
			if c.Skipped != nil {
				skipped = append(skipped, c.Name+" "+c.Skipped.Message)
			}
		}
	}
	NewWithT(t).Expect(skipped).To(Equal([]string{"probes/0 skipped - inconclusive: 1 mark was lost"}))
}

// TestJUnitReportsAFullDisk expects an error if Ginkgo's reporter could write only a part of the merged report.
func TestJUnitReportsAFullDisk(t *testing.T) {
	g := NewWithT(t)
	const whole = `<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>`
	g.Expect(check(strings.NewReader(whole), 1)).To(Succeed())
	for cut := range len(whole) {
		g.Expect(check(strings.NewReader(whole[:cut]), 1)).To(MatchError(ContainSubstring("is the disk full?")))
	}
	g.Expect(check(strings.NewReader(whole), 2)).
		To(MatchError("the report is incomplete (is the disk full?): it has 1 suite of 2"))
}

// TestJUnitNeedsATemporaryFolder matters for a container with a read-only root, which sets TMPDIR.
func TestJUnitNeedsATemporaryFolder(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	parse(t, fixture.Small())
	g.Expect(os.ReadDir(folder)).To(BeEmpty(), "nothing stays")
	t.Setenv("TMPDIR", filepath.Join(folder, "gone"))
	g.Expect(Run(&bytes.Buffer{}, view.OverviewOf(fixture.Small(), nil))).
		To(MatchError(And(ContainSubstring("20260302-095800"), ContainSubstring("gone"))))
}

func TestJUnitReportsAWriteError(t *testing.T) {
	NewWithT(
		t,
	).Expect(Run(fixture.BrokenWriter{}, view.OverviewOf(fixture.Fixture(), nil))).
		To(MatchError(And(ContainSubstring("disk full"), ContainSubstring("20260302-095800"))))
}

// TestJUnitCanHoldWhatToolsPrint has a problem with control characters, which XML cannot hold.
func TestJUnitCanHoldWhatToolsPrint(t *testing.T) {
	g := NewWithT(t)
	report := parse(t, run.Run{Problems: []string{"docker said: \x1b[31mno ]]> space\x1b[0m\xff\x00\uffff"}})
	g.Expect(report.TestSuites[0].TestCases[0].Failure.Message).To(Equal("docker said: [31mno ]]> space[0m?"))
}

// TestJUnitShowsItsMarginsInATestGrid reads a report as TestGrid's updater does (pkg/updater/gcs.go,
// convertResult). It drops a case that is skipped without a message, or with Ginkgo's "skipped". Each property
// becomes a metric, the mean of its values that are numbers. A cell shows the metric that is configured.
func TestJUnitShowsItsMarginsInATestGrid(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	cells := map[string]float64{}
	for _, s := range parse(t, r).TestSuites {
		for _, c := range s.TestCases {
			if c.Skipped != nil {
				g.Expect(c.Skipped.Message).NotTo(Or(BeEmpty(), Equal("skipped")), "%s must stay in the report", c.Name)
			}
			seen := map[string]bool{}
			for _, p := range c.Properties.Properties {
				g.Expect(seen).NotTo(HaveKey(p.Name), "a mean of several numbers has no meaning")
				seen[p.Name] = true
				if p.Name == "margin_ms" {
					n, err := strconv.ParseFloat(p.Value, 64)
					g.Expect(err).NotTo(HaveOccurred())
					cells[s.Name+"."+c.Name] = n
				}
			}
		}
	}
	g.Expect(cells).
		To(HaveKeyWithValue("podclock.termination.v1_36_3.termination/ignored-sigterm", BeNumerically("~", 121, 1)))
	g.Expect(cells).
		To(HaveKeyWithValue("podclock.run.run/could-judge", BeNumerically("~", -1499.8, 0.1)),
			"the narrowest margin of the run, of the trial that deviates")
}

func TestJUnitMarksExtrapolatedSubjects(t *testing.T) {
	g := NewWithT(t)
	marked := map[string]bool{}
	for _, s := range parse(t, fixture.Large()).TestSuites {
		for _, c := range s.TestCases {
			if properties(c)["extrapolated"] == "true" {
				marked[s.Name] = true
				g.Expect(s.Name).To(HaveSuffix(".v1_37_0"))
			}
		}
	}
	g.Expect(marked).To(HaveLen(6), "one for each area")
}
