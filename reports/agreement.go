package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/trial"
)

// Agreement is how far the lanes say the same of the same code: of each version and mutation that the run has in both.
type Agreement struct {
	Trials Comparison `json:"trials"`
	Claims Comparison `json:"claims"`
	// Disagreements are those that both lanes judged differently, a trial before its claims.
	Disagreements []Disagreement `json:"disagreements,omitempty"`
}

// Comparison counts verdicts of one lane beside those of the other.
type Comparison struct {
	// Judged is how many were judged in both lanes (conforms, divergent or deviates), Agree how many of them alike.
	Judged int `json:"judged"`
	Agree  int `json:"agree"`
	// The others could not be compared, each for one reason: inconclusive in a lane, unsupported in both or one of them, or of claims, that only one of the
	// lanes' kubelets is held to them.
	Inconclusive         int `json:"inconclusive"`
	UnsupportedInBoth    int `json:"unsupportedInBoth"`
	UnsupportedInNode    int `json:"unsupportedInNode"`
	UnsupportedInVirtual int `json:"unsupportedInVirtual"`
	InOneLane            int `json:"inOneLane"`
}

// Disagreement is a trial, or one claim of it, that the lanes judge differently. It is a finding of its own: the same code should do the same in both, so
// one of the lanes measures something else than the other.
type Disagreement struct {
	Trial string `json:"trial"`
	// Claim is empty where the trial's own verdict is meant.
	Claim   string  `json:"claim,omitempty"`
	Node    Opinion `json:"node"`
	Virtual Opinion `json:"virtual"`
}

// Opinion is what one lane says.
type Opinion struct {
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
	// Measured is what a claim's verdict rests on, in words.
	Measured string `json:"measured,omitempty"`
}

func (o Opinion) String() string {
	if o.Measured == "" {
		return string(o.Verdict)
	}
	return fmt.Sprintf("%s (%s)", o.Verdict, o.Measured)
}

// String says it in one line.
func (d Disagreement) String() string {
	name := d.Trial + " on " + d.Node.Subject
	if d.Claim != "" {
		name += ", " + d.Claim
	}
	return fmt.Sprintf("%s: %s", name, d.opinions())
}

func (d Disagreement) opinions() string {
	return fmt.Sprintf("%s %s, %s %s", NodeLane, d.Node, VirtualLane, d.Virtual)
}

// lanesDisagree is the title of the disagreements.
const lanesDisagree = "Where the lanes disagree: the same code, judged differently on a node and under virtual time"

// Agreement compares the lanes. It is nil where no version and mutation is in both.
func (r Run) Agreement() *Agreement {
	var a *Agreement
	outcomes := map[string]map[string]Outcome{} // by subject, then trial
	for _, b := range r.blocks() {
		outcomes[b.subject.Name] = map[string]Outcome{}
		for _, o := range b.outcomes {
			outcomes[b.subject.Name][o.Trial] = o
		}
	}
	for _, b := range r.in(NodeLane).blocks() {
		twin, found := r.twin(b.subject)
		if !found {
			continue
		}
		if a == nil {
			a = &Agreement{}
		}
		for _, o := range b.outcomes {
			if other, selected := outcomes[twin][o.Trial]; selected {
				a.compare(o, other)
			}
		}
	}
	return a
}

// twin is the virtual subject made of the same code as one in the node lane.
func (r Run) twin(s Subject) (name string, found bool) {
	for _, other := range r.Subjects {
		if other.lane() == VirtualLane && s.Path == "" && release(other) == release(s) && other.Mutation == s.Mutation {
			return other.Name, true
		}
	}
	return "", false
}

// release is a subject's version without its mutation, which a mutated kubelet may report with it.
func release(s Subject) string { return strings.TrimSuffix(s.Kubelet.Version, "+"+s.Mutation) }

// compare takes one trial in.
func (a *Agreement) compare(node, virtual Outcome) {
	if a.Trials.take(node.Verdict, virtual.Verdict) {
		a.Disagreements = append(a.Disagreements, Disagreement{
			Trial: node.Trial, Node: Opinion{Subject: node.Subject, Verdict: node.Verdict}, Virtual: Opinion{Subject: virtual.Subject, Verdict: virtual.Verdict},
		})
	}
	if node.Verdict == trial.Unsupported || virtual.Verdict == trial.Unsupported || len(node.Attempts) == 0 || len(virtual.Attempts) == 0 {
		return // the trial says it all
	}
	others := map[string]trial.Finding{}
	for _, f := range findings(virtual) {
		others[f.Claim] = f
	}
	for _, f := range findings(node) {
		other, held := others[f.Claim]
		if !held {
			a.Claims.InOneLane++
			continue
		}
		delete(others, f.Claim)
		if a.Claims.take(f.Verdict, other.Verdict) {
			a.Disagreements = append(a.Disagreements, Disagreement{
				Trial: node.Trial, Claim: f.Claim,
				Node:    Opinion{Subject: node.Subject, Verdict: f.Verdict, Measured: measured(f)},
				Virtual: Opinion{Subject: virtual.Subject, Verdict: other.Verdict, Measured: measured(other)},
			})
		}
	}
	a.Claims.InOneLane += len(others)
}

// take counts a verdict in the node lane and one in the virtual, and says whether they disagree.
func (c *Comparison) take(node, virtual trial.Verdict) (disagree bool) {
	switch {
	case conclusive(node) && conclusive(virtual):
		c.Judged++
		if node != virtual {
			return true
		}
		c.Agree++
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

// String says the agreement in one line.
func (a Agreement) String() string {
	return fmt.Sprintf("%s and %s agree on %s, and on %s.", NodeLane, VirtualLane, a.Trials.words("verdict"), a.Claims.words("claim"))
}

func (c Comparison) words(thing string) string {
	s := fmt.Sprintf("%d of %s", c.Agree, plural(c.Judged, thing))
	if c.Judged == 0 {
		s = fmt.Sprintf("no %s, as none was judged in both", thing)
	}
	var others []string
	for _, o := range []struct {
		n   int
		why string
	}{
		{c.UnsupportedInVirtual, "unsupported in the virtual lane"}, {c.UnsupportedInNode, "unsupported in the node lane"}, {c.UnsupportedInBoth, "unsupported in both"},
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

// about are the disagreements on one trial of a subject, whichever lane it is in.
func (a *Agreement) about(o Outcome) []Disagreement {
	if a == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Disagreements), func(d Disagreement) bool {
		return d.Trial != o.Trial || d.Node.Subject != o.Subject && d.Virtual.Subject != o.Subject
	})
}
