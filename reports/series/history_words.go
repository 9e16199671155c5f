package series

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// mostStrip is how many runs a strip of verdicts shows where room is short, the newest.
const mostStrip = 30

// letters are verdicts in a strip.
var letters = map[trial.Verdict]string{
	trial.Conforms: ".", trial.Divergent: "d", trial.Unsupported: "u", trial.Inconclusive: "?", trial.Deviates: "X",
}

// stripKey says what the letters of a strip mean.
const stripKey = "One letter for each run, the newest last: . conforms, d divergent, u unsupported, ? inconclusive, X deviates, - not run. " +
	"A flake is a verdict worse than those before and after it."

// Title is the history in one line.
func (h History) Title() string {
	switch len(h.Runs) {
	case 0:
		return "No runs"
	case 1:
		return fmt.Sprintf("1 run, %s: %s", h.Runs[0].ID, h.Runs[0].Tally())
	}
	first, last := h.Runs[0], h.Runs[len(h.Runs)-1]
	return fmt.Sprintf("%s, %s to %s: %s", run.Plural(len(h.Runs), "run"), first.ID, last.ID, h.state())
}

// state says how things stand: in the newest run, and how steady the trials were until then.
func (h History) state() string {
	last := h.Runs[len(h.Runs)-1]
	s := fmt.Sprintf("%s in the newest", last.Tally())
	if unsteady := len(h.unsteady()); unsteady > 0 {
		return s + fmt.Sprintf(
			"; %d of %s did not always come to the same verdict",
			unsteady,
			run.Plural(len(h.Trials), "pair")+" of trial and subject",
		)
	}
	return s + "; every trial always came to the same verdict"
}

// unsteady are the trials that changed or flaked, those that flaked most first.
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

// IDs of passages: the runs, of which the newest ones are the rows; the trials that did not always come to
// the same verdict; those that are not as they should be.
const (
	RunsPassage     = "runs"
	UnsteadyPassage = "unsteady"
	OpenPassage     = "open"
)

// Passages are what the history tells, part by part; those with nothing to tell are left out.
func (h History) Passages() []view.Passage {
	var all []view.Passage
	moved, shifted := h.newestPassages()
	for _, p := range []view.Passage{h.runsPassage(), h.subjectsPassage(), h.unsteadyPassage(), h.openPassage(), moved, shifted, h.leftPassage()} {
		if len(p.Rows)+len(p.Lines) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// runsPassage are the runs, the newest first.
func (h History) runsPassage() view.Passage {
	p := view.Passage{ID: RunsPassage, Title: "Runs", Header: []string{"run", "podclock"}}
	for _, v := range view.Verdicts() {
		p.Header = append(p.Header, string(v))
	}
	p.Header = append(p.Header, "run again", "took", "exit code")
	for _, r := range slices.Backward(h.Runs) {
		cells := []string{r.ID, r.Podclock}
		for _, v := range view.Verdicts() {
			cells = append(cells, fmt.Sprint(r.Verdicts[v]))
		}
		p.Rows = append(p.Rows, append(cells, fmt.Sprint(r.Repeated), r.Took(), fmt.Sprint(r.ExitCode)))
	}
	return cut(p)
}

// subjectsPassage is how steady each subject was.
func (h History) subjectsPassage() view.Passage {
	type steadiness struct{ trials, verdicts, changes, flakes, again int }
	var order []string
	on := map[string]*steadiness{}
	for _, t := range h.Trials {
		s, known := on[t.Subject]
		if !known {
			s = &steadiness{}
			on[t.Subject] = s
			order = append(order, t.Subject)
		}
		s.trials++
		s.verdicts += len(t.Runs)
		s.changes += t.Changes
		s.flakes += t.Flakes
		s.again += t.Again
	}
	p := view.Passage{
		ID:     "subjects",
		Title:  "Subjects",
		Header: []string{"subject", "trials", "verdicts", "changes", "flakes", "flake rate", "run again"},
	}
	for _, name := range order {
		s := on[name]
		p.Rows = append(p.Rows, []string{
			name,
			fmt.Sprint(s.trials),
			fmt.Sprint(s.verdicts),
			fmt.Sprint(s.changes),
			fmt.Sprint(s.flakes),
			view.OfHundred(view.RatioOf(s.flakes, s.verdicts)),
			fmt.Sprint(s.again),
		})
	}
	return cut(p)
}

// unsteadyPassage are the trials that were not always the same.
func (h History) unsteadyPassage() view.Passage {
	p := view.Passage{
		ID:     UnsteadyPassage,
		Title:  "Not always the same",
		Note:   stripKey,
		Header: []string{"trial", "subject", "verdicts", "changes", "flakes", "flake rate", "run again"},
	}
	for _, t := range h.unsteady() {
		p.Rows = append(
			p.Rows,
			[]string{
				t.Trial,
				t.Subject,
				h.strip(t),
				fmt.Sprint(t.Changes),
				fmt.Sprint(t.Flakes),
				view.OfHundred(t.FlakeRate),
				fmt.Sprint(t.Again),
			},
		)
	}
	return cut(p)
}

// strip is a trial's verdicts, a letter for each of the newest runs.
func (h History) strip(t TrialHistory) string {
	all := slices.Repeat([]string{"-"}, len(h.Runs))
	for _, r := range t.Runs {
		all[r.Run] = cmp.Or(letters[r.Verdict], "?")
	}
	return strings.Join(all[max(0, len(all)-mostStrip):], "")
}

// openPassage are the trials that deviate or are inconclusive in the newest run, and since when.
func (h History) openPassage() view.Passage {
	p := view.Passage{ID: OpenPassage, Title: "Not as it should be in the newest run"}
	for _, t := range h.Trials {
		last := t.Runs[len(t.Runs)-1]
		if last.Run != len(h.Runs)-1 || last.Verdict != trial.Deviates && last.Verdict != trial.Inconclusive {
			continue
		}
		since := len(t.Runs) - 1
		for since > 0 && t.Runs[since-1].Verdict == last.Verdict {
			since--
		}
		p.Lines = append(p.Lines, view.Line{
			Text: fmt.Sprintf(
				"%s on %s: %s, since run %s",
				t.Trial,
				t.Subject,
				last.Verdict,
				h.Runs[t.Runs[since].Run].ID,
			),
			More: []string{last.Why},
		})
	}
	return cut(p)
}

// newestPassages are what moved in the last run, told as a comparison would.
func (h History) newestPassages() (moved, shifted view.Passage) {
	if len(h.Runs) == 0 {
		return view.Passage{}, view.Passage{}
	}
	var c Comparison
	c.Moves, c.Shifts = h.Newest()
	for _, s := range h.Runs[len(h.Runs)-1].Subjects {
		c.Pairs = append(c.Pairs, SubjectPair{s, s})
	}
	moved, shifted = c.movesPassage(), c.shiftsPassage()
	moved.Title, shifted.Title = "Moved beyond chance in the newest run", "Formulas whose claims moved together in the newest run"
	return moved, shifted
}

// leftPassage is what the history lacks.
func (h History) leftPassage() view.Passage {
	p := view.Passage{ID: "left", Title: "Not in this history"}
	if h.Left > 0 {
		p.Lines = append(p.Lines, view.Line{Text: run.Plural(h.Left, "older run")})
	}
	for _, why := range h.PassedOver {
		p.Lines = append(p.Lines, view.Line{Text: why})
	}
	return cut(p)
}
