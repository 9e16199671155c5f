package markdown

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/mutants/drawn"
	"github.com/podclock/podclock/reports/view"
)

// Drawn writes what became of drawn mutants: the score, by operator and by file, and every mutant that lives.
func Drawn(w io.Writer, r drawn.Report) error {
	var d Document
	all := drawn.Count(r.Mutants)
	d.Line("%d mutants of the %d in code that a trial executes, of %d in all code that decides how pods die and "+
		"restart (Kubernetes %s). %s", len(r.Mutants), r.Reached, r.Made, r.Version, score(all))
	table := func(title string, of func(drawn.Mutant) string) {
		groups := map[string][]drawn.Mutant{}
		for _, m := range r.Mutants {
			groups[of(m)] = append(groups[of(m)], m)
		}
		d.Line("\n| %s | drawn | compiled | equivalent | different | killed |\n|---|---:|---:|---:|---:|---:|", title)
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			n := drawn.Count(groups[name])
			d.Line("| %s | %d | %d | %d | %s | %s |", name, n.Drawn, n.Compiled, n.Equivalent,
				percent(n.Different, n.Valid()), percent(n.Killed, n.Valid()))
		}
	}
	table("seed", func(m drawn.Mutant) string { return fmt.Sprint(m.Seed) })
	table("operator", func(m drawn.Mutant) string { return string(m.Operator) })
	table("file", func(m drawn.Mutant) string { return view.Code(short(m.File)) })
	for _, s := range []drawn.Status{drawn.Survived, drawn.Different} {
		d.Line("\n## %s\n", map[drawn.Status]string{
			drawn.Survived: "Survived: no trace differs", drawn.Different: "Different, but no claim deviates",
		}[s])
		living := slices.DeleteFunc(slices.Clone(r.Mutants), func(m drawn.Mutant) bool { return m.Status != s })
		slices.SortFunc(living, func(a, b drawn.Mutant) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		for _, m := range living {
			d.Line("- `%s:%d` %s, %s: %s → %s; %d of %d trials. %s", short(m.File), m.Line, m.Within, m.Operator,
				view.Code(view.OneLine(m.Now, longestCode)), view.Code(view.OneLine(m.Other, longestCode)), m.Played,
				m.Executing, Escape(m.Difference))
		}
	}
	if all.Diagnosed+all.Unexplained > 0 {
		located(&d, r.Mutants, all)
	}
	_, err := io.WriteString(w, d.String())
	return err
}

// located writes what a run reports of the mutants that a claim killed: the known mistakes that fit, or where to look.
func located(d *Document, mutants []drawn.Mutant, n drawn.Figures) {
	d.Line("\n## What a run reports of them\n")
	d.Line("A known mistake fits %d of the mutants that a claim killed. %d have claims that none fits. For %d of "+
		"these, the run names functions to look at. The mutated one is among them for %s.\n",
		n.Diagnosed, n.Unexplained, n.Named, percent(n.Located, n.Unexplained))
	for _, m := range mutants {
		var says []string
		for _, as := range m.AsIf {
			says = append(says, "as if "+as)
		}
		if m.Unexplained {
			says = append(says, fmt.Sprintf("look at %s (the mutated one is no. %d)", strings.Join(m.LookAt, "; "),
				m.Located))
		}
		if says != nil {
			d.Line("- `%s:%d` %s, %s: %s → %s. %s", short(m.File), m.Line, m.Within, m.Operator,
				view.Code(view.OneLine(m.Now, longestCode)), view.Code(view.OneLine(m.Other, longestCode)),
				Escape(strings.Join(says, ". ")))
		}
	}
}

func score(n drawn.Figures) string {
	return fmt.Sprintf(
		"%d compile, and %d of these are equivalent. Of the other %d, %s differ from the unchanged kubelet in a "+
			"trace. %s are killed: %d by a claim, and %d have a kubelet that does not start, ends or hangs.",
		n.Compiled,
		n.Equivalent,
		n.Valid(),
		percent(n.Different, n.Valid()),
		percent(n.Killed, n.Valid()),
		n.Killed-n.Ended, n.Ended,
	)
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}

// longestCode bounds the code of a mutant in a list, in bytes.
const longestCode = 90
