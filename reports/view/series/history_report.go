package series

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// mostStrip is the number of runs in a strip of verdicts, the newest.
const mostStrip = 30

// letters are the verdicts in a strip.
var letters = map[trial.Verdict]string{
	trial.Conforms: ".", trial.Divergent: "d", trial.Unsupported: "u", trial.Inconclusive: "?", trial.Deviates: "X",
}

const stripKey = "One letter for each run, the newest last: . conforms, d divergent, u unsupported, ? inconclusive, " +
	"X deviates, - not run. A flake is a verdict worse than those before and after it."

// Report is the history in words.
func (h History) Report() view.Report {
	r := view.Report{Title: h.title()}
	if n := len(h.Runs); n > 0 {
		moved, shifted := h.Newest()
		subjects := len(h.Runs[n-1].Subjects)
		m, s := movesSection(moved, subjects), shiftsSection(shifted, subjects)
		m.Title += " in the newest run"
		s.Title += " in the newest run"
		r.Sections = view.Shown(
			h.runsSection(),
			h.subjectsSection(),
			scoresSection(h.Scores),
			h.unsteadySection(),
			h.openSection(),
			m,
			s,
			h.leftSection(),
		)
	}
	return r
}

func (h History) title() string {
	n := len(h.Runs)
	if n == 0 {
		return "No runs"
	}
	first, last := h.Runs[0], h.Runs[n-1]
	if n == 1 {
		return fmt.Sprintf("1 run, %s: %s", last.ID, last.Tally())
	}
	steady := "every trial has the same verdict in all runs"
	if unsteady := len(h.unsteady()); unsteady > 0 {
		steady = fmt.Sprintf("%d of %s of trial and subject changed their verdict",
			unsteady, run.Plural(len(h.Trials), "pair"))
	}
	return fmt.Sprintf(
		"%s, %s to %s: %s in the newest; %s", run.Plural(n, "run"), first.ID, last.ID, last.Tally(), steady,
	)
}

func (h History) unsteady() []TrialHistory {
	all := slices.DeleteFunc(slices.Clone(h.Trials), TrialHistory.Steady)
	slices.SortStableFunc(all, func(x, y TrialHistory) int {
		return cmp.Or(
			cmp.Compare(y.Flakes, x.Flakes),
			cmp.Compare(y.Changes, x.Changes),
			cmp.Compare(x.Trial, y.Trial),
			cmp.Compare(x.Subject, y.Subject),
		)
	})
	return all
}

func (h History) runsSection() view.Section {
	p := view.Section{ID: RunsSection, Title: "Runs", Header: []string{"run", "podclock"}}
	for _, v := range view.Verdicts() {
		p.Header = append(p.Header, string(v))
	}
	p.Header = append(p.Header, "run again", "took", "exit code")
	for _, r := range slices.Backward(h.Runs) {
		cells := []any{r.ID, r.Podclock}
		for _, v := range view.Verdicts() {
			cells = append(cells, r.Verdicts[v])
		}
		p.AddRow(append(cells, r.Repeated, r.Took(), r.ExitCode)...)
	}
	return p
}

func (h History) subjectsSection() view.Section {
	type steadiness struct{ trials, verdicts, changes, flakes, again int }
	var order []string
	on := map[string]steadiness{}
	for _, t := range h.Trials {
		s, known := on[t.Subject]
		if !known {
			order = append(order, t.Subject)
		}
		on[t.Subject] = steadiness{
			s.trials + 1, s.verdicts + len(t.Runs), s.changes + t.Changes, s.flakes + t.Flakes, s.again + t.Again,
		}
	}
	p := view.Section{
		ID:     "subjects",
		Title:  "Subjects",
		Header: []string{"subject", "trials", "verdicts", "changes", "flakes", "flake rate", "run again"},
	}
	for _, name := range order {
		s := on[name]
		rate := view.OfHundred(view.RatioOf(s.flakes, s.verdicts))
		p.AddRow(name, s.trials, s.verdicts, s.changes, s.flakes, rate, s.again)
	}
	return p
}

func (h History) unsteadySection() view.Section {
	p := view.Section{
		ID:     UnsteadySection,
		Title:  "Changed their verdict",
		Note:   stripKey,
		Header: []string{"trial", "subject", "verdicts", "changes", "flakes", "flake rate", "run again"},
	}
	for _, t := range h.unsteady() {
		p.AddRow(t.Trial, t.Subject, h.strip(t), t.Changes, t.Flakes, view.OfHundred(t.FlakeRate), t.Again)
	}
	return p
}

func (h History) strip(t TrialHistory) string {
	all := slices.Repeat([]string{"-"}, len(h.Runs))
	for _, r := range t.Runs {
		all[r.Run] = cmp.Or(letters[r.Verdict], "?")
	}
	return strings.Join(all[max(0, len(all)-mostStrip):], "")
}

func (h History) openSection() view.Section {
	p := view.Section{ID: OpenSection, Title: "Deviates or inconclusive in the newest run"}
	for _, t := range h.Trials {
		since := len(t.Runs) - 1
		last := t.Runs[since]
		if last.Run != len(h.Runs)-1 || last.Verdict != trial.Deviates && last.Verdict != trial.Inconclusive {
			continue
		}
		for since > 0 && t.Runs[since-1].Verdict == last.Verdict {
			since--
		}
		p.AddLine(
			fmt.Sprintf("%s on %s: %s, since run %s", t.Trial, t.Subject, last.Verdict, h.Runs[t.Runs[since].Run].ID),
			last.Why,
		)
	}
	return p
}

func (h History) leftSection() view.Section {
	p := view.Section{ID: "left", Title: "Not in this history"}
	if h.Left > 0 {
		p.AddLine(run.Plural(h.Left, "older run"))
	}
	for _, t := range h.Trials {
		if t.Former > 0 {
			p.AddLine(fmt.Sprintf("%s on %s: %s, in which the trial had other pods or faults", t.Trial, t.Subject,
				run.Plural(t.Former, "older run")))
		}
	}
	for _, why := range h.PassedOver {
		p.AddLine(why)
	}
	return p
}
