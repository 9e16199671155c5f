// Package github writes what GitHub Actions shows of a run: a job's summary and annotations. It judges nothing.
package github

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view"
)

// JobSummaryOptions are facts that a run does not record.
type JobSummaryOptions struct {
	// Before is an earlier run, such as the last nightly one. A divergence is new if the earlier run did not
	// show it. Without it the summary lists the divergences without a known issue.
	Before *run.Run
	// Links are the links to the run's other reports, in this order.
	Links []Link
}

// Link is an address and its text.
type Link struct{ Text, URL string }

// JobSummary writes the summary of a CI job as Markdown: the verdict in one sentence, the counts by subject,
// what is not as expected, new divergences, and links. It cuts long lists, because GitHub shows no summary of
// more than 1 MiB.
func JobSummary(w io.Writer, v view.Overview, o JobSummaryOptions) error {
	d, r := &markdown.Document{}, v.Run
	d.Line("## podclock: %s\n", markdown.Escape(text.Snip(view.Printable(v.Verdict), limits.Reason, "…")))
	d.Line("Run `%s`, %s.", r.ID, view.Tally(r.Outcomes))
	if v.Size != "" {
		d.Line("%s", markdown.Escape(v.Size))
	}
	if view.Extrapolated(r) {
		d.Line("\n%s", view.Extrapolation)
	}
	if r.Uses(run.VirtualLane) {
		d.Line("\n%s", view.VirtualLimits)
	}
	if len(v.Subjects) > 0 {
		d.Sections(3, v.Counts())
	}
	for _, p := range v.Sections(limits) {
		if p.ID == "divergences" {
			p = news(v, o.Before)
		}
		for i := range p.Lines {
			p.Lines[i].Link = "" // a path in the run's folder, which GitHub cannot open
		}
		if len(p.Lines) > 0 || p.Note != "" {
			d.Sections(3, p)
		}
	}
	links(d, o.Links)
	if _, err := io.WriteString(w, bounded(view.Printable(d.String()))); err != nil {
		return fmt.Errorf("writing the job summary of run %s: %w", r.ID, err)
	}
	return nil
}

// limits are the limits of a job summary.
var limits = view.Brief()

// news lists the divergences that an earlier run did not show on the same subject. Without an earlier run it
// lists those without a known issue.
func news(v view.Overview, before *run.Run) view.Section {
	p := view.Section{ID: "divergences", Title: "Divergences without a known issue"}
	what := "without a known issue"
	if before != nil {
		p.Title, what = fmt.Sprintf("New divergences since run %s", before.ID), "new"
	}
	for _, d := range v.Divergences {
		on := d.Subjects
		if before != nil {
			on = unseen(*before, d)
		} else if !d.Unknown {
			continue
		}
		if len(on) > 0 {
			p.AddLine(fmt.Sprintf("%s: %s, on %s; %s", d.Formula, d.Gap, view.Listed(on), strings.Join(d.Issues, "; ")))
		}
	}
	of := run.Plural(len(v.Divergences), "divergence")
	if len(p.Lines) == 0 {
		p.Title, p.Note = "Divergences", fmt.Sprintf("Of %s, none is %s.", of, what)
		return p
	}
	p.Note = fmt.Sprintf("Of %s, %d:", of, len(p.Lines))
	if rest := len(p.Lines) - limits.Lines; rest > 0 {
		p.Lines, p.Rest = p.Lines[:limits.Lines], rest
	}
	return p
}

// unseen returns the subjects of a divergence that the earlier run has but did not show it on.
func unseen(before run.Run, d view.Divergence) []string {
	had, shown := view.Names(view.ColumnsOf(before)), []string(nil)
	for _, earlier := range view.DivergencesOf(before, nil) {
		if earlier.Formula == d.Formula && earlier.Promise == d.Promise {
			shown = earlier.Subjects
		}
	}
	return slices.DeleteFunc(slices.Clone(d.Subjects), func(s string) bool {
		return !slices.Contains(had, s) || slices.Contains(shown, s)
	})
}

// links writes all links in one line.
func links(d *markdown.Document, all []Link) {
	var parts []string
	for _, l := range all {
		url := strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(l.URL)
		parts = append(parts, fmt.Sprintf("[%s](<%s>)", markdown.Escape(l.Text), url))
	}
	if len(parts) > 0 {
		d.Line("\n%s", strings.Join(parts, " · "))
	}
}

// longestSummary limits a summary, in bytes. GitHub takes 1 MiB for each step. The margin is for other output
// of the step.
const longestSummary = 1<<20 - 64<<10

// bounded cuts a long text at the end of a line.
func bounded(text string) string {
	if len(text) <= longestSummary {
		return text
	}
	cut := strings.LastIndexByte(text[:longestSummary], '\n') + 1
	return text[:cut] + "\n**Cut here**: GitHub accepts no more. The whole report is in " + run.MarkdownFile + ".\n"
}
