// Package detection is the model of a sensitivity report: every mutant, what caught it, and what the
// reference of the same run shows. It saves, loads and counts. It knows no mutation, no lane's machinery
// and no renderer.
package detection

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// Schema names the format of proof.json; it changes when a reader of an older file would misunderstand it.
const Schema = "podclock.proof/v1"

// Report is how well podclock tells wrong code from right code: every mutant that met the catalogue, what
// caught it, and what the clean controls of the same run say.
type Report struct {
	Schema string `json:"schema"`
	// ID is the proof's folder name, "sensitivity-" and its start in UTC.
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	// Ended is when the last verdict was there, zero in what an interrupted proof left.
	Ended       time.Time       `json:"ended,omitzero"`
	Environment run.Environment `json:"environment"`
	// Version is the Kubernetes version whose source was changed, such as "v1.36.3".
	Version string `json:"version"`
	// Profile is what part of the catalogue was offered: "quick" or "full".
	Profile string `json:"profile"`
	// Catalogue is how many of the mutations that were written for the version can be seen, whether they
	// were asked for or not.
	Catalogue int `json:"catalogue,omitempty"`
	// AtLeast is the score that was asked for, from 0 to 1.
	AtLeast float64 `json:"atLeast"`
	// Lanes are the lanes that the mutants met the trials in, each proved by itself.
	Lanes []LaneReport `json:"lanes"`
	// Problems are what kept the harness from judging: an interrupt, a cluster that could not be had.
	Problems []string `json:"problems,omitempty"`
}

// LaneReport is the proof of one lane.
type LaneReport struct {
	Lane    run.Lane  `json:"lane"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// Trials is how many trials were offered: in the virtual lane all of the profile to each mutant, in the
	// node lane to each those that are chosen for it.
	Trials int `json:"trials"`
	// Mutants are those that the lane can have, in the catalogue's order, whether they ever ran or not.
	Mutants []Mutant `json:"mutants"`
	// Controls are the clean subjects that met the same trials.
	References []Reference `json:"controls"`
	// LeftOut are the mutations that were asked for and that the lane can't have.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// Notes are what a reader of the figures must know, such as how many mutants shared a cluster.
	Notes []string `json:"notes,omitempty"`
	// Problems are what kept the lane from judging.
	Problems []string `json:"problems,omitempty"`
}

// LeftOut is a mutation that a lane can't have.
type LeftOut struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Detection is what came of a mutant.
type Detection string

const (
	// Caught means that a trial tells it from the released code.
	Caught Detection = "caught"
	// Survived means that it met every trial that the control met, each was judged, and none tells it from
	// the released code.
	Survived Detection = "survived"
	// Undecided means that nothing caught it, but something that might have could not be judged, or it never ran.
	Undecided Detection = "inconclusive"
	// Failed means that it could not be built, or its node could not be started.
	Failed Detection = "failed"
)

// Mutant is one mutation under test.
type Mutant struct {
	// What the catalogue of mutations says of it, see mutation.Mutation.
	Name      string `json:"name"`
	Component string `json:"component"`
	Version   string `json:"version"`
	Breaks    string `json:"breaks"`
	Formula   string `json:"formula,omitempty"`
	Reference string `json:"reference,omitempty"`
	Mends     bool   `json:"mends,omitempty"`
	Unseen    string `json:"unseen,omitempty"`
	// Unmeasured is why no trial measures what it breaks, though an observer could see it.
	Unmeasured string `json:"unmeasured,omitempty"`

	Verdict Detection `json:"verdict"`
	// Why explains every verdict but Caught.
	Why string `json:"why,omitempty"`
	// Catches has the clearest claim of every trial that caught it, the clearest trial first, see Catch.Clearer.
	Catches []Catch `json:"catches,omitempty"`
	// Disputed are those that do not count, as the control says nothing or the same of their trials.
	Disputed []Catch `json:"disputed,omitempty"`
	// Trials is how many trials were judged on it, Claims how many of their claims, OwnClaims how many of
	// those measure the formula that it breaks.
	Trials    int `json:"trials"`
	Claims    int `json:"claims"`
	OwnClaims int `json:"ownClaims"`
	// Open are the trials that could not be judged on it though the control could, and those of which a
	// claim could not.
	Open []Open `json:"open,omitempty"`
	// Unsupported is how many trials its kubelet has not the feature for, or its lane can't show.
	Unsupported int `json:"unsupported,omitempty"`
	// Build is how long its program took to build, Run how long it was under test, each by the clock on the
	// wall, whatever went on beside.
	Build time.Duration `json:"build"`
	Run   time.Duration `json:"run"`
}

// Catch is a claim that tells a mutant from the released code.
type Catch struct {
	Trial string `json:"trial"`
	Claim string `json:"claim"`
	// Formula is the claim's, Of whose rule that is; Own says that it is the one that the mutation says it breaks.
	Formula string            `json:"formula"`
	Of      formula.Component `json:"of,omitempty"`
	Own     bool              `json:"own,omitempty"`
	// Verdict is deviates, or, of a mutant that mends, conforms where what is documented is also what the
	// released code may do.
	Verdict trial.Verdict `json:"verdict"`
	// Mended says that the mutant does what is documented and the released code does not.
	Mended bool `json:"mended,omitempty"`
	// Measured is what was measured on the mutant, nil where it never came; Usual what was on the control,
	// nil where that lacks it.
	Measured *int64 `json:"measured,omitempty"`
	Usual    *int64 `json:"usual,omitempty"`
	// Window is what the value is outside of: what the code computes. Where the mutant mends it is what is
	// documented, which the value is inside of.
	Window formula.Window `json:"window"`
	// Miss is how far outside the window: below it where negative. Where the mutant mends it is how far the
	// control's value is from what is documented.
	Miss int64 `json:"miss"`
	// Diagnosis names the known wrong behaviour that fits this claim or another of the trial.
	Diagnosis *trial.Diagnosis `json:"diagnosis,omitempty"`
	// Why is the finding in words, of a disputed one why it does not count.
	Why string `json:"why,omitempty"`
	// Claims is how many claims of the trial tell the mutant from the released code.
	Claims int `json:"claims"`
}

// Open is a trial that could not be judged.
type Open struct {
	Trial string `json:"trial"`
	Why   string `json:"why"`
}

// Reference is a clean subject that met the same trials.
type Reference struct {
	Subject string `json:"subject"`
	// Trials is how many trials were judged on it, Claims how many of their claims, Divergent how many
	// claims part from what is documented.
	Trials    int `json:"trials"`
	Claims    int `json:"claims"`
	Divergent int `json:"divergent"`
	// FalseAlarms has the clearest claim of every trial that deviates on it.
	FalseAlarms []Catch `json:"falseAlarms,omitempty"`
	// Open are the trials that could not be judged on it. No mutant can be caught by those that no control
	// judges, and what they might have told of one is not held against its verdict.
	Open        []Open        `json:"open,omitempty"`
	Unsupported int           `json:"unsupported,omitempty"`
	Build       time.Duration `json:"build"`
	Run         time.Duration `json:"run"`
}

// Counts says whether a mutant is part of the score.
func (m Mutant) Counts() bool { return m.Unseen == "" }

// Misfiled says that a mutant was caught which nobody should be able to see, or which no trial should
// measure: the catalogue of mutations is wrong.
func (m Mutant) Misfiled() bool { return (m.Unseen != "" || m.Unmeasured != "") && m.Verdict == Caught }

// Own says whether a trial caught it by the formula that it breaks. Where the mutation names none, nothing is known.
func (m Mutant) Own() bool {
	return slices.ContainsFunc(m.Catches, func(c Catch) bool { return c.Own })
}

// Known says whether somebody reported the bug that the mutation puts back or mends.
func (m Mutant) Known() bool { return m.Reference != "" }

// Named says whether a trial that caught it calls it by its name: its diagnosis has a report that the
// mutation has, too.
func (m Mutant) Named() bool { return slices.ContainsFunc(m.Catches, m.Names) }

func (m Mutant) Names(c Catch) bool {
	return c.Diagnosis != nil && shareReport(c.Diagnosis.Reference, m.Reference)
}

// Diagnosis is the clearest catch's that calls the mutant by its name; where none does, the clearest's that
// has one; nil where none has.
func (m Mutant) Diagnosis() *trial.Diagnosis {
	if i := m.Diagnosed(); i >= 0 {
		return m.Catches[i].Diagnosis
	}
	return nil
}

// Diagnosed is the index of the catch that the mutant's diagnosis is of, -1 where none has one.
func (m Mutant) Diagnosed() int {
	if i := slices.IndexFunc(m.Catches, m.Names); i >= 0 {
		return i
	}
	return slices.IndexFunc(m.Catches, func(c Catch) bool { return c.Diagnosis != nil })
}

// Cost is what the mutant took: its build and its time under test.
func (m Mutant) Cost() time.Duration { return m.Build + m.Run }

// least is the width that a narrower window counts as having: a millisecond, which is what podclock
// measures to, and one of everything that is counted.
func least(u formula.Unit) float64 {
	if u == formula.Nanoseconds {
		return float64(time.Millisecond)
	}
	return 1
}

// Vacuous says that a window ends before it begins: every value is outside of it, and that says nothing.
func Vacuous(w formula.Window) bool { return w.Latest < w.Earliest }

// Widths is how clear a catch is: how many times the width of its window the value lies outside of it. A
// value that never came is outside, and nobody knows how far; outside an empty window is everything: 0.
func (c Catch) Widths() float64 {
	if c.Measured == nil || Vacuous(c.Window) {
		return 0
	}
	return math.Abs(float64(c.Miss)) / max(float64(c.Window.Latest-c.Window.Earliest), least(c.Window.Unit))
}

// Clearer orders catches. The clearest is of the formula that the mutation says it breaks; of those the one
// that lies outside its window by the most of its widths; what never came is last of them, as it has no
// figure. One with an empty window comes after all others. Names decide the rest, so that two proofs tell
// the same.
func (c Catch) Clearer(than Catch) int {
	last := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(Vacuous(c.Window)), last(Vacuous(than.Window))),
		cmp.Compare(last(!c.Own), last(!than.Own)),
		cmp.Compare(than.Widths(), c.Widths()),
		cmp.Compare(c.Trial, than.Trial),
		cmp.Compare(c.Claim, than.Claim),
	)
}
