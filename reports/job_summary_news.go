package reports

import (
	"fmt"
	"slices"
)

// news are the divergences that a reader has not read of: those that an earlier run did not show on the
// same subject, else those that no issue is known of.
func (d *document) news(r Run, before *Run) {
	all := divergences(r)
	if len(all) == 0 {
		return
	}
	var items []string
	for _, entry := range all {
		on := slices.DeleteFunc(r.subjectNames(), func(s string) bool { return entry.seen[s] == 0 })
		if before != nil {
			on = before.unseen(*entry, on)
		} else if !entry.unknown() {
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
			fmt.Sprintf("%s: %s, on %s; %s", quoted(entry.formula), entry.gap(), listed(on), linked(marked(*entry))),
		)
	}
	title, what := "Divergences that no issue is known of", "without a known issue"
	if before != nil {
		title, what = fmt.Sprintf("New divergences, since run %s", inline(before.ID)), "new"
	}
	if len(items) == 0 {
		d.line("\nOf %s, none is %s.", plural(len(all), "divergence"), what)
		return
	}
	d.line("\n### %s\n\nOf %s, %d:\n", title, plural(len(all), "divergence"), len(items))
	d.listing(len(items), func(i int) string { return items[i] })
}

// unseen are those of some subjects on which the run, which has them, does not show a divergence of another run.
func (r Run) unseen(d divergence, subjects []string) []string {
	had := r.subjectNames()
	all := divergences(r)
	i := slices.IndexFunc(
		all,
		func(same *divergence) bool { return same.formula == d.formula && same.promise == d.promise },
	)
	return slices.DeleteFunc(
		subjects,
		func(s string) bool { return !slices.Contains(had, s) || i >= 0 && all[i].seen[s] > 0 },
	)
}
