package detection

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
)

// Figures are the numbers of one lane of a sensitivity report.
type Figures struct {
	// Mutants is how many count: all that somebody should be able to see. The others are those of them by
	// what came of them.
	Mutants   int `json:"mutants"`
	Caught    int `json:"caught"`
	Survived  int `json:"survived"`
	Undecided int `json:"inconclusive"`
	Failed    int `json:"failed"`
	// Score is Caught over Mutants, 0 where there is none.
	Score float64 `json:"score"`
	// Own is how many were caught by the formula that they break.
	Own int `json:"own"`
	// Known is the number of caught mutants with a reported bug that they reintroduce or repair. Named is the number
	// of these whose diagnosis names the same report.
	Known int `json:"known"`
	Named int `json:"named"`
	// Alike is how many of the others that were caught do, in some trial, what a rival would that is known
	// by another name.
	Alike int `json:"alike"`
	// Unseen is how many mutants count for nothing, Misfiled how many were caught though the catalogue of
	// mutations says that they can't be.
	Unseen   int `json:"unseen"`
	Misfiled int `json:"misfiled"`
	// Components are the same of each program's mutants, in the order in which they are met.
	Components []ComponentFigures `json:"components"`
	// FalseAlarms is how many trials deviate on controls, Unjudged how many some control came to no verdict on.
	FalseAlarms int `json:"falseAlarms"`
	Unjudged    int `json:"unjudged"`
	// Wall is the time from the beginning to the last verdict, 0 where that never came. Each is that by the
	// number of mutants that were put under test: what one more costs, as builds go on beside trials.
	Wall time.Duration `json:"wall"`
	Each time.Duration `json:"each"`
	// Mean and Most are what a mutant took by itself, build and trials, Dearest the one that took most.
	Mean    time.Duration `json:"mean"`
	Most    time.Duration `json:"most"`
	Dearest string        `json:"dearest,omitempty"`
}

// ComponentFigures are those of one program's mutants.
type ComponentFigures struct {
	Component string  `json:"component"`
	Mutants   int     `json:"mutants"`
	Caught    int     `json:"caught"`
	Score     float64 `json:"score"`
}

// Figures counts and sums up one lane.
func (l LaneReport) Figures() Figures {
	var f Figures
	var tried, sum time.Duration
	for _, m := range l.Mutants {
		if m.Cost() > 0 {
			tried++
			sum += m.Cost()
		}
		if m.Cost() > f.Most {
			f.Most, f.Dearest = m.Cost(), m.Name
		}
		f.Add(m)
	}
	for _, c := range l.References {
		f.FalseAlarms += len(c.FalseAlarms)
	}
	f.Unjudged = len(l.Unjudged())
	f.Score = ScoreOf(f.Caught, f.Mutants)
	for i := range f.Components {
		f.Components[i].Score = ScoreOf(f.Components[i].Caught, f.Components[i].Mutants)
	}
	if !l.Ended.IsZero() {
		f.Wall = l.Ended.Sub(l.Started)
	}
	if tried > 0 {
		f.Mean, f.Each = sum/tried, f.Wall/tried
	}
	return f
}

// Add counts one mutant.
func (f *Figures) Add(m Mutant) {
	if m.Misfiled() {
		f.Misfiled++
	}
	if !m.Counts() {
		f.Unseen++
		return
	}
	i := slices.IndexFunc(f.Components, func(c ComponentFigures) bool { return c.Component == m.Component })
	if i < 0 {
		i = len(f.Components)
		f.Components = append(f.Components, ComponentFigures{Component: m.Component})
	}
	f.Mutants++
	f.Components[i].Mutants++
	switch m.Verdict {
	case Caught:
		f.Caught++
		f.Components[i].Caught++
		if m.Own() {
			f.Own++
		}
		if m.Known() {
			f.Known++
		}
		switch {
		case m.Named():
			f.Named++
		case m.Diagnosis() != nil:
			f.Alike++
		}
	case Survived:
		f.Survived++
	case Failed:
		f.Failed++
	default:
		f.Undecided++
	}
}

func ScoreOf(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ScorePercent writes a share so that 94.96 % is not said to be 95: rounded down to a tenth.
func ScorePercent(share float64) string {
	tenths := int(share*1000 + 1e-9)
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", tenths/10, tenths%10), ".0") + " %"
}

// ExitCode is what the proof's process should exit with: ExitConforms where each lane's score is what was
// asked for and no control deviates, ExitUnjudged where the harness could not judge, else ExitDeviates. A
// false alarm, and a mutant that is caught though nobody should be able to see it, outweigh what could not
// be judged: they are findings.
func (p Report) ExitCode() int { return p.conclude().Code }

// Title is the exit code in one word.
func (p Report) Title() string {
	switch p.ExitCode() {
	case run.ExitConforms:
		return "Passed"
	case run.ExitDeviates:
		return "Failed"
	}
	return "Not judged"
}

// ExitReason says in one sentence why the proof has its exit code.
func (p Report) ExitReason() string { return p.conclude().Why }

type conclusion struct {
	Code int
	Why  string
}

func (p Report) conclude() conclusion {
	found := conclusion{run.ExitConforms, "every lane reached the required score, and no reference deviates."}
	if len(p.Lanes) == 0 {
		found = conclusion{run.ExitUnjudged, "no lane was tested."}
	}
	if len(p.Problems) > 0 {
		found = conclusion{run.ExitUnjudged, p.Problems[0]}
	}
	for _, l := range p.Lanes {
		// A finding wins over what could not be judged, which wins over a good score.
		if c := l.Conclude(
			p.AtLeast,
		); c.Code == run.ExitDeviates && found.Code != run.ExitDeviates ||
			c.Code == run.ExitUnjudged && found.Code == run.ExitConforms {
			found = c
		}
	}
	return found
}

// Conclude says what one lane comes to.
func (l LaneReport) Conclude(atLeast float64) conclusion {
	f := l.Figures()
	judged := 0
	for _, c := range l.References {
		judged += c.Trials
	}
	unjudged := func(format string, args ...any) conclusion {
		return conclusion{run.ExitUnjudged, fmt.Sprintf("the %s lane: %s", l.Lane, fmt.Sprintf(format, args...))}
	}
	// A share of whole mutants is compared as such: 19 of 20 are 95 %, whatever a division makes of it.
	enough := func(caught int) bool { return float64(caught)+1e-9 >= atLeast*float64(f.Mutants) }
	switch {
	case f.FalseAlarms > 0:
		return conclusion{
			run.ExitDeviates,
			fmt.Sprintf("in the %s lane %s on the reference: false alarms.", l.Lane, Deviate(f.FalseAlarms)),
		}
	case f.Misfiled > 0:
		return conclusion{
			run.ExitDeviates,
			fmt.Sprintf(
				"in the %s lane %s caught although the catalogue of mutations says that it cannot be: remove its "+
					"reason.",
				l.Lane,
				Are(f.Misfiled, "mutant"),
			),
		}
	case len(l.Problems) > 0:
		return unjudged("%s", l.Problems[0])
	case l.Ended.IsZero():
		return unjudged("it did not end.")
	case judged == 0:
		return unjudged("no reference was judged, so nothing counts.")
	case f.Mutants == 0:
		return unjudged("it has no mutant that counts.")
	case enough(f.Caught):
		return conclusion{run.ExitConforms, ""}
	case enough(f.Caught + f.Undecided + f.Failed):
		return unjudged(
			"%s, %s required; %d inconclusive and %d failed mutants could decide it.",
			f.ScoreText(),
			ScorePercent(atLeast),
			f.Undecided,
			f.Failed,
		)
	}
	return conclusion{
		run.ExitDeviates,
		fmt.Sprintf("in the %s lane %s, %s required.", l.Lane, f.ScoreText(), ScorePercent(atLeast)),
	}
}

// ScoreText is it in words.
func (f Figures) ScoreText() string {
	return fmt.Sprintf("%d of %s caught (%s)", f.Caught, run.Plural(f.Mutants, "mutant"), ScorePercent(f.Score))
}

func Deviate(n int) string {
	if n == 1 {
		return "1 trial deviates"
	}
	return fmt.Sprintf("%d trials deviate", n)
}

func Are(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return fmt.Sprintf("%d %ss were", n, thing)
}

// Unjudged are the trials that some control came to no verdict on, each once.
func (l LaneReport) Unjudged() (trials []string) {
	for _, c := range l.References {
		for _, o := range c.Open {
			trials = append(trials, o.Trial)
		}
	}
	slices.Sort(trials)
	return slices.Compact(trials)
}
