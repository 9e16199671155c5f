package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

func summary(t *testing.T, r Run, o SummaryOptions) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(Summary(&b, r, o)).To(Succeed())
	return b.String()
}

func TestSummaryGolden(t *testing.T) {
	saved := SummaryOptions{Folder: "out/20260302-095800"}
	for name, tt := range map[string]struct {
		run     Run
		options SummaryOptions
	}{
		"summary":            {fixture(), saved},
		"summary-colour":     {fixture(), SummaryOptions{Screen: Screen{Terminal: true, Colour: true, Width: 120}}},
		"summary-narrow":     {fixture(), SummaryOptions{Screen: Screen{Width: 80}}},
		"summary-tiny":       {fixture(), SummaryOptions{Screen: Screen{Width: 40}}},
		"summary-conforming": {conforming(), saved},
		"summary-setup":      {failedSetUp(), saved},
		"summary-nobody":     {Run{ID: "20260302-095800", Started: began}, SummaryOptions{}},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, []byte(summary(t, tt.run, tt.options))) })
	}
}

func TestSummaryFitsTheScreen(t *testing.T) {
	for _, width := range []int{200, 120, 100, 80, 60} {
		for _, l := range strings.Split(summary(t, fixture(), SummaryOptions{Screen: Screen{Width: width, Colour: true}}), "\n") {
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
	plain := summary(t, fixture(), SummaryOptions{Screen: Screen{Width: 120}})
	g.Expect(plain).NotTo(ContainSubstring("\x1b"))
	coloured := summary(t, fixture(), SummaryOptions{Screen: Screen{Width: 120, Colour: true}})
	g.Expect(coloured).To(ContainSubstring("\x1b[31"))
	g.Expect(text.StripEscape(coloured)).To(Equal(plain), "colours change no character")
}

// Everything that is not well must be said in words, not only in a cell of the table.
func TestSummarySaysEverythingThatIsNotWell(t *testing.T) {
	g := NewWithT(t)
	r := fixture()
	// Wrapping aside.
	said := strings.Join(strings.Fields(summary(t, r, SummaryOptions{Screen: Screen{Width: 1000}})), " ")
	for _, o := range r.Outcomes {
		g.Expect(said).To(ContainSubstring(o.Trial))
		if o.Verdict == trial.Inconclusive || o.Verdict == trial.Unsupported || o.Verdict == trial.Deviates {
			g.Expect(said).To(ContainSubstring(o.Trial + " on " + o.Subject))
			for _, f := range findings(o) {
				if f.Verdict == o.Verdict {
					g.Expect(said).To(ContainSubstring(f.Why))
				}
			}
		}
		for _, f := range findings(o) {
			if f.Verdict == trial.Divergent {
				g.Expect(said).To(And(ContainSubstring(f.Promise), ContainSubstring(f.DocumentedAt), ContainSubstring(f.Issues)))
				g.Expect(strings.Count(said, f.Promise)).To(Equal(1), "once for a formula")
			}
		}
	}
}

func TestMarkdownGolden(t *testing.T) {
	var b bytes.Buffer
	NewWithT(t).Expect(Markdown(&b, fixture())).To(Succeed())
	golden(t, "markdown", b.Bytes())
}

func TestExitReasonFitsTheExitCode(t *testing.T) {
	inconclusive := func(n, of int) Run {
		r := Run{}
		for i := range of {
			o := Outcome{Verdict: trial.Conforms}
			if i < n {
				o.Verdict = trial.Inconclusive
			}
			r.Outcomes = append(r.Outcomes, o)
		}
		return r
	}
	for name, tt := range map[string]struct {
		run    Run
		code   int
		reason string
	}{
		"all conform":           {conforming(), ExitConforms, "no trial deviates."},
		"few inconclusive":      {inconclusive(1, 20), ExitConforms, "no trial deviates; 1 of 20 verdicts inconclusive, which up to 10 % is allowed."},
		"a deviation":           {fixture(), ExitDeviates, "1 trial measured what the subject's code should not compute."},
		"too much inconclusive": {inconclusive(3, 20), ExitUnjudged, "the harness could not judge: 3 of 20 verdicts inconclusive, more than 10 %."},
		"a problem":             {Run{Problems: []string{"no engine"}}, ExitUnjudged, "the harness could not judge: no engine"},
		"nothing":               {Run{}, ExitUnjudged, "the harness could not judge: there was nothing to run."},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.run.ExitCode()).To(Equal(tt.code))
			g.Expect(tt.run.ExitReason()).To(Equal(tt.reason))
		})
	}
}

func TestNamesWrapAtDashes(t *testing.T) {
	g := NewWithT(t)
	g.Expect(wrapName("termination/hook-time-is-cut", 20)).To(Equal("termination/hook-\n    time-is-cut"))
	g.Expect(wrapName("  sigterm-to-death", 20)).To(Equal("  sigterm-to-death"))
	g.Expect(wrapName("  unbreakablename", 10)).To(Equal("  unbreaka\n    blenam\n    e"))
	g.Expect(wrapName("short", 20)).To(Equal("short"))
}
