// Package github writes what GitHub Actions shows of a run: a job's summary and annotations. It judges nothing.
package github

import (
	"fmt"
	"io"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/junit"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/sensitivity"
	"github.com/podclock/podclock/reports/terminal"
	"github.com/podclock/podclock/reports/view"
)

// JobSummaryOptions are what a run does not know itself.
type JobSummaryOptions struct {
	// Before is an earlier run, such as that of the night before: a divergence is new where it did not show
	// it. Nil: those are told that no issue is known of.
	Before *run.Run
	// Links lead to the run's other reports, in this order.
	Links []Link
}

// Link is an address with what a reader finds there.
type Link struct{ Text, URL string }

// JobSummary writes what a person wants to know of a run at the top of a CI job, as Markdown: the verdict
// in one sentence, the counts by subject, the deviations by what explains them, what could not be judged,
// new divergences, and links. Lists are cut where they are long, and name what holds the rest: GitHub shows
// no summary of more than 1 MiB at all.
func JobSummary(w io.Writer, r run.Run, o JobSummaryOptions) error {
	d := &markdown.Document{}
	d.Line("## podclock: %s\n", inline(view.Verdict(r)))
	d.Line("Run `%s`, %s.", r.ID, view.Tally(r.Outcomes))
	if f := view.FiguresOf(r); f.Outcomes > 0 {
		d.Line("%s%s.", f.Size(), inline(view.Profile(r)))
	}
	if view.Extrapolated(r) {
		d.Line("\n%s", view.Extrapolation)
	}
	if r.Uses(run.VirtualLane) {
		d.Line("\n%s", view.VirtualLimits)
	}
	problems(d, r)
	d.Counts(r)
	explained(d, r)
	open(d, r)
	news(d, r, o.Before)
	links(d, o.Links)
	if _, err := io.WriteString(w, bounded(d.B.String())); err != nil {
		return fmt.Errorf("writing the job summary of run %s: %w", r.ID, err)
	}
	return nil
}

// mostListed is how many items a list of a job summary has.
const mostListed = 20

// listing writes the first items of a list, and says how many there are more of.
func listing(d *markdown.Document, n int, item func(i int) string) {
	for i := range min(mostListed, n) {
		d.Line("- %s", item(i))
	}
	if rest := n - mostListed; rest > 0 {
		d.Line("- and %d more, all of them in %s", rest, run.MarkdownFile)
	}
}

func problems(d *markdown.Document, r run.Run) {
	if len(r.Problems) > 0 {
		d.Line("\n### Problems\n")
		listing(d, len(r.Problems), func(i int) string { return inline(r.Problems[i]) })
	}
}

// explained are the deviations by what explains them.
func explained(d *markdown.Document, r run.Run) {
	all := view.Explanations(r)
	if len(all) > 0 {
		d.Line("\n### Deviations")
	}
	for i, e := range all {
		if i == mostListed {
			d.Line("\nThere are %d more explanations, all of them in %s.", len(all)-i, run.MarkdownFile)
			break
		}
		d.Line("\n%s (%s):\n", sensitivity.Linked(inline(e.Title())), run.Plural(len(e.On), "verdict"))
		listing(d, len(e.On), func(i int) string { return item(e.On[i]) })
	}
}

// item is a deviating trial in a list, with the first of its claims.
func item(t view.DeviatingTrial) string {
	claims := t.Claims[:min(terminal.MostClaims, len(t.Claims))]
	s := fmt.Sprintf("%s on %s: %s", quoted(t.Trial), quoted(t.Subject), inline(strings.Join(claims, "; ")))
	if rest := len(t.Claims) - len(claims); rest > 0 {
		s += "; and " + run.Plural(rest, "more claim")
	}
	return s
}

// open are the outcomes that could not be judged, by their reasons.
func open(d *markdown.Document, r run.Run) {
	reasons := view.ReasonsOf(r, trial.Inconclusive)
	if len(reasons) > 0 {
		d.Line("\n### Inconclusive\n")
		listing(d, len(reasons), func(i int) string {
			var names []string
			for _, on := range reasons[i].On {
				names = append(names, quoted(on.Trial)+" on "+quoted(on.Subject))
			}
			return fmt.Sprintf(
				"%s: %s (%s)",
				run.Plural(len(reasons[i].On), "trial"),
				inline(reasons[i].Why),
				view.Listed(names),
			)
		})
	}
}

// links are one line.
func links(d *markdown.Document, all []Link) {
	var parts []string
	for _, l := range all {
		parts = append(
			parts,
			fmt.Sprintf(
				"[%s](<%s>)",
				inline(l.Text),
				strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(l.URL),
			),
		)
	}
	if len(parts) > 0 {
		d.Line("\n%s", strings.Join(parts, " · "))
	}
}

// inline makes a text fit to stand in a line of Markdown as it is: what a tool printed must neither end the
// line nor begin a tag, and nobody reads a whole log there.
func inline(s string) string {
	s = strings.Join(strings.Fields(junit.Printable(s)), " ")
	return asItIs.Replace(shortened(s, terminal.LongestReason))
}

var asItIs = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "<", "\\<", "|", "\\|")

// quoted is a name as code, which a backtick would end.
func quoted(name string) string {
	return "`" + strings.ReplaceAll(shortened(junit.Printable(name), longestTitle), "`", "'") + "`"
}

// longestSummary is how much of a summary GitHub takes: 1 MiB for each step. A margin is left for what else a step may say.
const longestSummary = 1<<20 - 64<<10

// bounded cuts what is too long even so, at the end of a line.
func bounded(text string) string {
	if len(text) <= longestSummary {
		return text
	}
	cut := strings.LastIndexByte(text[:longestSummary], '\n') + 1
	return text[:cut] + "\n**Cut here**: GitHub takes no more. All of it is in " + run.MarkdownFile + ".\n"
}
