package listing

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the document.
func (l Listing) Markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# The catalogue\n")
	line("Generated from the trials and formulas themselves by `make catalogue-md`; `make test` checks that it is in " +
		"step.\n")
	line(
		"%s A trial of the profile quick runs by default, one of the profile full with `PROFILE=full`. Its duration "+
			"is what it should take from its pod's start to its last fact. It runs on the subject's ordinary worker "+
			"unless a worker is named, and on kubelets %s unless it says otherwise. A claim names what is measured "+
			"and the [formula](#formulas) that predicts it.",
		l.size(),
		strings.Join(l.Versions, ", "),
	)
	line("\n| area | trials | claims |\n| --- | ---: | ---: |")
	for _, trials := range l.areas() {
		line("| [%s](#%[1]s) | %d | %d |", trials[0].Area, len(trials), claims(trials))
	}
	for _, trials := range l.areas() {
		line("\n## %s\n", trials[0].Area)
		line("| trial | what it does and shows | claims | runs |\n| --- | --- | --- | --- |")
		for _, t := range trials {
			line("| `%s` | %s | %s | %s |", t.ID, cell(t.About), t.claimCell(), cell(t.runs()))
		}
	}
	line("\n## Formulas")
	for _, f := range l.Formulas {
		line("\n### %s\n", f.ID)
		for _, text := range f.lines() {
			line("- %s", cell(text))
		}
		line("- measured by: %s", l.measuredBy(f.ID))
	}
	return b.String()
}

// measuredBy returns a formula's trials: of more than ten, eight and the number of the others.
func (l Listing) measuredBy(formula string) string {
	var ids []string
	for _, t := range l.Trials {
		if slices.ContainsFunc(t.Claims, func(c Claim) bool { return c.Formula == formula }) {
			ids = append(ids, "`"+t.ID+"`")
		}
	}
	if n := len(ids); n > 10 {
		return fmt.Sprintf("%s and %d other trials", strings.Join(ids[:8], ", "), n-8)
	}
	return strings.Join(ids, ", ")
}

// cell escapes a table's cell.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s) }

func (t Trial) runs() string {
	parts := []string{t.lasts() + ", " + t.Profile}
	if t.virtualOnly {
		parts = append(parts, "in the virtual lane only")
	}
	if t.Worker != subjectsWorker && t.Worker != noWorker {
		parts = append(parts, "worker "+t.Worker)
	}
	for _, why := range t.Not {
		parts = append(parts, "unsupported: "+why)
	}
	return strings.Join(parts, "; ")
}

func (t Trial) claimCell() string {
	var formulas []string
	claims := map[string][]string{}
	for _, c := range t.Claims {
		if !slices.Contains(formulas, c.Formula) {
			formulas = append(formulas, c.Formula)
		}
		claims[c.Formula] = append(claims[c.Formula], "`"+c.ID+"`"+cell(bracketed(c.Held)))
	}
	for i, id := range formulas {
		formulas[i] = id + ": " + strings.Join(claims[id], ", ")
	}
	return strings.Join(formulas, "<br>")
}
