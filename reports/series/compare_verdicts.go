package series

import (
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Direction is where a verdict went.
type Direction string

const (
	// Worse is a deviation that was none before, whatever was there instead: of a trial that was not run
	// before nobody can say that it deviated then, too.
	Worse Direction = "worse"
	// Better is a deviation that is none any more.
	Better Direction = "better"
	// NoLongerJudged is a judgement before and none after: inconclusive, or unsupported.
	NoLongerJudged Direction = "no longer judged"
	// JudgedNow is a judgement after and none before, and no deviation.
	JudgedNow Direction = "judged now"
	// Documentation is a change between conforms and divergent: the code does what it should on both sides,
	// and on one of them what the documentation says.
	Documentation Direction = "beside the documentation"
)

// directions are all of them, the worst first.
var Directions = []Direction{Worse, NoLongerJudged, Documentation, JudgedNow, Better}

func (d Direction) rank() int { return slices.Index(Directions, d) }

// VerdictChange is a trial whose verdict differs between the sides, or of which other claims deviate.
type VerdictChange struct {
	Trial     string        `json:"trial"`
	Subjects  SubjectPair   `json:"subjects"`
	Direction Direction     `json:"direction"`
	Was       trial.Verdict `json:"was"`
	Now       trial.Verdict `json:"now"`
	// Why is the reason of the verdict after; where that needs none, the reason of the one before, which then says so.
	Why string `json:"why,omitempty"`
	// Claims are those whose verdicts differ.
	Claims []ClaimChange `json:"claims,omitempty"`
}

// ClaimChange is a claim whose verdict differs between the sides.
type ClaimChange struct {
	Claim   string        `json:"claim"`
	Formula string        `json:"formula"`
	Was     trial.Verdict `json:"was"`
	Now     trial.Verdict `json:"now"`
	// MeasuredBefore and MeasuredAfter are in words, empty where the side has not the claim.
	MeasuredBefore string `json:"measuredBefore,omitempty"`
	MeasuredAfter  string `json:"measuredAfter,omitempty"`
}

// direction is where a verdict went, empty where it stayed. What is no verdict counts as one that was not come to.
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

// changeOf is what changed about a trial's verdicts, nil where nothing did. A trial that deviates on both
// sides changed where another claim deviates.
func changeOf(p SubjectPair, old, now run.Outcome) *VerdictChange {
	change := VerdictChange{
		Trial:     now.Trial,
		Subjects:  p,
		Direction: DirectionOf(old.Verdict, now.Verdict),
		Was:       old.Verdict,
		Now:       now.Verdict,
		Claims:    claimChanges(old, now),
	}
	if change.Direction != Worse {
		for _, c := range change.Claims {
			if d := DirectionOf(c.Was, c.Now); d == Worse || change.Direction == "" && d == Better {
				change.Direction = d
			}
		}
	}
	if change.Direction == "" {
		return nil
	}
	change.Why = view.ReasonOf(now)
	if was := view.ReasonOf(old); change.Why == "" && was != "" {
		change.Why = "before: " + was
	}
	return &change
}

// claimChanges are the claims of a trial whose verdicts differ. A claim that only one side is held to is
// among them where it deviates there.
func claimChanges(old, now run.Outcome) []ClaimChange {
	var all []ClaimChange
	before := claimsOf(old)
	for _, f := range view.FindingsOf(now) {
		c := ClaimChange{Claim: f.Claim, Formula: f.Formula, Was: view.NotHeld, Now: f.Verdict, MeasuredAfter: view.FormatMeasured(f)}
		if was, held := before[f.Claim]; held {
			c.Was, c.MeasuredBefore = was.Verdict, view.FormatMeasured(was)
		}
		if c.Was != c.Now && (c.Was != view.NotHeld || c.Now == trial.Deviates) {
			all = append(all, c)
		}
	}
	after := claimsOf(now)
	for _, f := range view.FindingsOf(old) {
		if _, held := after[f.Claim]; !held && f.Verdict == trial.Deviates {
			all = append(
				all,
				ClaimChange{
					Claim:          f.Claim,
					Formula:        f.Formula,
					Was:            f.Verdict,
					Now:            view.NotHeld,
					MeasuredBefore: view.FormatMeasured(f),
				},
			)
		}
	}
	return all
}

// claimsOf are the findings of an outcome's last attempt by their claims.
func claimsOf(o run.Outcome) map[string]trial.Finding {
	all := map[string]trial.Finding{}
	for _, f := range view.FindingsOf(o) {
		all[f.Claim] = f
	}
	return all
}
