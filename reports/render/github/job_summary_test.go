package github

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func summarised(t *testing.T, r run.Run, o JobSummaryOptions) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(JobSummary(&b, view.OverviewOf(r, nil), o)).To(Succeed())
	return b.String()
}

func TestJobSummaryGolden(t *testing.T) {
	links := []Link{
		{"report", "https://example.org/1/report.html"},
		{"every verdict", "https://example.org/1/verdicts.md"},
	}
	fixture.Golden(t, "job-summary", []byte(summarised(t, fixture.BothLanes(), JobSummaryOptions{Links: links})))
}

func TestJobSummaryWithoutVerdicts(t *testing.T) {
	g := NewWithT(t)
	g.Expect(summarised(t, fixture.FailedSetUp(), JobSummaryOptions{})).To(And(
		HavePrefix("## podclock: The harness could not judge: booting the cluster: node podclock-worker was not Ready"),
		ContainSubstring("\n### Problems\n\n- booting the cluster: "),
		ContainSubstring("it never ran: the cluster never got ready"),
		Not(ContainSubstring("### Deviations")),
	))
	g.Expect(summarised(t, run.Run{ID: "20260302-095800"}, JobSummaryOptions{})).
		To(HavePrefix("## podclock: The harness could not judge: there was nothing to run.\n"))
	g.Expect(summarised(t, fixture.Conforming(), JobSummaryOptions{})).To(And(
		HavePrefix(
			"## podclock: No trial deviates.\n",
		),
		Not(ContainSubstring("### Deviations")),
		Not(ContainSubstring("### Inconclusive")),
	))
}

// TestNewDivergencesAreThoseThatAnEarlierRunDidNotShow expects that an earlier run without the subject makes no
// divergence new.
func TestNewDivergencesAreThoseThatAnEarlierRunDidNotShow(t *testing.T) {
	g := NewWithT(t)
	same := fixture.Fixture()
	g.Expect(summarised(t, fixture.Fixture(), JobSummaryOptions{Before: &same})).
		To(ContainSubstring("Of 2 divergences, none is new."))
	kept := fixture.Fixture()
	kept.ID = "earlier"
	for i, o := range kept.Outcomes {
		if o.Subject == fixture.Reference && o.Trial == "probes/streak-survives-a-crash" {
			kept.Outcomes[i].Attempts = slices.Clone(o.Attempts)
			kept.Outcomes[i].Attempts[0].Result.Findings = nil
		}
	}
	g.Expect(summarised(t, fixture.Fixture(), JobSummaryOptions{Before: &kept})).To(ContainSubstring(
		"### New divergences since run earlier\n\nOf 2 divergences, 1:\n\n- probes/failing-probes: 2 below what " +
			"is documented, on v1.36.3; no issue known\n",
	))
	others := fixture.Conforming()
	others.Subjects, others.Outcomes = others.Subjects[:0:0], nil
	g.Expect(summarised(t, fixture.Fixture(), JobSummaryOptions{Before: &others})).
		To(ContainSubstring("none is new"), "it had no subject in common")
}

// TestJobSummaryIsNeverTooLong matters because GitHub shows nothing of a summary that is too long.
func TestJobSummaryIsNeverTooLong(t *testing.T) {
	r := fixture.Fixture()
	r.Outcomes, r.Subjects = nil, nil
	long := strings.Repeat("what a tool said of `it` | ", 400)
	for range 3000 {
		r.Problems = append(r.Problems, long)
	}
	for s := range 2500 {
		subject := fmt.Sprintf("v1.36.3@./%d/%s", s, strings.Repeat("x", 500))
		r.Subjects = append(r.Subjects, run.Subject{Name: subject})
		f := trial.Finding{
			Claim:     "deaths",
			Verdict:   trial.Deviates,
			Why:       long,
			Diagnosis: &trial.Diagnosis{Name: subject, Reference: long},
		}
		r.Outcomes = append(
			r.Outcomes,
			run.Outcome{
				Trial:    "probes/bad",
				Subject:  subject,
				Verdict:  trial.Deviates,
				Attempts: []run.Attempt{{Result: trial.Result{Findings: []trial.Finding{f, f, f, f, f}}}},
			},
			run.Outcome{Trial: "probes/open", Subject: subject, Verdict: trial.Inconclusive, Why: fmt.Sprint(s, long)},
		)
	}
	g := NewWithT(t)
	text := summarised(t, r, JobSummaryOptions{})
	g.Expect(len(text)).To(BeNumerically("<", 1<<20))
	g.Expect(text).To(HaveSuffix("The whole report is in verdicts.md.\n"))
	r.Subjects, r.Outcomes = r.Subjects[:4], r.Outcomes[:8]
	g.Expect(len(summarised(t, r, JobSummaryOptions{}))).
		To(BeNumerically("<", 100<<10), "long texts alone do not fill it")
}

// TestJobSummaryOfAnInterruptedRun expects the run's own sentence first. An interrupted run has not judged
// everything, even if nothing deviates.
func TestJobSummaryOfAnInterruptedRun(t *testing.T) {
	r := fixture.Conforming()
	r.Problems = []string{"interrupted"}
	NewWithT(
		t,
	).Expect(summarised(t, r, JobSummaryOptions{})).
		To(HavePrefix("## podclock: The harness could not judge everything: interrupted\n"))
}

// TestJobSummaryQuotesNothingAsMarkdown expects that a tool's output is shown literally.
func TestJobSummaryQuotesNothingAsMarkdown(t *testing.T) {
	g := NewWithT(t)
	r := run.Run{ID: "x", Problems: []string{"docker said: <script>\n# no | `space` *left*\x1b[31m"}}
	text := summarised(t, r, JobSummaryOptions{Links: []Link{{"a|b", "https://example.org/<x>\n"}}})
	g.Expect(text).To(ContainSubstring("- docker said: \\<script> # no \\| \\`space\\` \\*left\\*[31m\n"))
	g.Expect(text).To(ContainSubstring("[a\\|b](<https://example.org/%3Cx%3E>)"))
}

func TestJobSummaryReportsAWriteError(t *testing.T) {
	v := view.OverviewOf(fixture.Fixture(), nil)
	NewWithT(t).Expect(JobSummary(fixture.BrokenWriter{}, v, JobSummaryOptions{})).
		To(MatchError(And(ContainSubstring("disk full"), ContainSubstring("20260302-095800"))))
}
