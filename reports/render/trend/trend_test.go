package trend

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/series"
)

func comparisonPage(t *testing.T, c series.Comparison) string {
	var b strings.Builder
	NewWithT(t).Expect(Comparison(&b, c)).To(Succeed())
	return b.String()
}

func historyPage(t *testing.T, h series.History) string {
	var b strings.Builder
	NewWithT(t).Expect(History(&b, h)).To(Succeed())
	return b.String()
}

func body(t *testing.T, page string) string {
	_, rest, found := strings.Cut(page, "<body>")
	NewWithT(t).Expect(found).To(BeTrue())
	shown, _, found := strings.Cut(rest, "<script")
	NewWithT(t).Expect(found).To(BeTrue())
	return regexp.MustCompile(`\n\s*`).ReplaceAllString(shown, "\n")
}

var packed = regexp.MustCompile(`id="data">([^<]*)</script>`)

func data(t *testing.T, page string) charted {
	g := NewWithT(t)
	found := packed.FindStringSubmatch(page)
	g.Expect(found).To(HaveLen(2))
	compressed, err := base64.StdEncoding.DecodeString(found[1])
	g.Expect(err).NotTo(HaveOccurred())
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	g.Expect(err).NotTo(HaveOccurred())
	plain, err := io.ReadAll(z)
	g.Expect(err).NotTo(HaveOccurred())
	var c charted
	g.Expect(json.Unmarshal(plain, &c)).To(Succeed())
	return c
}

func TestComparisonPage(t *testing.T) {
	g := NewWithT(t)
	c := theComparison(t)
	page := comparisonPage(t, c)
	fixture.Golden(t, "comparison", []byte(body(t, page)))
	g.Expect(comparisonPage(t, c)).To(Equal(page), "the same comparison gives the same bytes")
	g.Expect(strings.Count(page, `<svg class="move"`)).To(BeNumerically(">", 0))
}

func TestHistoryPage(t *testing.T) {
	g := NewWithT(t)
	h := theHistory(t)
	page := historyPage(t, h)
	shown, runs, found := strings.Cut(body(t, page), `<section id="runs">`)
	g.Expect(found).To(BeTrue())
	fixture.Golden(t, "history", []byte(shown))
	g.Expect(strings.Count(runs, `<span class="strip"`)).To(Equal(len(h.Runs)), "every run's verdicts are drawn")
	g.Expect(historyPage(t, h)).To(Equal(page), "the same history gives the same bytes")
	drawn := data(t, page)
	g.Expect(drawn.Runs).To(HaveLen(len(h.Runs)))
	g.Expect(drawn.Trials).To(HaveLen(len(h.Trials)))
	for i, trial := range h.Trials {
		g.Expect(drawn.Trials[i].Claims).To(HaveLen(len(trial.Claims)))
		for j, claim := range trial.Claims {
			shown := drawn.Trials[i].Claims[j]
			g.Expect([]int{len(shown.Runs), len(shown.Values), len(shown.Verdicts)}).To(HaveEach(len(claim.Points)))
			g.Expect([]int{len(shown.Earliest), len(shown.Latest)}).To(HaveEach(Or(Equal(1), Equal(len(claim.Points)))))
		}
	}
}

func TestPagesOfNothing(t *testing.T) {
	g := NewWithT(t)
	g.Expect(historyPage(t, series.History{})).To(ContainSubstring("No runs"))
	g.Expect(comparisonPage(t, series.Compare(run.Run{}, run.Run{}, series.History{}))).
		To(ContainSubstring("can&#39;t be compared"))
}

// TestColours expects that a rule sets each custom property that the page's rules and script use for a colour.
func TestColours(t *testing.T) {
	g := NewWithT(t)
	page := historyPage(t, theHistory(t))
	_, css, _ := strings.Cut(page, "<style>")
	css, _, _ = strings.Cut(css, "</style>")
	var names []string
	use := regexp.MustCompile(`var\(--([\w-]+)|` +
		`(?:colour\(|line\(|inconclusive: |divergent: |deviates: |conforms: )"([\w-]+)"`)
	for _, used := range use.FindAllStringSubmatch(page, -1) {
		names = append(names, "--"+used[1]+used[2])
	}
	g.Expect(names).To(ContainElements("--paper", "--window", "--drawing-window", "--doubt"))
	for _, name := range names {
		g.Expect(strings.Contains(css, name+":")).To(BeTrue(), "nothing sets %s", name)
	}
}

// TestPagesAreClosed expects that a page loads nothing, and that texts of a run do not become markup.
func TestPagesAreClosed(t *testing.T) {
	g := NewWithT(t)
	hostile := `</script><script>alert(1)</script><b onclick=alert(1)>"'`
	c, h := theComparison(t), theHistory(t)
	c.Before.ID, c.Changes[0].Why, c.Changes[0].Trial, c.Moves[0].Claim = hostile, hostile, hostile, hostile
	h.Runs[0].ID, h.Trials[0].Trial, h.PassedOver = hostile, hostile, []string{hostile}
	h.Trials[0].Runs[0].Why, h.Trials[0].Claims[0].Claim = hostile, hostile
	for _, page := range []string{comparisonPage(t, c), historyPage(t, h)} {
		g.Expect(page).NotTo(ContainSubstring("<b onclick"))
		g.Expect(strings.Count(page, "alert(1)</script>")).To(BeZero())
		g.Expect(page).To(ContainSubstring("default-src 'none'"))
		shown := body(t, page)
		g.Expect(shown).NotTo(MatchRegexp(`<[^>]*(src|href)="?[^#"]`), "no address but within the page")
	}
}

func TestDrawMove(t *testing.T) {
	g := NewWithT(t)
	m := series.Move{
		Trial:  "area/trial",
		Claim:  "a<b",
		Unit:   formula.Nanoseconds,
		Before: series.Placed{Value: 0, Ends: series.Ends{Latest: 1e9}},
		After:  series.Placed{Value: 2e9, Ends: series.Ends{Latest: 1e9}},
	}
	drawn := string(drawMove(m))
	g.Expect(drawn).To(ContainSubstring(`<circle class="was" cx="5.0"`), "at the left edge")
	g.Expect(drawn).To(ContainSubstring(`<circle class="is" cx="195.0"`), "at the right edge")
	g.Expect(strings.Count(drawn, `<rect class="window" x="5.0"`)).To(Equal(2))
	g.Expect(drawn).To(ContainSubstring("a&lt;b: before 0.000 s in 0.000 s to 1.000 s, after 2.000 s"))
	still := series.Placed{Value: 3, Ends: series.Ends{Earliest: 3, Latest: 3}}
	g.Expect(string(drawMove(series.Move{Unit: formula.Count, Before: still, After: still}))).
		NotTo(ContainSubstring("NaN"))
}

func TestSegments(t *testing.T) {
	g := NewWithT(t)
	var h series.History
	for n := range 6 {
		h.Runs = append(h.Runs, view.RunSummary{ID: fmt.Sprint(n)})
	}
	got := segments(
		h,
		series.TrialHistory{
			Runs: []series.TrialRun{
				{Run: 1, Verdict: trial.Conforms},
				{Run: 2, Verdict: trial.Conforms},
				{Run: 3, Verdict: trial.Deviates},
				{Run: 5, Verdict: trial.Conforms},
			},
		},
	)
	g.Expect(got).To(Equal([]segment{
		{
			"",
			1,
			"not run in 1 run, 0",
		},
		{trial.Conforms, 2, "conforms in 2 runs, 1 to 2"},
		{trial.Deviates, 1, "deviates in 1 run, 3"},
		{"", 1, "not run in 1 run, 4"},
		{trial.Conforms, 1, "conforms in 1 run, 5"},
	}))
}

// large is a history of four subjects and sixty nights with as many trials as the catalogue.
func large() series.History {
	h := series.History{Schema: series.HistorySchema}
	for n := range series.MostRuns {
		h.Runs = append(
			h.Runs,
			view.RunSummary{
				ID:       fmt.Sprintf("2026%04d-220000", n),
				Started:  time.Date(2026, 1, n, 22, 0, 0, 0, time.UTC),
				Verdicts: map[trial.Verdict]int{trial.Conforms: 680},
			},
		)
	}
	for i := range 680 {
		t := series.TrialHistory{
			Trial:   fmt.Sprintf("area/a-trial-of-usual-length-%d", i/4),
			Subject: fmt.Sprintf("v1.3%d.3", i%4),
		}
		for n := range h.Runs {
			t.Runs = append(t.Runs, series.TrialRun{Run: n, Verdict: trial.Conforms, Attempts: 1})
		}
		for c := range 6 {
			claim := series.ClaimHistory{
				Claim:   fmt.Sprintf("a-point-to-another-point-%d", c),
				Formula: "area/formula",
				Unit:    formula.Nanoseconds,
			}
			for n := range h.Runs {
				value := int64(5e9) + int64((n*7919+i*104729+c*1299709)%250_000_000)
				claim.Points = append(
					claim.Points,
					series.Point{
						Run:     n,
						Verdict: trial.Conforms,
						Value:   &value,
						Ends:    series.Ends{Earliest: 49e8 - value%5e6, Latest: 5.35e9 + value%5e6},
					},
				)
			}
			t.Claims = append(t.Claims, claim)
		}
		h.Trials = append(h.Trials, t)
	}
	return h
}

func TestHistoryPageStaysSmall(t *testing.T) {
	g := NewWithT(t)
	began := time.Now()
	page := historyPage(t, large())
	t.Logf(
		"%d trials, %d runs: %.1f MB in %v",
		680,
		series.MostRuns,
		float64(len(page))/1e6,
		time.Since(began).Round(time.Millisecond),
	)
	g.Expect(len(page)).To(BeNumerically("<", 5_000_000))
}
