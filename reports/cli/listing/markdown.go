package listing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/trial"
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
		strings.Join(l.versions, ", "),
	)
	line("\n| area | trials | claims |\n| --- | ---: | ---: |")
	for _, a := range l.areas {
		line("| [%s](#%s) | %d | %d |", a.name, a.name, len(a.trials), a.claims())
	}
	for _, a := range l.areas {
		line("\n## %s\n", a.name)
		line("| trial | what it does and shows | claims | runs |\n| --- | --- | --- | --- |")
		for _, t := range a.trials {
			line("| `%s` | %s | %s | %s |", t.ID, cell(t.About), l.claimCell(t), cell(t.runs()))
		}
	}
	line("\n## Formulas")
	for _, f := range l.formulas {
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
	for _, a := range l.areas {
		for _, t := range a.trials {
			if slices.ContainsFunc(t.Claims, func(c trial.Claim) bool { return c.Formula.ID == formula }) {
				ids = append(ids, "`"+t.ID+"`")
			}
		}
	}
	if n := len(ids); n > 10 {
		return fmt.Sprintf("%s and %d other trials", strings.Join(ids[:8], ", "), n-8)
	}
	return strings.Join(ids, ", ")
}

// cell escapes a table's cell.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s) }

func (t trialListing) runs() string {
	parts := []string{Lasts(t.Lasts) + ", " + t.profile}
	if t.VirtualOnly() {
		parts = append(parts, "in the virtual lane only")
	}
	if t.Worker != nil {
		parts = append(parts, "worker "+t.worker)
	}
	for _, why := range t.not {
		parts = append(parts, "unsupported: "+why)
	}
	return strings.Join(parts, "; ")
}

func (l Listing) claimCell(t trialListing) string {
	var formulas []string
	claims := map[string][]string{}
	for _, c := range t.Claims {
		id := c.Formula.ID
		if !slices.Contains(formulas, id) {
			formulas = append(formulas, id)
		}
		claims[id] = append(claims[id], l.claim(c))
	}
	for i, id := range formulas {
		formulas[i] = id + ": " + strings.Join(claims[id], ", ")
	}
	return strings.Join(formulas, "<br>")
}

func (l Listing) claim(c trial.Claim) string {
	return "`" + c.ID() + "`" + cell(bracketed(held(c, l.versions)))
}
