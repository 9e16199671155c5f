package series

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

// Report is the comparison in words.
func (c Comparison) Report() view.Report {
	sections := append(c.changeSections(), movesSection(c.Moves, len(c.Pairs)), shiftsSection(c.Shifts, len(c.Pairs)),
		c.computedSection(), c.oneSidedSection(), c.runsSection())
	return view.Report{
		Title: c.Sides() + ": " + c.Reason, Size: c.size(), ExitCode: fmt.Sprintf("Exit code %d.", c.ExitCode),
		Sections: view.Shown(sections...),
	}
}

// Sides names the two runs. If one subject is compared with another one, it names these as well.
func (c Comparison) Sides() string {
	if len(c.Pairs) != 1 || c.Pairs[0].Before == c.Pairs[0].After {
		return fmt.Sprintf("From run %s to run %s", c.Before.ID, c.After.ID)
	}
	p := c.Pairs[0]
	if c.Before.Same(c.After) {
		return fmt.Sprintf("From %s to %s in run %s", p.Before, p.After, c.Before.ID)
	}
	return fmt.Sprintf("From %s in run %s to %s in run %s", p.Before, c.Before.ID, p.After, c.After.ID)
}

func (c Comparison) size() string {
	var pairs, changed []string
	for _, p := range c.Pairs {
		pairs = append(pairs, p.String())
	}
	for _, d := range Directions {
		if n := c.Count(d); n > 0 {
			changed = append(changed, fmt.Sprintf("%d %s", n, d))
		}
	}
	moved := len(c.Unexplained())
	return fmt.Sprintf("%s in common on %s, %d judged on both sides: %s. %s measured on both sides, %d moved beyond "+
		"chance, %d as the formulas compute; the claims of %s moved together.",
		run.Plural(c.Trials, "verdict"), cmp.Or(strings.Join(pairs, ", "), "no subject"), c.Judged,
		cmp.Or(strings.Join(changed, ", "), "none changed"),
		run.Plural(c.Values, "claim"), moved, len(c.Moves)-moved, run.Plural(len(c.Shifts), "formula"))
}

var directionTitles = map[Direction]string{
	Worse:          "Got worse: deviates now, but not before",
	Better:         "Got better: no longer deviates",
	NoLongerJudged: "No longer judged",
	JudgedNow:      "Judged now, but not before",
	Documentation:  "As the code computes on both sides, and as the documentation says on one of them",
}

func (c Comparison) changeSections() []view.Section {
	var all []view.Section
	for _, d := range Directions {
		p := view.Section{ID: strings.ReplaceAll(string(d), " ", "-"), Title: directionTitles[d]}
		for _, change := range c.Changes {
			if change.Direction != d {
				continue
			}
			var more []string
			for _, claim := range change.Claims {
				more = append(more, fmt.Sprintf("%s: %s, measured %s",
					claim.Claim, fromTo(string(claim.Was), string(claim.Now)),
					fromTo(cmp.Or(claim.MeasuredBefore, "nothing"), cmp.Or(claim.MeasuredAfter, "nothing"))))
			}
			if change.Why != "" {
				more = append(more, change.Why)
			}
			p.AddLine(fmt.Sprintf("%s on %s: %s", change.Trial, change.Subjects,
				fromTo(string(change.Was), string(change.Now))), more...)
		}
		all = append(all, p)
	}
	return all
}

func fromTo(from, to string) string {
	if from == to {
		return from
	}
	return from + " → " + to
}

// computedSection has a row for each formula whose claims moved as it computes.
func (c Comparison) computedSection() view.Section {
	type key struct{ formula, subjects string }
	grouped := map[key][]Move{}
	for _, m := range c.Moves {
		if m.AsPredicted {
			k := key{m.Formula, m.Subjects.String()}
			grouped[k] = append(grouped[k], m)
		}
	}
	p := view.Section{
		ID:     "computed",
		Title:  "Moved as the formulas compute",
		Header: []string{"formula", "claims", "moved", "for example"},
	}
	order := func(x, y key) int {
		return cmp.Or(cmp.Compare(x.formula, y.formula), cmp.Compare(x.subjects, y.subjects))
	}
	by := func(x, y Move) int { return cmp.Compare(x.By(), y.By()) }
	for _, k := range slices.SortedFunc(maps.Keys(grouped), order) {
		group := grouped[k]
		least, most := slices.MinFunc(group, by), slices.MaxFunc(group, by)
		var moved any = least.amount(least.By())
		if least.By() != most.By() {
			moved = fmt.Sprintf("%s to %s", moved, most.amount(most.By()))
		}
		p.AddRow(on(k.formula, group[0].Subjects, len(c.Pairs)), len(group), moved, group[0].Trial+": "+group[0].Claim)
	}
	return p
}

func (c Comparison) oneSidedSection() view.Section {
	p := view.Section{ID: "one-sided", Title: "On one side only"}
	for _, alone := range c.Alone {
		p.AddLine("subject " + alone.String())
	}
	add := func(what string, all []oneSided) {
		var names []string
		for _, o := range all {
			names = append(names, fmt.Sprintf("%s on %s (%s)", o.Trial, o.Subject, o.Verdict))
		}
		if len(names) > 0 {
			p.AddLine(fmt.Sprintf("%s %s: %s", run.Plural(len(all), "trial"), what, view.Listed(names)))
		}
	}
	add("before", c.Went)
	add("after", c.Appeared)
	return p
}

func (c Comparison) runsSection() view.Section {
	p := view.Section{ID: RunsSection, Title: "The two runs", Header: []string{"", "before", "after"}}
	b, a := c.Before, c.After
	p.AddRow("run", b.ID, a.ID)
	p.AddRow("started", b.Started.UTC().Format(time.DateTime), a.Started.UTC().Format(time.DateTime))
	p.AddRow("took", b.Took(), a.Took())
	for _, v := range view.Verdicts() {
		if b.Verdicts[v]+a.Verdicts[v] > 0 {
			p.AddRow(v, b.Verdicts[v], a.Verdicts[v])
		}
	}
	p.AddRow("run again", b.Repeated, a.Repeated)
	for _, d := range c.Differences {
		p.AddRow(d.What, d.Before, d.After)
	}
	for _, side := range []view.RunSummary{b, a} {
		for _, problem := range side.Problems {
			p.AddLine("Problem of run " + side.ID + ": " + problem)
		}
	}
	if c.Earlier > 0 {
		p.Note = fmt.Sprintf("%s before show how far claims scatter.", run.Plural(c.Earlier, "run"))
	}
	return p
}
