package folder

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/fixture"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/terminal"
	"github.com/podclock/podclock/reports/view"
)

func summaryText(t *testing.T, r run.Run, o terminal.Options) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(terminal.Run(&b, r, o)).To(Succeed())
	return b.String()
}

func TestSummaryGolden(t *testing.T) {
	saved := terminal.Options{Folder: "out/20260302-095800"}
	for name, tt := range map[string]struct {
		run     run.Run
		options terminal.Options
	}{
		"summary":            {fixture.Fixture(), saved},
		"summary-colour":     {fixture.Fixture(), terminal.Options{Screen: terminal.Screen{Terminal: true, Colour: true, Width: 120}}},
		"summary-narrow":     {fixture.Fixture(), terminal.Options{Screen: terminal.Screen{Width: 80}}},
		"summary-tiny":       {fixture.Fixture(), terminal.Options{Screen: terminal.Screen{Width: 40}}},
		"summary-conforming": {fixture.Conforming(), saved},
		"summary-setup":      {fixture.FailedSetUp(), saved},
		"summary-large":      {large(), saved},
		"summary-nobody":     {run.Run{ID: "20260302-095800", Started: fixture.Began}, terminal.Options{}},
	} {
		t.Run(name, func(t *testing.T) { fixture.Golden(t, name, []byte(summaryText(t, tt.run, tt.options))) })
	}
}

func TestSummaryFitsTheScreen(t *testing.T) {
	for _, width := range []int{200, 120, 100, 80, 60} {
		o := terminal.Options{Screen: terminal.Screen{Width: width, Colour: true}, Folder: "out/20260302-095800"}
		for _, l := range strings.Split(summaryText(t, fixture.Fixture(), o)+summaryText(t, large(), o)+summaryText(t, fixture.BothLanes(), o), "\n") {
			if strings.Contains(l, "https://") {
				continue // an address is not broken: it could not be clicked
			}
			if got := text.StringWidthWithoutEscSequences(l); got > width {
				t.Errorf("width %d: %d columns: %s", width, got, l)
			}
		}
	}
}

func TestSummaryIsColouredForTerminalsOnly(t *testing.T) {
	g := NewWithT(t)
	plain := summaryText(t, fixture.Fixture(), terminal.Options{Screen: terminal.Screen{Width: 120}})
	g.Expect(plain).NotTo(ContainSubstring("\x1b"))
	coloured := summaryText(t, fixture.Fixture(), terminal.Options{Screen: terminal.Screen{Width: 120, Colour: true}})
	g.Expect(coloured).To(ContainSubstring("\x1b[31"))
	g.Expect(text.StripEscape(coloured)).To(Equal(plain), "colours change no character")
}

// Everything that is not well must be said in words, not only in a cell of the table.
func TestSummarySaysEverythingThatIsNotWell(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	// Wrapping aside.
	said := strings.Join(strings.Fields(summaryText(t, r, terminal.Options{Screen: terminal.Screen{Width: 1000}})), " ")
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
				g.Expect(size.FindAllString(said, -1)).To(HaveLen(1), "once for a formula")
			}
		}
	}
}

// large is a run as a nightly job has them: 170 trials on four subjects, one of them newer than the
// formulas, with all there is to complain about.
func large() run.Run {
	r := fixture.Fixture()
	r.Profile, r.Subjects, r.Nodes, r.Outcomes = "full", nil, nil, nil
	finding := trial.Finding{
		Claim:        "sigterm-to-death",
		Formula:      fixture.Remainder.ID,
		Says:         fixture.Remainder.Says,
		Source:       fixture.Remainder.Source,
		Promise:      fixture.Remainder.Promise,
		DocumentedAt: fixture.Remainder.DocumentedAt,
		Issues: fixture.Remainder.IssuesOf(
			formula.Input{},
		),
		Measured:    &trial.Measured{Unit: formula.Nanoseconds, Value: int64(2 * time.Second)},
		Implemented: fixture.Times(fixture.Part("all", time.Second, 3*time.Second)),
	}
	for i, version := range []string{"v1.23.1", "v1.34.4", "v1.36.3", "v1.37.0"} {
		r.Subjects = append(r.Subjects, run.Subject{Name: version, Kubelet: formula.Kubelet{Version: version}})
		for n := range 170 {
			area := []string{"deletion", "termination", "sidecars", "restarts", "probes", "eviction"}[n%6]
			o := run.Outcome{
				Trial:   fmt.Sprintf("%s/trial-%03d", area, n),
				About:   "One of many.",
				Subject: version,
				Verdict: trial.Conforms,
			}
			f := finding
			short := fixture.Times(fixture.Part("promise", 0, 1500*time.Millisecond))
			switch {
			case area == "sidecars" && i == 0:
				o.Verdict, o.Why = trial.Unsupported, "kubelet v1.23.1 has it not yet, since v1.29.0: init containers with restartPolicy Always are sidecars (KEP-753)"
			case n%17 == 3, n%17 == 5 && i == 0:
				o.Verdict, f.Documented = trial.Divergent, &short
			case n%80 == 7 && i == 1:
				o.Verdict, f.Why = trial.Inconclusive, "the node kept work waiting for 0.900 s at that time, which could explain it"
			case n%20 == 9 && i == 3:
				o.Verdict, f.Why = trial.Deviates, "6.000 s, 3.000 s above [1.000 s, 3.000 s]"
				f.Diagnosis = &trial.Diagnosis{
					Name:      "the hook's time is not subtracted",
					Reference: "kubernetes#115817",
					Would:     fixture.Times(fixture.Part("all", 6*time.Second, 6*time.Second)),
				}
			}
			if o.Verdict != trial.Unsupported {
				f.Verdict = o.Verdict
				o.Attempts = []run.Attempt{
					{
						Started: fixture.Began,
						Took:    22 * time.Second,
						Result:  trial.Result{Verdict: o.Verdict, Findings: []trial.Finding{f}, Extrapolated: i == 3},
					},
				}
			}
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	return r
}

// However large the run, what it came to must be read in ten seconds: it fits one screen, below the matrix.
func TestSummaryOfALargeRunIsShort(t *testing.T) {
	g := NewWithT(t)
	_, end, found := strings.Cut(
		summaryText(t, large(), terminal.Options{Screen: terminal.Screen{Width: 120}, Folder: "out/20260302-095800"}),
		"Run 20260302-095800, ",
	)
	g.Expect(found).To(BeTrue())
	g.Expect(strings.Count(end, "\n")).To(BeNumerically("<", 50))
}

// A node that died is quoted: not in a summary.
func TestSummaryCutsLongReasons(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	r.Outcomes[8].Why = strings.Repeat("goroutine ", 200) + "end"
	wide := terminal.Options{Screen: terminal.Screen{Width: 10000}}
	g.Expect(summaryText(t, r, wide)).
		To(And(ContainSubstring("goroutine…"), ContainSubstring("(all of it in verdicts.md)"), Not(ContainSubstring("goroutine end"))))
	var b bytes.Buffer
	g.Expect(markdown.Run(&b, r)).To(Succeed())
	g.Expect(b.String()).To(ContainSubstring("goroutine end"))
}

func TestMarkdownGolden(t *testing.T) {
	var b bytes.Buffer
	NewWithT(t).Expect(markdown.Run(&b, fixture.Fixture())).To(Succeed())
	fixture.Golden(t, "markdown", b.Bytes())
}

func TestExitReasonFitsTheExitCode(t *testing.T) {
	inconclusive := func(n, of int) run.Run {
		r := run.Run{}
		for i := range of {
			o := run.Outcome{Verdict: trial.Conforms}
			if i < n {
				o.Verdict = trial.Inconclusive
			}
			r.Outcomes = append(r.Outcomes, o)
		}
		return r
	}
	for name, tt := range map[string]struct {
		run    run.Run
		code   int
		reason string
	}{
		"all conform":           {fixture.Conforming(), run.ExitConforms, "no trial deviates."},
		"few inconclusive":      {inconclusive(1, 20), run.ExitConforms, "no trial deviates; 1 of 20 verdicts inconclusive, which up to 10 % is allowed."},
		"a deviation":           {fixture.Fixture(), run.ExitDeviates, "1 trial measured what the subject's code should not compute."},
		"too much inconclusive": {inconclusive(3, 20), run.ExitUnjudged, "the harness could not judge: 3 of 20 verdicts inconclusive, more than 10 %."},
		"a problem":             {run.Run{Problems: []string{"no engine"}}, run.ExitUnjudged, "the harness could not judge: no engine"},
		"nothing":               {run.Run{}, run.ExitUnjudged, "the harness could not judge: there was nothing to run."},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.run.ExitCode()).To(Equal(tt.code))
			g.Expect(view.ExitReason(tt.run)).To(Equal(tt.reason))
		})
	}
}

func TestSubjectsWrapAtTheirSigns(t *testing.T) {
	g := NewWithT(t)
	g.Expect(terminal.WrapCell("v1.36.3", 14)).To(Equal("v1.36.3"))
	g.Expect(terminal.WrapCell("v1.37.0 (extrapolated)", 14)).To(Equal("v1.37.0\n(extrapolated)"))
	g.Expect(terminal.WrapCell("v1.36.3+hook-not-subtracted", 14)).To(Equal("v1.36.3+hook-\nnot-subtracted"))
	g.Expect(terminal.WrapCell("unbreakablysolidname", 14)).To(Equal("unbreakablysol\nidname"))
}

func TestNamesWrapAtDashes(t *testing.T) {
	g := NewWithT(t)
	g.Expect(terminal.WrapName("termination/hook-time-is-cut", 20)).To(Equal("termination/hook-\n    time-is-cut"))
	g.Expect(terminal.WrapName("  sigterm-to-death", 20)).To(Equal("  sigterm-to-death"))
	g.Expect(terminal.WrapName("  unbreakablename", 10)).To(Equal("  unbreaka\n    blenam\n    e"))
	g.Expect(terminal.WrapName("short", 20)).To(Equal("short"))
}
