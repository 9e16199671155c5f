package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/podclock/podclock/harness/trial"
)

// JobSummaryOptions are what a run does not know itself.
type JobSummaryOptions struct {
	// Before is an earlier run, such as that of the night before: a divergence is new where it did not show
	// it. Nil: those are told that no issue is known of.
	Before *Run
	// Links lead to the run's other reports, in this order.
	Links []Link
}

// Link is an address with what a reader finds there.
type Link struct{ Text, URL string }

// JobSummary writes what a person wants to know of a run at the top of a CI job, as Markdown: the verdict
// in one sentence, the counts by subject, the deviations by what explains them, what could not be judged,
// new divergences, and links. Lists are cut where they are long, and name what holds the rest: GitHub shows
// no summary of more than 1 MiB at all.
func JobSummary(w io.Writer, r Run, o JobSummaryOptions) error {
	d := &document{}
	d.line("## podclock: %s\n", inline(r.verdict()))
	d.line("Run `%s`, %s.", r.ID, tally(r.Outcomes))
	if f := r.Figures(); f.Outcomes > 0 {
		d.line("%s%s.", f.size(), inline(profile(r)))
	}
	if r.extrapolated() {
		d.line("\n%s", extrapolation)
	}
	if r.uses(VirtualLane) {
		d.line("\n%s", virtualLimits)
	}
	d.problems(r)
	d.counts(r)
	d.explained(r)
	d.open(r)
	d.news(r, o.Before)
	d.links(o.Links)
	if _, err := io.WriteString(w, bounded(d.b.String())); err != nil {
		return fmt.Errorf("writing the job summary of run %s: %w", r.ID, err)
	}
	return nil
}

// mostListed is how many items a list of a job summary has.
const mostListed = 20

// listing writes the first items of a list, and says how many there are more of.
func (d *document) listing(n int, item func(i int) string) {
	for i := range min(mostListed, n) {
		d.line("- %s", item(i))
	}
	if rest := n - mostListed; rest > 0 {
		d.line("- and %d more, all of them in %s", rest, MarkdownFile)
	}
}

func (d *document) problems(r Run) {
	if len(r.Problems) > 0 {
		d.line("\n### Problems\n")
		d.listing(len(r.Problems), func(i int) string { return inline(r.Problems[i]) })
	}
}

// explained are the deviations by what explains them.
func (d *document) explained(r Run) {
	all := r.explanations()
	if len(all) > 0 {
		d.line("\n### Deviations")
	}
	for i, e := range all {
		if i == mostListed {
			d.line("\nThere are %d more explanations, all of them in %s.", len(all)-i, MarkdownFile)
			break
		}
		d.line("\n%s (%s):\n", linked(inline(e.Title())), plural(len(e.On), "verdict"))
		d.listing(len(e.On), func(i int) string { return e.On[i].item() })
	}
}

// item is a deviating trial in a list, with the first of its claims.
func (t DeviatingTrial) item() string {
	claims := t.Claims[:min(mostClaims, len(t.Claims))]
	s := fmt.Sprintf("%s on %s: %s", quoted(t.Trial), quoted(t.Subject), inline(strings.Join(claims, "; ")))
	if rest := len(t.Claims) - len(claims); rest > 0 {
		s += "; and " + plural(rest, "more claim")
	}
	return s
}

// open are the outcomes that could not be judged, by their reasons.
func (d *document) open(r Run) {
	reasons := r.reasonsOf(trial.Inconclusive)
	if len(reasons) > 0 {
		d.line("\n### Inconclusive\n")
		d.listing(len(reasons), func(i int) string {
			var names []string
			for _, on := range reasons[i].On {
				names = append(names, quoted(on.Trial)+" on "+quoted(on.Subject))
			}
			return fmt.Sprintf(
				"%s: %s (%s)",
				plural(len(reasons[i].On), "trial"),
				inline(reasons[i].Why),
				listed(names),
			)
		})
	}
}

// links are one line.
func (d *document) links(all []Link) {
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
		d.line("\n%s", strings.Join(parts, " · "))
	}
}

// inline makes a text fit to stand in a line of Markdown as it is: what a tool printed must neither end the
// line nor begin a tag, and nobody reads a whole log there.
func inline(s string) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	return asItIs.Replace(shortened(s, longestReason))
}

var asItIs = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "<", "\\<", "|", "\\|")

// quoted is a name as code, which a backtick would end.
func quoted(name string) string {
	return "`" + strings.ReplaceAll(shortened(printable(name), longestTitle), "`", "'") + "`"
}

// longestSummary is how much of a summary GitHub takes: 1 MiB for each step. A margin is left for what else a step may say.
const longestSummary = 1<<20 - 64<<10

// bounded cuts what is too long even so, at the end of a line.
func bounded(text string) string {
	if len(text) <= longestSummary {
		return text
	}
	cut := strings.LastIndexByte(text[:longestSummary], '\n') + 1
	return text[:cut] + "\n**Cut here**: GitHub takes no more. All of it is in " + MarkdownFile + ".\n"
}
