package predict

import (
	"github.com/podclock/podclock/harness/formula"
)

// Like is everything that a formula, by its ID, says on the container's timelines of the kill, or the probe, that facts speak of: what a verdict by this formula can
// be held against. It is empty where the predictions do not ask the formula.
func (c Container) Like(rule string, facts formula.Input) []Predicted {
	var all []Predicted
	add := func(p Predicted) {
		if p.rule.ID == rule && p.speaksOf(facts) {
			all = append(all, p)
		}
	}
	for _, t := range c.Timelines {
		for _, s := range t.Steps {
			add(s.Predicted)
			for _, b := range s.Also {
				add(b.Predicted)
			}
		}
		for _, v := range t.Values {
			add(v.Predicted)
		}
	}
	return all
}

// speaksOf says whether a prediction is about the same cause, delete option, taint and probe as facts. What is said of a life that nothing kills is about any of them.
func (p Predicted) speaksOf(facts formula.Input) bool {
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
