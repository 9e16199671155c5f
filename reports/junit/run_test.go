package junit

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/fixture"
	"github.com/podclock/podclock/reports/view"
)

func TestJUnitGolden(t *testing.T) {
	var b bytes.Buffer
	NewWithT(t).Expect(Run(&b, view.OverviewOf(fixture.Small(), view.DivergencesOptions{}))).To(Succeed())
	fixture.Golden(t, "run", b.Bytes())
}

func TestJUnitOfAFailedSetUp(t *testing.T) {
	g := NewWithT(t)
	r := fixture.FailedSetUp()
	report := parse(t, r)
	g.Expect(report.Suites[0].Cases[0].Error.Text).To(Equal(r.Problems[0]))
	for _, s := range report.Suites[1:] {
		for _, c := range s.Cases {
			g.Expect(c.Error.Message).To(Equal("it never ran: the cluster never got ready"))
		}
	}
}

func parse(t *testing.T, r run.Run) Suites {
	t.Helper()
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(Run(&b, view.OverviewOf(r, view.DivergencesOptions{}))).To(Succeed())
	var s Suites
	g.Expect(xml.Unmarshal(b.Bytes(), &s)).To(Succeed())
	return s
}

func TestJUnitHasOneCaseForEveryOutcome(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	report := parse(t, r)
	verdictOf := map[[2]string]trial.Verdict{}
	for _, o := range r.Outcomes {
		verdictOf[[2]string{"podclock." + view.AreaOf(o) + "." + Undotted(o.Subject), o.Trial}] = o.Verdict
	}
	g.Expect(report.Suites).To(HaveLen(1+2*len(r.Subjects)), "two areas")
	seen := map[[2]string]bool{}
	for _, s := range report.Suites[1:] {
		for _, c := range s.Cases {
			key := [2]string{s.Name, c.Name}
			g.Expect(seen).NotTo(HaveKey(key), "one case each")
			seen[key] = true
			v, known := verdictOf[key]
			g.Expect(known).To(BeTrue(), "case %v", key)
			g.Expect(c.Failure != nil).To(Equal(v == trial.Deviates), "%v %s", key, v)
			g.Expect(c.Error != nil).To(Equal(v == trial.Inconclusive), "%v %s", key, v)
			g.Expect(c.Skipped != nil).To(Equal(v == trial.Unsupported), "%v %s", key, v)
			g.Expect(c.Output != nil).To(Equal(v == trial.Divergent), "%v %s", key, v)
		}
	}
	g.Expect(seen).To(HaveLen(len(r.Outcomes)))
	g.Expect(report.Tests).To(Equal(1 + len(r.Outcomes)))
	g.Expect(report.Failures).To(Equal(r.Count(trial.Deviates)))
	g.Expect(report.Errors).To(Equal(r.Count(trial.Inconclusive)))
}

// TestJUnitNamesDoNotDependOnTheResult matters because readers find a history by these names.
func TestJUnitNamesDoNotDependOnTheResult(t *testing.T) {
	g := NewWithT(t)
	names := func(r run.Run) (all []string) {
		for _, s := range parse(t, r).Suites {
			for _, c := range s.Cases {
				all = append(all, s.Name+" "+c.Class+" "+c.Name)
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
			g.Expect(report.Errors).To(Equal(1))
			g.Expect(report.Suites[0].Cases[0].Error).NotTo(BeNil())
		})
	}
	good := parse(t, fixture.Conforming())
	NewWithT(t).Expect([]int{good.Errors, good.Failures}).To(Equal([]int{0, 0}))
}

// TestJUnitOfAnUnknownVerdictIsAnError expects that a verdict of a newer version does not pass.
func TestJUnitOfAnUnknownVerdictIsAnError(t *testing.T) {
	r := run.Run{Outcomes: []run.Outcome{{Trial: "a/b", Subject: fixture.Reference, Verdict: "fine"}}}
	NewWithT(t).Expect(parse(t, r).Errors).To(Equal(1))
}

func TestJUnitReportsAWriteError(t *testing.T) {
	NewWithT(
		t,
	).Expect(Run(fixture.BrokenWriter{}, view.OverviewOf(fixture.Fixture(), view.DivergencesOptions{}))).
		To(MatchError(And(ContainSubstring("disk full"), ContainSubstring("20260302-095800"))))
}

// TestJUnitCanHoldWhatToolsPrint has a problem with control characters, which XML cannot hold.
func TestJUnitCanHoldWhatToolsPrint(t *testing.T) {
	g := NewWithT(t)
	report := parse(t, run.Run{Problems: []string{"docker said: \x1b[31mno ]]> space\x1b[0m\xff\x00\uffff"}})
	g.Expect(report.Suites[0].Cases[0].Error.Text).To(Equal("docker said: [31mno ]]> space[0m?"))
}

// TestJUnitShowsItsMarginsInATestGrid reads a report as TestGrid's updater does (pkg/updater/gcs.go,
// convertResult). It drops a case that is skipped without a message, or with Ginkgo's "skipped". Each property
// becomes a metric, the mean of its values that are numbers. A cell shows the metric that is configured.
func TestJUnitShowsItsMarginsInATestGrid(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	cells := map[string]float64{}
	for _, s := range parse(t, r).Suites {
		for _, c := range s.Cases {
			if c.Skipped != nil {
				g.Expect(c.Skipped.Message).NotTo(Or(BeEmpty(), Equal("skipped")), "%s must stay in the report", c.Name)
			}
			seen := map[string]bool{}
			for _, p := range c.Properties.List {
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
	marked := 0
	for _, s := range parse(t, fixture.Large()).Suites {
		for _, p := range s.Properties.List {
			if p.Name == "extrapolated" {
				marked++
				g.Expect(s.Name).To(HaveSuffix(".v1_37_0"))
			}
		}
	}
	g.Expect(marked).To(Equal(6), "one for each area")
}
