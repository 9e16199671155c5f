package view

import (
	"fmt"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// AgreementCount counts verdicts of one lane beside those of the other.
type AgreementCount struct {
	// Judged is how many were judged in both lanes (conforms, divergent or deviates), Agree how many of them alike.
	Judged int `json:"judged"`
	Agree  int `json:"agree"`
	// The others could not be compared, each for one reason: inconclusive in a lane, unsupported in both or
	// one of them, or of claims, that only one of the lanes' kubelets is held to them.
	Inconclusive         int `json:"inconclusive"`
	UnsupportedInBoth    int `json:"unsupportedInBoth"`
	UnsupportedInNode    int `json:"unsupportedInNode"`
	UnsupportedInVirtual int `json:"unsupportedInVirtual"`
	InOneLane            int `json:"inOneLane"`
}

// Take counts a verdict in the node lane and one in the virtual, and says whether they disagree.
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

// and adds two counts up.
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
		s = fmt.Sprintf("no %s%s, as none was judged in both", thing, about)
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
