package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Agreement compares the verdicts of the two lanes. It covers each version and mutation that the run has in
// both.
type Agreement struct {
	Trials AgreementCount `json:"trials"`
	Claims AgreementCount `json:"claims"`
	// ByComponent counts the claims by the component whose rule they check. The virtual lane has only models of some.
	ByComponent map[string]AgreementCount `json:"byComponent,omitempty"`
	// Disagreements are trials and claims that the lanes judged differently, a trial before its claims.
	Disagreements []Disagreement `json:"disagreements,omitempty"`
	// OneSided are claims that only one of the lanes judged, and trials that only one of the lanes ran. It
	// leaves out what a lane does not support.
	OneSided []Disagreement `json:"oneSided,omitempty"`
}

// Disagreement is a trial, or one claim of it, that the lanes judge differently. The same code should behave
// the same in both lanes, so one of them measures something else.
type Disagreement struct {
	Trial string `json:"trial"`
	// Claim is empty if the trial's own verdict is meant.
	Claim   string  `json:"claim,omitempty"`
	Node    Opinion `json:"node"`
	Virtual Opinion `json:"virtual"`
}

// Opinion is the verdict of one lane.
type Opinion struct {
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
	// Measured is the measurement behind a claim's verdict, in words.
	Measured string `json:"measured,omitempty"`
}

func (o Opinion) String() string {
	if o.Measured == "" {
		return string(o.Verdict)
	}
	return fmt.Sprintf("%s (%s)", o.Verdict, o.Measured)
}

// String returns the disagreement in one line.
func (d Disagreement) String() string {
	name := d.Trial + " on " + d.Node.Subject
	if d.Claim != "" {
		name += ", " + d.Claim
	}
	return fmt.Sprintf("%s: %s", name, d.Opinions())
}

// Opinions returns both verdicts without the name of the trial, the node lane's first.
func (d Disagreement) Opinions() string {
	return fmt.Sprintf("%s %s, %s %s", run.NodeLane, d.Node, run.VirtualLane, d.Virtual)
}

// NotHeld replaces the verdict on a claim that does not apply to a lane's kubelet.
const NotHeld trial.Verdict = "not held to it"

// AgreementOf compares the lanes. It returns nil if no version and mutation is in both.
func AgreementOf(r run.Run) *Agreement {
	var a *Agreement
	outcomes := map[string]map[string]run.Outcome{} // by subject, then trial
	for _, b := range ColumnsOf(r) {
		outcomes[b.Name] = map[string]run.Outcome{}
		for _, o := range b.Outcomes {
			outcomes[b.Name][o.Trial] = o
		}
	}
	for _, b := range ColumnsOf(r.In(run.NodeLane)) {
		twin, found := r.Twin(b.Subject)
		if !found {
			continue
		}
		if a == nil {
			a = &Agreement{ByComponent: map[string]AgreementCount{}}
		}
		for _, o := range b.Outcomes {
			if other, selected := outcomes[twin][o.Trial]; selected {
				a.compare(o, other)
			}
		}
	}
	return a
}

// compare adds one trial to the comparison.
func (a *Agreement) compare(node, virtual run.Outcome) {
	d := Disagreement{
		Trial:   node.Trial,
		Node:    Opinion{Subject: node.Subject, Verdict: node.Verdict},
		Virtual: Opinion{Subject: virtual.Subject, Verdict: virtual.Verdict},
	}
	supported := node.Verdict != trial.Unsupported && virtual.Verdict != trial.Unsupported
	claims, compared := []claimPair(nil), virtual.Verdict
	if supported { // otherwise, the trial's verdict covers its claims
		claims = claimPairs(d, node, virtual)
	}
	if run.LanesAgree(node, virtual) {
		compared = node.Verdict
	}
	if a.Trials.Take(node.Verdict, compared) {
		a.Disagreements = append(a.Disagreements, d)
	} else if supported && len(claims) == 0 {
		a.oneSided(d)
	}
	for _, c := range claims {
		if a.Claims.Take(c.Node.Verdict, c.compared) {
			a.Disagreements = append(a.Disagreements, c.Disagreement)
		} else {
			a.oneSided(c.Disagreement)
		}
		count := a.ByComponent[c.of.String()]
		count.Take(c.Node.Verdict, c.compared)
		a.ByComponent[c.of.String()] = count
	}
}

// claimPair is what both lanes say of one claim.
type claimPair struct {
	Disagreement
	of formula.Component
	// compared is the virtual lane's verdict, or the node lane's if the two may differ.
	compared trial.Verdict
}

// claimPairs returns a trial's claims, those of the virtual lane alone last, and none if a lane made no attempt.
func claimPairs(d Disagreement, node, virtual run.Outcome) []claimPair {
	if len(node.Attempts) == 0 || len(virtual.Attempts) == 0 {
		return nil
	}
	pairs, others := []claimPair(nil), map[string]trial.Finding{}
	for _, f := range FindingsOf(virtual) {
		others[f.Claim] = f
	}
	for _, f := range FindingsOf(node) {
		d.Claim, d.Node.Verdict, d.Node.Measured = f.Claim, f.Verdict, FormatMeasured(f)
		d.Virtual.Verdict, d.Virtual.Measured = NotHeld, ""
		other, held := others[f.Claim]
		if held {
			d.Virtual.Verdict, d.Virtual.Measured = other.Verdict, FormatMeasured(other)
			delete(others, f.Claim)
		}
		c := claimPair{Disagreement: d, of: f.Of, compared: d.Virtual.Verdict}
		if held && run.MayDiffer(f, other) {
			c.compared = f.Verdict
		}
		pairs = append(pairs, c)
	}
	for _, f := range FindingsOf(virtual) {
		if _, alone := others[f.Claim]; alone {
			d.Claim, d.Node.Verdict, d.Node.Measured = f.Claim, NotHeld, ""
			d.Virtual.Verdict, d.Virtual.Measured = f.Verdict, FormatMeasured(f)
			pairs = append(pairs, claimPair{Disagreement: d, of: f.Of, compared: f.Verdict})
		}
	}
	return pairs
}

// oneSided adds what only one lane judged.
func (a *Agreement) oneSided(d Disagreement) {
	if run.Conclusive(d.Node.Verdict) != run.Conclusive(d.Virtual.Verdict) {
		a.OneSided = append(a.OneSided, d)
	}
}

// deviationsInOneLane returns the disagreements in which exactly one lane has a deviation.
func (a Agreement) deviationsInOneLane() []Disagreement {
	return slices.DeleteFunc(slices.Clone(a.OneSided), func(d Disagreement) bool {
		return d.Node.Verdict != trial.Deviates && d.Virtual.Verdict != trial.Deviates
	})
}

// String returns the agreement in one line.
func (a Agreement) String() string {
	parts := []string{
		a.Trials.words("verdict", ""),
		a.ByComponent[formula.TheKubelet.String()].words("claim", " of the kubelet's own rules"),
	}
	var models, controllers AgreementCount
	for c, compared := range a.ByComponent {
		switch of := formula.Component(c); {
		case of == formula.Controller:
			controllers = compared
		case c != formula.TheKubelet.String() && modelled(of):
			models = models.and(compared)
		}
	}
	if models != (AgreementCount{}) {
		parts = append(parts, models.words("claim",
			" about the container runtime or the API server (the virtual lane has only models of them)"))
	}
	if controllers != (AgreementCount{}) {
		parts = append(parts, controllers.words("claim", " of a controller's rules"))
	}
	return fmt.Sprintf("%s and %s agree on %s.", run.NodeLane, run.VirtualLane, strings.Join(parts, "; on "))
}

// About returns the disagreements on the trial of an outcome, whichever lane the outcome is from.
func (a *Agreement) About(o run.Outcome) []Disagreement {
	if a == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Disagreements), func(d Disagreement) bool {
		return d.Trial != o.Trial || d.Node.Subject != o.Subject && d.Virtual.Subject != o.Subject
	})
}

// AgreementCount counts the verdicts that the two lanes gave on the same trials or claims.
type AgreementCount struct {
	// Judged is how many were judged in both lanes (conforms, divergent or deviates). Agree is how many of them
	// have the same verdict, or differ on a promise as [run.MayDiffer] allows.
	Judged int `json:"judged"`
	Agree  int `json:"agree"`
	// The others could not be compared. They are inconclusive in a lane, or unsupported in one or both.
	// InOneLane are claims that apply to the kubelet of one lane only.
	Inconclusive         int `json:"inconclusive"`
	UnsupportedInBoth    int `json:"unsupportedInBoth"`
	UnsupportedInNode    int `json:"unsupportedInNode"`
	UnsupportedInVirtual int `json:"unsupportedInVirtual"`
	InOneLane            int `json:"inOneLane"`
}

// Take counts a verdict of the node lane and one of the virtual lane. It reports whether they disagree.
func (c *AgreementCount) Take(node, virtual trial.Verdict) (disagree bool) {
	switch {
	case run.Conclusive(node) && run.Conclusive(virtual):
		c.Judged++
		if node != virtual {
			return true
		}
		c.Agree++
	case node == NotHeld || virtual == NotHeld:
		c.InOneLane++
	case node == trial.Unsupported && virtual == trial.Unsupported:
		c.UnsupportedInBoth++
	case node == trial.Unsupported:
		c.UnsupportedInNode++
	case virtual == trial.Unsupported:
		c.UnsupportedInVirtual++
	default:
		c.Inconclusive++
	}
	return false
}

// and adds two counts.
func (c AgreementCount) and(d AgreementCount) AgreementCount {
	return AgreementCount{
		Judged:               c.Judged + d.Judged,
		Agree:                c.Agree + d.Agree,
		Inconclusive:         c.Inconclusive + d.Inconclusive,
		UnsupportedInBoth:    c.UnsupportedInBoth + d.UnsupportedInBoth,
		UnsupportedInNode:    c.UnsupportedInNode + d.UnsupportedInNode,
		UnsupportedInVirtual: c.UnsupportedInVirtual + d.UnsupportedInVirtual,
		InOneLane:            c.InOneLane + d.InOneLane,
	}
}

func (c AgreementCount) words(thing, about string) string {
	s := fmt.Sprintf("%d of %s%s", c.Agree, run.Plural(c.Judged, thing), about)
	if c.Judged == 0 {
		s = fmt.Sprintf("no %s%s, because none was judged in both", thing, about)
	}
	var others []string
	for _, o := range []struct {
		n   int
		why string
	}{
		{c.UnsupportedInVirtual, "unsupported in the virtual lane"},
		{c.UnsupportedInNode, "unsupported in the node lane"}, {c.UnsupportedInBoth, "unsupported in both"},
		{c.Inconclusive, "inconclusive"}, {c.InOneLane, "in one lane only"},
	} {
		if o.n > 0 {
			others = append(others, fmt.Sprintf("%d %s", o.n, o.why))
		}
	}
	if len(others) > 0 {
		s += " (" + strings.Join(others, ", ") + ")"
	}
	return s
}
