// Package mutationtest is the model of a mutation report: every mutant, what killed it, and the results of the
// references. It saves, loads and counts. It knows no mutation, no machinery of a lane and no renderer.
package mutationtest

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Schema names the format of proof.json. It changes if a reader of the older format would misunderstand the
// file.
const Schema = "podclock.proof/v1"

// Report shows how well podclock distinguishes wrong code from right code. It has every mutant that met the
// catalogue, what killed it, and the results of the references.
type Report struct {
	Schema string `json:"schema"`
	// ID is the name of the report's folder: "mutants-" and its start in UTC.
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	// Ended is the time of the last verdict, zero if the run was interrupted.
	Ended       time.Time       `json:"ended,omitzero"`
	Environment run.Environment `json:"environment"`
	// Version is the Kubernetes version whose source was changed, such as "v1.36.3".
	Version string `json:"version"`
	// Profile is the part of the catalogue that was offered: "quick" or "full".
	Profile string `json:"profile"`
	// Catalogue is the number of mutations of the version that an observer can see, requested or not.
	Catalogue int `json:"catalogue,omitempty"`
	// AtLeast is the required score, from 0 to 1.
	AtLeast float64 `json:"atLeast"`
	// Lanes are the lanes of the run. Each has its own score.
	Lanes []LaneReport `json:"lanes"`
	// Problems are what kept the harness from judging, such as an interrupt or a cluster that did not start.
	Problems []string `json:"problems,omitempty"`
}

// KillsByTrial returns the names of the mutants that each trial killed in any lane, by the trial's ID.
func (p Report) KillsByTrial() map[string][]string {
	all := map[string][]string{}
	for _, l := range p.Lanes {
		for _, m := range l.Mutants {
			for _, c := range m.Kills {
				if !slices.Contains(all[c.Trial], m.Name) {
					all[c.Trial] = append(all[c.Trial], m.Name)
				}
			}
		}
	}
	return all
}

// LaneReport is the report of one lane.
type LaneReport struct {
	Lane    run.Lane  `json:"lane"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// Trials is the number of offered trials. A mutant meets them until it is killed in the virtual lane, and those
	// chosen for it in the node lane.
	Trials int `json:"trials"`
	// Mutants are the mutants that the lane can have, in the catalogue's order. They include those that never
	// ran.
	Mutants []Mutant `json:"mutants"`
	// References are the unchanged subjects that met the same trials.
	References []Reference `json:"controls"`
	// LeftOut are the requested mutations that the lane cannot have.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// Notes are what a reader of the figures must know, such as how many mutants shared a cluster.
	Notes []string `json:"notes,omitempty"`
	// Problems are what kept the lane from judging.
	Problems []string `json:"problems,omitempty"`
}

// LeftOut is a mutation that a lane cannot have.
type LeftOut struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Status is the result of a mutant.
type Status string

const (
	// Killed means that a trial distinguishes it from the reference.
	Killed Status = "killed"
	// Survived means that every trial of the reference was judged on it, and none distinguishes the two.
	Survived Status = "survived"
	// Undecided means that nothing killed it, but a trial that might have is inconclusive or never ran.
	Undecided Status = "inconclusive"
	// Failed means that it could not be built, or its node could not be started.
	Failed Status = "failed"
)

// UnmarshalText reads a status. Reports of earlier versions have another word for killed.
func (s *Status) UnmarshalText(text []byte) error {
	if *s = Status(text); *s == "caught" {
		*s = Killed
	}
	return nil
}

// Mutant is one mutation under test.
type Mutant struct {
	// These fields are from the catalogue, see mutation.Mutation.
	Name       string `json:"name"`
	Component  string `json:"component"`
	Version    string `json:"version"`
	Breaks     string `json:"breaks"`
	Formula    string `json:"formula,omitempty"`
	Reference  string `json:"reference,omitempty"`
	Repairs    bool   `json:"mends,omitempty"`
	Equivalent string `json:"unseen,omitempty"`

	// RightDiagnoses are the names of the diagnoses that say what the mutant does.
	RightDiagnoses []string `json:"rightDiagnoses,omitempty"`

	Verdict Status `json:"verdict"`
	// Why explains every verdict but Killed.
	Why string `json:"why,omitempty"`
	// Kills has the clearest claim of every trial that it met and that killed it, the clearest trial first, see
	// Kill.Clearer.
	Kills []Kill `json:"catches,omitempty"`
	// MoreKills is the number of kills that a brief report leaves out, see [Report.Brief].
	MoreKills int `json:"moreCatches,omitempty"`
	// Disputed do not count: the reference has no verdict of their trials, or the same.
	Disputed []Kill `json:"disputed,omitempty"`
	// Trials and Claims are the numbers of those that were judged on it. OwnClaims is the number of claims that
	// measure the formula that it breaks.
	Trials    int `json:"trials"`
	Claims    int `json:"claims"`
	OwnClaims int `json:"ownClaims"`
	// Open are the trials that are wholly or partly inconclusive on it but were judged on the reference.
	Open []Open `json:"open,omitempty"`
	// Unsupported is the number of trials that need a feature that its kubelet or lane does not have.
	Unsupported int `json:"unsupported,omitempty"`
	// Comparison is what its traces show, nil if it has none.
	Comparison *Comparison `json:"comparison,omitempty"`
	// Fuzz is what random scenarios show of a mutant that no trial killed, nil if it met none.
	Fuzz *Fuzz `json:"soak,omitempty"`
	// Build and Run are the wall times of its build and of its trials.
	Build time.Duration `json:"build"`
	Run   time.Duration `json:"run"`
}

// Fuzz is the result of random scenarios on one subject. A violation is no kill: a trial must show the same first.
type Fuzz struct {
	// Scenarios is the number of scenarios that ran.
	Scenarios int `json:"scenarios"`
	// Violations are the different violations: formula, side of the window and family. `podclock fuzz` prints each in
	// full.
	Violations []string `json:"violations,omitempty"`
	// Problem is why the scenarios could not run, empty if they ran.
	Problem string `json:"problem,omitempty"`
}

// Kill is a claim that distinguishes a mutant from the reference.
type Kill struct {
	Trial string `json:"trial"`
	Claim string `json:"claim"`
	// Formula is the claim's, Of the component whose rule it is. Own is true if the mutation breaks that formula.
	Formula string            `json:"formula"`
	Of      formula.Component `json:"of,omitempty"`
	Own     bool              `json:"own,omitempty"`
	// Verdict is deviates. For a repair it can be conforms, if the documented behaviour is also
	// possible on the reference.
	Verdict trial.Verdict `json:"verdict"`
	// Repaired is true if the mutant does what is documented and the reference does not.
	Repaired bool `json:"mended,omitempty"`
	// Measured is the value on the mutant, Usual that on the reference. Each is nil if it never came.
	Measured *int64 `json:"measured,omitempty"`
	Usual    *int64 `json:"usual,omitempty"`
	// Window is the implemented window, which the value is outside. For a repair it is the documented window, which
	// the value is inside.
	Window formula.Window `json:"window"`
	// Miss is the distance to the window, negative below it. For a repair it is the distance of the reference's value.
	Miss int64 `json:"miss"`
	// Diagnosis names the known wrong behaviour that fits this claim or another of the trial.
	Diagnosis *trial.Diagnosis `json:"diagnosis,omitempty"`
	// Why is the finding in words. If the kill is disputed, it is why it does not count.
	Why string `json:"why,omitempty"`
	// Claims is the number of the trial's claims that distinguish the mutant from the reference.
	Claims int `json:"claims"`
}

// Open is a trial that could not be judged.
type Open struct {
	Trial string `json:"trial"`
	Why   string `json:"why"`
}

// Reference is an unchanged subject with the same trials.
type Reference struct {
	Subject string `json:"subject"`
	// Trials and Claims are the numbers of those that were judged on it, Divergent that of divergent claims.
	Trials    int `json:"trials"`
	Claims    int `json:"claims"`
	Divergent int `json:"divergent"`
	// FalseAlarms has the clearest claim of every trial that deviates on it.
	FalseAlarms []Kill `json:"falseAlarms,omitempty"`
	// Open are the trials that are inconclusive on it. If no reference has a verdict of a trial, that trial neither
	// kills a mutant nor makes its verdict inconclusive.
	Open        []Open `json:"open,omitempty"`
	Unsupported int    `json:"unsupported,omitempty"`
	// Comparison is that with the first reference, nil for the first.
	Comparison *Comparison   `json:"comparison,omitempty"`
	Build      time.Duration `json:"build"`
	Run        time.Duration `json:"run"`
}

// KilledBy is the number of trials that killed it.
func (m Mutant) KilledBy() int { return len(m.Kills) + m.MoreKills }

// Met reports whether the mutant has a verdict.
func (m Mutant) Met() bool { return m.Verdict == Killed || m.Verdict == Survived }

// Counts reports whether a mutant is part of the score.
func (m Mutant) Counts() bool { return m.Equivalent == "" }

// Misclassified reports whether a mutant was killed that the catalogue calls equivalent.
func (m Mutant) Misclassified() bool { return m.Equivalent != "" && m.Verdict == Killed }

// Own reports whether a trial killed it by the formula that it breaks.
func (m Mutant) Own() bool {
	return slices.ContainsFunc(m.Kills, func(c Kill) bool { return c.Own })
}

// Known reports whether the bug that the mutation reintroduces or repairs has a public report.
func (m Mutant) Known() bool { return m.Reference != "" }

// Named reports whether the diagnosis of a kill and the mutation refer to the same report.
func (m Mutant) Named() bool { return slices.ContainsFunc(m.Kills, m.Names) }

// Names reports whether the diagnosis of this kill and the mutation refer to the same report. The kill may have no
// diagnosis.
func (m Mutant) Names(c Kill) bool {
	return c.Diagnosis != nil && shareReport(c.Diagnosis.Reference, m.Reference)
}

// Right reports whether a diagnosis says what the mutant does.
func (m Mutant) Right(d trial.Diagnosis) bool {
	return slices.Contains(m.RightDiagnoses, d.Name) || m.Repairs && d.Name == judge.AsDocumented ||
		shareReport(d.Reference, m.Reference)
}

// Diagnoses returns the different diagnoses of the trials that killed it.
func (m Mutant) Diagnoses() (all []trial.Diagnosis) {
	for _, c := range m.Kills {
		same := func(d trial.Diagnosis) bool { return d.Name == c.Diagnosis.Name }
		if c.Diagnosis != nil && !slices.ContainsFunc(all, same) {
			all = append(all, *c.Diagnosis)
		}
	}
	return all
}

// Diagnosis returns the diagnosis of the kill that Diagnosed selects, nil if there is none.
func (m Mutant) Diagnosis() *trial.Diagnosis {
	if i := m.Diagnosed(); i >= 0 {
		return m.Kills[i].Diagnosis
	}
	return nil
}

// Diagnosed returns the index of the clearest kill that names the mutant's report, otherwise of the clearest with
// a diagnosis, or -1.
func (m Mutant) Diagnosed() int {
	if i := slices.IndexFunc(m.Kills, m.Names); i >= 0 {
		return i
	}
	return slices.IndexFunc(m.Kills, func(c Kill) bool { return c.Diagnosis != nil })
}

func (l LaneReport) wall() time.Duration {
	if l.Ended.IsZero() {
		return 0
	}
	return l.Ended.Sub(l.Started)
}

// Cost is the time of the mutant's build and trials.
func (m Mutant) Cost() time.Duration { return m.Build + m.Run }

// least is the minimum width of a window in Widths: a millisecond, which is podclock's precision, or one for
// counts.
func least(u formula.Unit) float64 {
	if u == formula.Nanoseconds {
		return float64(time.Millisecond)
	}
	return 1
}

// Vacuous reports whether a window ends before it begins. Every value is outside such a window, so a miss means
// nothing.
func Vacuous(w formula.Window) bool { return w.Latest < w.Earliest }

// Widths returns how clear a kill is: the distance of its value from the window, in widths of the window. It
// is 0 if the value never came or if the window is vacuous.
func (c Kill) Widths() float64 {
	if c.Measured == nil || Vacuous(c.Window) {
		return 0
	}
	return math.Abs(float64(c.Miss)) / max(float64(c.Window.Latest-c.Window.Earliest), least(c.Window.Unit))
}

// Clearer orders kills. Kills of the formula that the mutation breaks come first, then those with the most
// widths. Values that never came have no widths, so they come after these. Kills with a vacuous window come
// last. Names decide the rest, so the order is the same in every report.
func (c Kill) Clearer(than Kill) int {
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
