package github

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/sensitivity"
	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// news are the divergences that a reader has not read of: those that an earlier run did not show on the
// same subject, else those that no issue is known of.
func news(d *markdown.Document, r run.Run, before *run.Run) {
	all := view.DivergingIn(r)
	if len(all) == 0 {
		return
	}
	var items []string
	for _, entry := range all {
		on := slices.DeleteFunc(series.SubjectNames(r), func(s string) bool { return entry.Seen[s] == 0 })
		if before != nil {
			on = unseen(*before, *entry, on)
		} else if !entry.Unknown() {
			continue
		}
		if len(on) == 0 {
			continue
		}
		for i, s := range on {
			on[i] = quoted(s)
		}
		items = append(
			items,
			fmt.Sprintf("%s: %s, on %s; %s", quoted(entry.Formula), entry.Gap(), view.Listed(on), sensitivity.Linked(markdown.Marked(*entry))),
		)
	}
	title, what := "Divergences that no issue is known of", "without a known issue"
	if before != nil {
		title, what = fmt.Sprintf("New divergences, since run %s", inline(before.ID)), "new"
	}
	if len(items) == 0 {
		d.Line("\nOf %s, none is %s.", run.Plural(len(all), "divergence"), what)
		return
	}
	d.Line("\n### %s\n\nOf %s, %d:\n", title, run.Plural(len(all), "divergence"), len(items))
	listing(d, len(items), func(i int) string { return items[i] })
}

// unseen are those of some subjects on which the run, which has them, does not show a divergence of another run.
func unseen(r run.Run, d view.Diverging, subjects []string) []string {
	had := series.SubjectNames(r)
	all := view.DivergingIn(r)
	i := slices.IndexFunc(
		all,
		func(same *view.Diverging) bool { return same.Formula == d.Formula && same.Promise == d.Promise },
	)
	return slices.DeleteFunc(
		subjects,
		func(s string) bool { return !slices.Contains(had, s) || i >= 0 && all[i].Seen[s] > 0 },
	)
}
