package series

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// Direction is how a verdict changed.
type Direction string

const (
	// Worse is a new deviation. It is unknown whether a trial that did not run before deviated.
	Worse Direction = "worse"
	// Better is a deviation that is gone.
	Better Direction = "better"
	// NoLongerJudged is a judgement before, and inconclusive or unsupported after.
	NoLongerJudged Direction = "no longer judged"
	// JudgedNow is a judgement after, and none before. It is no deviation.
	JudgedNow Direction = "judged now"
	// Documentation is a change between conforms and divergent.
	Documentation Direction = "beside the documentation"
)

// Directions are all directions, the worst first.
var Directions = []Direction{Worse, NoLongerJudged, Documentation, JudgedNow, Better}

func (d Direction) rank() int { return slices.Index(Directions, d) }

// VerdictChange is a trial whose verdict differs between the sides, or whose other claims deviate.
type VerdictChange struct {
	Trial     string        `json:"trial"`
	Subjects  SubjectPair   `json:"subjects"`
	Direction Direction     `json:"direction"`
	Was       trial.Verdict `json:"was"`
	Now       trial.Verdict `json:"now"`
	// Why is the reason of the verdict after. If that needs none, it is "before: " and the reason before.
	Why    string        `json:"why,omitempty"`
	Claims []claimChange `json:"claims,omitempty"`
}

type claimChange struct {
	Claim   string        `json:"claim"`
	Formula string        `json:"formula"`
	Was     trial.Verdict `json:"was"`
	Now     trial.Verdict `json:"now"`
	// MeasuredBefore and MeasuredAfter are in words, empty if the side does not have the claim.
	MeasuredBefore string `json:"measuredBefore,omitempty"`
	MeasuredAfter  string `json:"measuredAfter,omitempty"`
}

// DirectionOf returns how a verdict changed, empty if it did not.
func DirectionOf(was, now trial.Verdict) Direction {
	switch {
	case was == now:
		return ""
	case now == trial.Deviates:
		return Worse
	case !run.Conclusive(now):
		return NoLongerJudged
	case was == trial.Deviates:
		return Better
	case !run.Conclusive(was):
		return JudgedNow
	}
	return Documentation
}

// changeOf returns what changed about a trial's verdicts, nil if nothing did. If the trial deviates on both
// sides, it changed if another claim deviates.
func changeOf(p SubjectPair, old, now Outcome) *VerdictChange {
	change := VerdictChange{
		Trial: now.Trial, Subjects: p, Direction: DirectionOf(old.Verdict, now.Verdict), Was: old.Verdict,
		Now: now.Verdict, Why: now.Why, Claims: claimChanges(old, now),
	}
	if change.Direction != Worse {
		for _, claim := range change.Claims {
			if d := DirectionOf(claim.Was, claim.Now); d == Worse || change.Direction == "" && d == Better {
				change.Direction = d
			}
		}
	}
	if change.Why == "" && old.Why != "" {
		change.Why = "before: " + old.Why
	}
	if change.Direction == "" {
		return nil
	}
	return &change
}

// claimChanges returns the claims of a trial whose verdicts differ. A claim that only one side has is among them if
// it deviates there.
func claimChanges(old, now Outcome) []claimChange {
	var all []claimChange
	before, after := old.Judged(), now.Judged()
	for _, f := range now.Claims {
		if !f.Judged {
			continue
		}
		c := claimChange{
			Claim: f.Name, Formula: f.Formula, Was: view.NotHeld, Now: f.Verdict, MeasuredAfter: f.measured(),
		}
		if was, had := before[f.Name]; had {
			c.Was, c.MeasuredBefore = was.Verdict, was.measured()
		}
		if c.Was != c.Now && (c.Was != view.NotHeld || c.Now == trial.Deviates) {
			all = append(all, c)
		}
	}
	for _, f := range old.Claims {
		if _, has := after[f.Name]; !has && f.Judged && f.Verdict == trial.Deviates {
			all = append(all, claimChange{Claim: f.Name, Formula: f.Formula, Was: f.Verdict, Now: view.NotHeld,
				MeasuredBefore: f.measured()})
		}
	}
	return all
}
