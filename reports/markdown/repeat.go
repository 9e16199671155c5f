package markdown

import (
	"fmt"
	"io"
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/repeats"
	"github.com/podclock/podclock/reports/view"
)

// Repeat writes what the repeats say for people: what came of it and in which figures, every
// verdict that was not the usual one, why attempts were run again, and the claims whose values come closest
// to the ends of their windows. All claims are in [RepeatClaims].
func Repeat(w io.Writer, r repeats.Repeat) error {
	d := &Document{}
	d.Line("# %s", r.Title())
	d.Line("\n%s", r.Totals())
	d.rounds(r)
	d.unusual(r)
	d.untrusted(r)
	d.closest(r)
	if _, err := io.WriteString(w, d.B.String()); err != nil {
		return fmt.Errorf("writing the repeats as Run: %w", err)
	}
	return nil
}

// rounds tells of those that failed or had problems.
func (d *Document) rounds(r repeats.Repeat) {
	for _, round := range r.Rounds {
		if round.Failed != "" {
			d.Line("\nRound %s failed: %s", round.ID, round.Failed)
		}
		for _, problem := range round.Problems {
			d.Line("\nProblem in round %s: %s", round.ID, problem)
		}
	}
}

// unusual are the verdicts that were not the usual ones.
func (d *Document) unusual(r repeats.Repeat) {
	d.Line("\n## Verdicts that were not the usual ones\n")
	if len(r.Unusual) == 0 {
		d.Line("None: every repeat of a trial came to the same verdict.")
		return
	}
	t := view.MarkdownTable("verdict", "trial", "subject", "round", "usual", "times", "attempts", "reason")
	for _, u := range r.Unusual {
		t.AppendRow(view.TableRow([]string{
			string(
				u.Verdict,
			),
			view.Code(u.Trial),
			u.Subject,
			u.Round,
			string(u.Usual),
			fmt.Sprintf("%d of %d", u.Times, u.Repeats),
			fmt.Sprint(u.Attempts),
			u.Reason,
		}))
	}
	d.Line("%s", t.RenderMarkdown())
}

// mostUntrusted is how many claims are listed for which attempts were run again.
const mostUntrusted = 15

// untrusted are the claims for which attempts were run again most often.
func (d *Document) untrusted(r repeats.Repeat) {
	claims := slices.DeleteFunc(slices.Clone(r.Claims), func(c repeats.ClaimSpread) bool { return c.Untrusted == 0 })
	if len(claims) == 0 {
		return
	}
	slices.SortStableFunc(claims, func(a, b repeats.ClaimSpread) int { return b.Untrusted - a.Untrusted })
	d.Line("\n## Claims that could not be judged, attempts that were run again included\n")
	t := view.MarkdownTable("claim", "inconclusive in attempts", "repeats")
	for _, c := range claims[:min(len(claims), mostUntrusted)] {
		t.AppendRow(view.TableRow([]string{name(c, r), fmt.Sprint(c.Untrusted), fmt.Sprint(c.Repeats)}))
	}
	d.Line("%s", t.RenderMarkdown())
	if more := len(claims) - mostUntrusted; more > 0 {
		d.Line("\nAnd %s more; %s has the numbers of all.", run.Plural(more, "claim"), repeats.RepeatClaimsFile)
	}
}

// name is the trial and the claim, and the kubelet where there are several.
func name(c repeats.ClaimSpread, r repeats.Repeat) string {
	name := view.Code(c.Trial) + " " + c.Claim
	if len(r.Kubelets) > 1 {
		name += " on " + repeats.RepeatedKubelet{Kubelet: c.Kubelet, Lane: c.Lane}.String()
	}
	return name
}
