package github

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestAnnotationsGolden(t *testing.T) {
	for name, r := range map[string]run.Run{"annotations": fixture.Fixture(),
		"annotations-setup": fixture.FailedSetUp(), "annotations-lanes": fixture.BothLanes()} {
		t.Run(name, func(t *testing.T) {
			fixture.Golden(t, name, []byte(annotated(t, r)))
		})
	}
}

func annotated(t *testing.T, r run.Run) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(Annotations(&b, view.OverviewOf(r, nil))).To(Succeed())
	return b.String()
}

func TestAGoodRunHasNoAnnotations(t *testing.T) {
	NewWithT(t).Expect(annotated(t, fixture.Conforming())).To(BeEmpty())
}

// manyDeviations returns a run with n deviating trials that nothing explains.
func manyDeviations(n int) run.Run {
	r := fixture.Conforming()
	for i := range n {
		r.Outcomes = append(
			r.Outcomes,
			run.Outcome{
				Trial:   fmt.Sprintf("probes/bad-%d", i),
				Subject: fixture.Reference,
				Verdict: trial.Deviates,
				Attempts: []run.Attempt{
					{
						Result: trial.Result{
							Verdict:  trial.Deviates,
							Findings: []trial.Finding{{Claim: "deaths", Verdict: trial.Deviates, Why: "too many"}},
						},
					},
				},
			},
		)
	}
	return r
}

// TestADeviationWithoutAFindingIsAnnotated has a deviation without a reason in any claim. It must be listed
// with the unexplained ones.
func TestADeviationWithoutAFindingIsAnnotated(t *testing.T) {
	silent := run.Outcome{
		Trial:    "probes/silent",
		Subject:  fixture.Reference,
		Verdict:  trial.Deviates,
		Attempts: []run.Attempt{{Result: trial.Result{Verdict: trial.Deviates}}},
	}
	never := run.Outcome{
		Trial:   "probes/never",
		Subject: fixture.Reference,
		Verdict: trial.Deviates,
		Why:     "a user edited the run",
	}
	const told = "::error title=probes/silent on v1.36.3 deviates::no reason was saved\n::error " +
		"title=probes/never on v1.36.3 deviates::a user edited the run\n"
	for name, r := range map[string]run.Run{"alone": fixture.Conforming(), "with others": manyDeviations(1),
		"with an explained deviation": fixture.Fixture()} {
		g := NewWithT(t)
		r.Outcomes = append(r.Outcomes, silent, never)
		g.Expect(annotated(t, r)).To(HaveSuffix(told), name)
		g.Expect(summarised(t, r, JobSummaryOptions{})).To(And(
			ContainSubstring(
				"- probes/silent on v1.36.3\n  - no reason was saved\n",
			),
			ContainSubstring("- probes/never on v1.36.3\n  - a user edited the run\n"),
		), name)
	}
}

func TestAnnotationsFitGitHubsLimit(t *testing.T) {
	for n, last := range map[int]string{
		1: "probes/bad-0 on v1.36.3 deviates", 9: "probes/bad-8 on v1.36.3 deviates", 10: "probes/bad-9 on " +
			"v1.36.3 deviates", 11: "2 more annotations", 500: "491 more annotations",
	} {
		g := NewWithT(t)
		text := annotated(t, manyDeviations(n))
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		g.Expect(lines).To(HaveLen(min(n, 10)))
		g.Expect(lines[len(lines)-1]).To(HavePrefix("::error title=" + last + "::"))
		g.Expect(len(text)).To(BeNumerically("<", 64<<10))
	}
}

// understood parses a workflow command as a runner does: properties between the first two pairs of colons, then
// the message.
func understood(line string) (command, title, message string) {
	rest, _ := strings.CutPrefix(line, "::")
	head, message, _ := strings.Cut(rest, "::")
	command, properties, _ := strings.Cut(head, " ")
	for property := range strings.SplitSeq(properties, ",") {
		if name, value, _ := strings.Cut(property, "="); name == "title" {
			title = value
		}
	}
	title = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(title)
	return command, title, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(message)
}

// TestAnnotationsAreReadBackEqual quotes texts that contain commands. A runner must read exactly one error.
func TestAnnotationsAreReadBackEqual(t *testing.T) {
	awkward := rapid.StringOf(rapid.SampledFrom([]rune("ab :,%\r\n=é25A\x1b"))).
		Filter(func(s string) bool { return len(s) < 50 })
	rapid.Check(t, func(t *rapid.T) {
		a := annotation{awkward.Draw(t, "title"), awkward.Draw(t, "text") + "::set-env name=x::y\n::stop-commands::z"}
		line := a.command()
		if strings.Count(line, "\n") != 1 || strings.Contains(line, "\r") {
			t.Fatalf("%q is not one line", line)
		}
		command, title, message := understood(strings.TrimSuffix(line, "\n"))
		if command != "error" || title != view.Printable(a.title) || message != view.Printable(a.text) {
			t.Fatalf("%q is read as %q, %q, %q", line, command, title, message)
		}
	})
}

func TestAnnotationsReportAWriteError(t *testing.T) {
	NewWithT(
		t,
	).Expect(Annotations(fixture.BrokenWriter{}, view.OverviewOf(fixture.Fixture(), nil))).
		To(MatchError(And(ContainSubstring("disk full"), ContainSubstring("20260302-095800"))))
}
