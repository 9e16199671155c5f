package predict

import (
	"github.com/podclock/podclock/harness/formula"
)

// Formula is what there is to know of a formula beside the windows that it computes.
type Formula struct {
	// Says is the formula in one sentence, Source where in Kubernetes it was read, Of whose rule it is: the
	// kubelet's where it is empty.
	Says   string            `json:"says"`
	Source string            `json:"source"`
	Of     formula.Component `json:"of,omitempty"`
	// Promise is the documentation's sentence, DocumentedAt its page; both are empty where it promises nothing.
	Promise      string `json:"promise,omitempty"`
	DocumentedAt string `json:"documentedAt,omitempty"`
}

// Formulas are those that predictions ask, by their IDs.
func Formulas(all []Prediction) map[string]Formula {
	asked := map[string]Formula{}
	for i := range all {
		for j := range all[i].Containers {
			all[i].Containers[j].each(func(p *Predicted) {
				if _, known := asked[p.Formula]; known || p.rule == nil {
					return
				}
				asked[p.Formula] = Formula{
					Says:         p.rule.Says,
					Source:       p.rule.Source,
					Of:           p.rule.Of,
					Promise:      p.rule.Promise,
					DocumentedAt: p.rule.DocumentedAt,
				}
			})
		}
	}
	return asked
}

// Like is everything that a formula, by its ID, says on the container's timelines of the kill, or the
// probe, that facts speak of: what a verdict by this formula can be held against. It is empty where the
// predictions do not ask the formula.
func (c Container) Like(rule string, facts formula.Input) []Predicted {
	var all []Predicted
	c.each(func(p *Predicted) {
		if p.rule != nil && p.rule.ID == rule && p.speaksOf(facts) {
			all = append(all, *p)
		}
	})
	return all
}

// each gives everything that is predicted of the container.
func (c *Container) each(give func(*Predicted)) {
	for i := range c.Timelines {
		t := &c.Timelines[i]
		for j := range t.Steps {
			s := &t.Steps[j]
			give(&s.Predicted)
			for k := range s.Also {
				give(&s.Also[k].Predicted)
			}
		}
		for j := range t.Values {
			give(&t.Values[j].Predicted)
		}
	}
}

// speaksOf says whether a prediction is about the same cause, delete option, taint and probe as facts. What
// is said of a life that nothing kills is about any of them.
func (p *Predicted) speaksOf(facts formula.Input) bool {
	mine, theirs := p.input.Kill, facts.Kill
	if kind := facts.Probe.Kind; kind != "" && p.input.Probe.Kind != "" && kind != p.input.Probe.Kind {
		return false
	}
	return mine.Cause == "" || mine.Cause == theirs.Cause && same(mine.GracePeriodSeconds, theirs.GracePeriodSeconds) &&
		(mine.TolerationSeconds == nil || same(mine.TolerationSeconds, theirs.TolerationSeconds))
}

func same(a, b *int64) bool {
	return a == b || a != nil && b != nil && *a == *b
}
