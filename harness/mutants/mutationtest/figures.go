package mutationtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Figures are the numbers of one lane of a mutation report.
type Figures struct {
	// Mutants is the number of mutants in the score, that is, of those that an observer can see. The fields
	// below count them by result.
	Mutants   int `json:"mutants"`
	Killed    int `json:"caught"`
	Survived  int `json:"survived"`
	Undecided int `json:"inconclusive"`
	Failed    int `json:"failed"`
	// Score is Killed over Mutants, 0 if there are none.
	Score float64 `json:"score"`
	// Own is the number of mutants killed by the formula that they break, Twice of those killed by two trials or more.
	Own   int `json:"own"`
	Twice int `json:"twice"`
	// Compared is the number of mutants in the score that have traces, Different of those whose traces differ from the
	// reference's. DifferentScore is Different over Compared, 0 if there are none.
	Compared       int     `json:"compared"`
	Different      int     `json:"different"`
	DifferentScore float64 `json:"differentScore"`
	// Diagnoses is the number of different diagnoses of all killed mutants, Right of those that say what the mutant
	// does.
	Diagnoses int `json:"diagnoses"`
	Right     int `json:"rightDiagnoses"`
	// Known is the number of killed mutants that a known mistake or a report describes, Diagnosed of those with a right
	// diagnosis.
	Known     int `json:"known"`
	Diagnosed int `json:"diagnosed"`
	// Equivalent is the number of mutants outside the score. Misclassified is the number of mutants that were killed
	// although the catalogue of mutations says that they cannot be.
	Equivalent    int `json:"unseen"`
	Misclassified int `json:"misfiled"`
	// Components are the figures of each program's mutants, in the order in which the programs first appear.
	Components []ComponentFigures `json:"components"`
	// FalseAlarms is the number of trials that deviate on a reference. Unjudged is the number of trials without
	// a verdict on a reference.
	FalseAlarms int `json:"falseAlarms"`
	Unjudged    int `json:"unjudged"`
	// Wall is the time from the start to the last verdict, 0 if that is missing. Each is Wall over the number
	// of mutants that were put under test. It is the cost of one more mutant, because builds go on beside
	// trials.
	Wall time.Duration `json:"wall"`
	Each time.Duration `json:"each"`
	// Mean and Most are the time of one mutant, build and trials. Dearest is the mutant with the longest time.
	Mean    time.Duration `json:"mean"`
	Most    time.Duration `json:"most"`
	Dearest string        `json:"dearest,omitempty"`
}

// ComponentFigures are the figures of one program's mutants.
type ComponentFigures struct {
	Component string  `json:"component"`
	Mutants   int     `json:"mutants"`
	Killed    int     `json:"caught"`
	Score     float64 `json:"score"`
}

// Figures computes the figures of one lane.
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
	f.Score, f.DifferentScore = ScoreOf(f.Killed, f.Mutants), ScoreOf(f.Different, f.Compared)
	for i := range f.Components {
		f.Components[i].Score = ScoreOf(f.Components[i].Killed, f.Components[i].Mutants)
	}
	f.Wall = l.wall()
	if tried > 0 {
		f.Mean, f.Each = sum/tried, f.Wall/tried
	}
	return f
}

// Add counts one mutant.
func (f *Figures) Add(m Mutant) {
	if m.Misclassified() {
		f.Misclassified++
	}
	if !m.Counts() {
		f.Equivalent++
		return
	}
	i := slices.IndexFunc(f.Components, func(c ComponentFigures) bool { return c.Component == m.Component })
	if i < 0 {
		i = len(f.Components)
		f.Components = append(f.Components, ComponentFigures{Component: m.Component})
	}
	f.Mutants++
	f.Components[i].Mutants++
	if m.Comparison != nil {
		f.Compared++
	}
	if m.Comparison.Differs() {
		f.Different++
	}
	switch m.Verdict {
	case Killed:
		f.Killed++
		f.Components[i].Killed++
		if m.Own() {
			f.Own++
		}
		if m.KilledBy() > 1 {
			f.Twice++
		}
		diagnoses := m.Diagnoses()
		f.Diagnoses += len(diagnoses)
		diagnoses = slices.DeleteFunc(diagnoses, func(d trial.Diagnosis) bool { return !m.Right(d) })
		f.Right += len(diagnoses)
		if m.Known() || m.Repairs || len(m.RightDiagnoses) > 0 {
			f.Known++
			f.Diagnosed += min(1, len(diagnoses))
		}
	case Survived:
		f.Survived++
	case Failed:
		f.Failed++
	default:
		f.Undecided++
	}
}

// ScoreOf returns part over whole as a share from 0 to 1, and 0 if whole is 0.
func ScoreOf(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ScorePercent formats a share as a percentage, rounded down to a tenth. It thus never turns 94.96 % into 95 %.
func ScorePercent(share float64) string {
	tenths := int(share*1000 + 1e-9)
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", tenths/10, tenths%10), ".0") + " %"
}

// ExitCode is ExitConforms if the score of each lane is as required and no reference deviates. It is
// ExitUnjudged if the harness could not judge, else ExitDeviates. A false alarm, or a killed mutant that no
// observer should see, is a finding. Findings outweigh what could not be judged.
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

// ExitReason returns the reason of the exit code in one sentence.
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
		// Findings outweigh what could not be judged, and that outweighs a good score.
		c := l.Conclude(p.AtLeast)
		if c.Code == run.ExitDeviates && found.Code != run.ExitDeviates ||
			c.Code == run.ExitUnjudged && found.Code == run.ExitConforms {
			found = c
		}
	}
	return found
}

// Conclude returns the conclusion of one lane.
func (l LaneReport) Conclude(atLeast float64) conclusion {
	f := l.Figures()
	judged := 0
	for _, c := range l.References {
		judged += c.Trials
	}
	deviates := func(format string, args ...any) conclusion {
		return conclusion{run.ExitDeviates, fmt.Sprintf("in the %s lane %s", l.Lane, fmt.Sprintf(format, args...))}
	}
	unjudged := func(format string, args ...any) conclusion {
		return conclusion{run.ExitUnjudged, fmt.Sprintf("the %s lane: %s", l.Lane, fmt.Sprintf(format, args...))}
	}
	// The comparison is exact for whole mutants: 19 of 20 are 95 %, despite the rounding of a division.
	enough := func(killed int) bool { return float64(killed)+1e-9 >= atLeast*float64(f.Mutants) }
	switch {
	case f.FalseAlarms > 0:
		return deviates("%s on the reference: false alarms.", Deviate(f.FalseAlarms))
	case f.Misclassified > 0:
		return deviates("%s killed although the catalogue of mutations says that it cannot be: remove its reason.",
			Are(f.Misclassified, "mutant"))
	case len(l.Unsteady()) > 0:
		return deviates("the traces of %s differ from those of the same kubelet before: no difference of a mutant "+
			"counts.", l.Unsteady()[0].Subject)
	case len(l.Problems) > 0:
		return unjudged("%s", l.Problems[0])
	case l.Ended.IsZero():
		return unjudged("it did not end.")
	case judged == 0:
		return unjudged("no reference was judged, so nothing counts.")
	case f.Mutants == 0:
		return unjudged("it has no mutant that counts.")
	case l.Lane == run.VirtualLane && f.Compared == 0:
		return unjudged("no mutant has traces to compare.")
	case float64(f.Different)+1e-9 < LeastDifferent*float64(f.Compared):
		return deviates("%s, %s required.", f.DifferentText(), ScorePercent(LeastDifferent))
	case enough(f.Killed):
		return conclusion{run.ExitConforms, ""}
	case enough(f.Killed + f.Undecided + f.Failed):
		return unjudged("%s, %s required; %d inconclusive and %d failed mutants could decide it.", f.ScoreText(),
			ScorePercent(atLeast), f.Undecided, f.Failed)
	}
	return deviates("%s, %s required.", f.ScoreText(), ScorePercent(atLeast))
}

// ScoreText returns the score in words.
func (f Figures) ScoreText() string {
	return fmt.Sprintf("%d of %s killed (%s)", f.Killed, run.Plural(f.Mutants, "mutant"), ScorePercent(f.Score))
}

// DifferentText returns the score by comparison in words.
func (f Figures) DifferentText() string {
	return fmt.Sprintf("%d of %s differ from the reference (%s)", f.Different,
		run.Plural(f.Compared, "compared mutant"), ScorePercent(f.DifferentScore))
}

// Deviate counts deviating trials in words, as in "1 trial deviates" and "2 trials deviate".
func Deviate(n int) string {
	if n == 1 {
		return "1 trial deviates"
	}
	return fmt.Sprintf("%d trials deviate", n)
}

// Are begins a sentence in the past tense, as in "1 mutant was" and "2 mutants were". thing is singular.
func Are(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return fmt.Sprintf("%d %ss were", n, thing)
}

// Unsteady returns the references whose traces differ from those of the first one.
func (l LaneReport) Unsteady() (all []Reference) {
	for _, r := range l.References {
		if r.Comparison.Differs() {
			all = append(all, r)
		}
	}
	return all
}

// Unjudged returns the trials without a verdict on a reference, each once.
func (l LaneReport) Unjudged() (trials []string) {
	for _, c := range l.References {
		for _, o := range c.Open {
			trials = append(trials, o.Trial)
		}
	}
	slices.Sort(trials)
	return slices.Compact(trials)
}
