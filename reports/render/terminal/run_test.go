package terminal

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func summaryText(t *testing.T, r run.Run, o Options) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(Run(&b, view.OverviewOf(r, nil), o)).To(Succeed())
	return b.String()
}

func TestSummaryGolden(t *testing.T) {
	saved := Options{Folder: "out/20260302-095800"}
	for name, r := range map[string]run.Run{"run": fixture.Small(), "run-large": fixture.Large()} {
		t.Run(name, func(t *testing.T) { fixture.Golden(t, name, []byte(summaryText(t, r, saved))) })
	}
}

func TestSummaryOfWhatCouldNotBeJudged(t *testing.T) {
	g := NewWithT(t)
	setUp := summaryText(t, fixture.FailedSetUp(), Options{Screen: screen.Screen{Width: 1000}})
	g.Expect(setUp).To(And(
		HavePrefix("Run 20260302-095800, 18 verdicts: 0 conforms, 18 inconclusive, 0 deviates.\n"),
		ContainSubstring("\nProblems\n  booting the cluster: node podclock-worker was not Ready within 3m0s"),
		ContainSubstring("\nThe cluster never got ready.\n"),
		ContainSubstring("\nExit code 2: the harness could not judge: booting the cluster"),
		Not(ContainSubstring("the code computes")),
	))
	g.Expect(summaryText(t, run.Run{ID: "20260302-095800", Started: fixture.Began}, Options{})).To(And(
		HavePrefix("Run 20260302-095800, 0 verdicts: 0 conforms, 0 inconclusive, 0 deviates.\n"),
		HaveSuffix("\nExit code 2: the harness could not judge: there was nothing to run.\n"),
	))
}

// TestSummaryOnANarrowScreen expects that a narrow screen drops the windows, the documented one first, and
// never the measurement.
func TestSummaryOnANarrowScreen(t *testing.T) {
	g := NewWithT(t)
	for width, columns := range map[int]string{120: "measured the code computes documented " +
		"verdict", 80: "measured the code computes verdict", 40: "measured verdict"} {
		table, _, _ := strings.Cut(summaryText(t, fixture.Conforming(),
			Options{Screen: screen.Screen{Width: width}}), "\n")
		g.Expect(strings.Join(strings.Fields(table), " ")).To(Equal("v1.36.3 " + columns))
	}
}

func TestSummaryFitsTheScreen(t *testing.T) {
	for _, width := range []int{200, 120, 100, 80, 60} {
		o := Options{Screen: screen.Screen{Width: width, Colour: true}, Folder: "out/20260302-095800"}
		for _, l := range strings.Split(summaryText(t, fixture.Fixture(), o)+summaryText(t, fixture.Large(),
			o)+summaryText(t, fixture.BothLanes(), o), "\n") {
			if strings.Contains(l, "https://") {
				continue // an address must not be broken, because a reader clicks it
			}
			if got := text.StringWidthWithoutEscSequences(l); got > width {
				t.Errorf("width %d: %d columns: %s", width, got, l)
			}
		}
	}
}

func TestSummaryIsColouredForTerminalsOnly(t *testing.T) {
	g := NewWithT(t)
	plain := summaryText(t, fixture.Fixture(), Options{Screen: screen.Screen{Width: 120}})
	g.Expect(plain).NotTo(ContainSubstring("\x1b"))
	coloured := summaryText(t, fixture.Fixture(), Options{Screen: screen.Screen{Width: 120, Colour: true}})
	g.Expect(coloured).To(ContainSubstring("\x1b[31"))
	g.Expect(text.StripEscape(coloured)).To(Equal(plain), "colours change no character")
}

// TestSummarySaysEverythingThatIsNotWell expects words, not only a cell of the table.
func TestSummarySaysEverythingThatIsNotWell(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	// join the wrapped lines
	said := strings.Join(strings.Fields(summaryText(t, r, Options{Screen: screen.Screen{Width: 1000}})), " ")
	for _, o := range r.Outcomes {
		g.Expect(said).To(ContainSubstring(o.Trial))
		if o.Verdict == trial.Inconclusive || o.Verdict == trial.Unsupported || o.Verdict == trial.Deviates {
			g.Expect(said).To(ContainSubstring(o.Trial + " on " + o.Subject))
			for _, f := range view.FindingsOf(o) {
				if f.Verdict == o.Verdict {
					g.Expect(said).To(ContainSubstring(f.Why))
				}
			}
		}
		for _, f := range view.FindingsOf(o) {
			if f.Verdict == trial.Divergent {
				size := regexp.MustCompile(
					regexp.QuoteMeta(f.Formula) + `: [0-9.]+( to [0-9.]+)?( s)? (above|below) what is documented`,
				)
				g.Expect(size.FindAllString(said, -1)).To(HaveLen(1), "once per formula")
			}
		}
	}
}

// TestSummaryOfALargeRunIsShort expects that everything below the matrix fits one screen.
func TestSummaryOfALargeRunIsShort(t *testing.T) {
	g := NewWithT(t)
	_, end, found := strings.Cut(
		summaryText(t, fixture.Large(), Options{Screen: screen.Screen{Width: 120}, Folder: "out/20260302-095800"}),
		"Run 20260302-095800, ",
	)
	g.Expect(found).To(BeTrue())
	g.Expect(strings.Count(end, "\n")).To(BeNumerically("<", 50))
}

// TestSummaryCutsLongReasons has a reason that quotes the log of a dead node.
func TestSummaryCutsLongReasons(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	r.Outcomes[8].Why = strings.Repeat("goroutine ", 200) + "end"
	wide := Options{Screen: screen.Screen{Width: 10000}}
	g.Expect(summaryText(t, r, wide)).
		To(And(MatchRegexp(`goroutine [a-z]*… \(all of it in verdicts.md\)`), Not(ContainSubstring("goroutine end"))))
	var b bytes.Buffer
	g.Expect(markdown.Run(&b, view.OverviewOf(r, nil))).To(Succeed())
	g.Expect(b.String()).To(ContainSubstring("goroutine end"))
}

func TestSubjectsWrapAtTheirSigns(t *testing.T) {
	g := NewWithT(t)
	g.Expect(WrapCell("v1.36.3", 14)).To(Equal("v1.36.3"))
	g.Expect(WrapCell("v1.37.0 (extrapolated)", 14)).To(Equal("v1.37.0\n(extrapolated)"))
	g.Expect(WrapCell("v1.36.3+hook-not-subtracted", 14)).To(Equal("v1.36.3+hook-\nnot-subtracted"))
	g.Expect(WrapCell("unbreakablysolidname", 14)).To(Equal("unbreakablysol\nidname"))
}

func TestNamesWrapAtDashes(t *testing.T) {
	g := NewWithT(t)
	g.Expect(WrapName("termination/hook-time-is-cut", 20)).To(Equal("termination/hook-\n    time-is-cut"))
	g.Expect(WrapName("  sigterm-to-death", 20)).To(Equal("  sigterm-to-death"))
	g.Expect(WrapName("  unbreakablename", 10)).To(Equal("  unbreaka\n    blenam\n    e"))
	g.Expect(WrapName("short", 20)).To(Equal("short"))
}

func TestASummarySaysThatTheFormulasAreExtrapolated(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Conforming()
	g.Expect(summaryText(t, r, Options{})).NotTo(ContainSubstring("xtrapolated"))
	r.Outcomes[0].Last().Result.Extrapolated = true
	g.Expect(summaryText(t, r, Options{})).
		To(And(ContainSubstring("v1.36.3 (extrapolated)"), ContainSubstring("Extrapolated: nobody read")))
}

func TestASummaryWithoutAConclusionHasNoRatio(t *testing.T) {
	r := fixture.Fixture()
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o run.Outcome) bool {
		return o.Verdict != trial.Inconclusive || len(o.Attempts) == 0
	})
	NewWithT(t).Expect(summaryText(t, r, Options{})).
		To(And(ContainSubstring("No trial was conclusive."), Not(ContainSubstring("Ratio"))))
}
