package promises

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// forecast predicts one workload for the kubelets that play it.
type forecast struct {
	workload predict.Workload
	all      func([]predict.Workload, formula.Kubelet, predict.Options) []predict.Prediction
	known    *sync.Map // of predict.Prediction, by the kubelet as JSON
}

func (f forecast) of(k formula.Kubelet) predict.Prediction {
	key, err := json.Marshal(k)
	if err != nil {
		panic(err) // it is made of plain values
	}
	if known, is := f.known.Load(string(key)); is {
		return known.(predict.Prediction)
	}
	var plain formula.Kubelet // without what a formula's own questions add
	if err := json.Unmarshal(key, &plain); err != nil {
		panic(err)
	}
	p := f.all([]predict.Workload{f.workload}, plain, predict.Options{})[0]
	f.known.Store(string(key), p)
	return p
}

// answer names a timeline of a prediction.
type answer struct{ container, timeline string }

// in returns the timeline, or nil if the prediction has none: that of another kubelet may not.
func (a answer) in(p predict.Prediction) *predict.Timeline {
	for _, c := range p.Containers {
		for i := range c.Timelines {
			if c.Name == a.container && c.Timelines[i].ID == a.timeline {
				return &c.Timelines[i]
			}
		}
	}
	return nil
}

// impossible is the window of what a kubelet is not predicted to do. No value lies in it.
var impossible = formula.Window{Unit: formula.Nanoseconds, Earliest: 1, Latest: 0, Terms: []formula.Term{
	{Name: "not predicted of this kubelet", Earliest: 1, Latest: 0},
}}

// stepOf returns the formula of a step: when it is predicted, counted from its timeline's zero. Of several answers,
// such as those of several containers about the end of their pod's object, the last one counts.
func (f forecast) stepOf(answers []answer, id string, like predict.Timeline, s predict.Step) formula.Formula {
	window := func(k formula.Kubelet, of func(predict.Timeline, predict.Step) *formula.Window) *formula.Window {
		var last *formula.Window
		for _, a := range answers {
			l := a.in(f.of(k))
			if l == nil {
				return nil
			}
			i := slices.IndexFunc(l.Steps, func(s predict.Step) bool { return s.ID == id })
			if i < 0 {
				return nil
			}
			w := of(*l, l.Steps[i])
			if w == nil {
				return nil
			}
			if last == nil || w.Latest > last.Latest || w.Latest == last.Latest && w.Earliest > last.Earliest {
				earliest := int64(0)
				if last != nil {
					earliest = last.Earliest
				}
				last = w
				narrow(last, earliest)
			} else {
				narrow(last, w.Earliest)
			}
		}
		return last
	}
	rule := s.Rule()
	if rule == nil {
		rule = &formula.Formula{Source: sourceOf(like, s)}
	}
	made := formula.Formula{
		ID:          run.Predicted + ofFirstLife(s.ID, s.Life),
		Description: like.Begins + "; then " + s.What + assuming(like),
		Source:      rule.Source, Of: rule.Of,
		Implemented: func(in formula.Input) formula.Window {
			w := window(in.Kubelet, terms)
			if w == nil {
				return impossible
			}
			return *w
		},
	}
	if s.Promised != nil {
		made.Promise, made.DocumentedAt, made.Issues = rule.Promise, rule.DocumentedAt, rule.Issues
		made.Documented = func(in formula.Input) *formula.Window { return window(in.Kubelet, promised) }
	}
	return made
}

// narrow makes a window begin no earlier.
func narrow(w *formula.Window, earliest int64) {
	if more := earliest - w.Earliest; more > 0 {
		*w = w.With(formula.Term{Name: "another container", Earliest: more})
	}
}

func assuming(l predict.Timeline) string {
	if l.Assumes.Description == "" {
		return ""
	}
	return " (" + l.Assumes.Description + ")"
}

// sourceOf returns the source of the formula from which a step's window was taken: that of the nearest step before it.
func sourceOf(l predict.Timeline, s predict.Step) string {
	for s.Rule() == nil {
		i := slices.IndexFunc(l.Steps, func(b predict.Step) bool { return b.ID == s.After })
		if i < 0 {
			return ""
		}
		s = l.Steps[i]
	}
	return s.Rule().Source
}

// terms returns when a step is predicted, with the terms of the formulas that lead to it.
func terms(l predict.Timeline, s predict.Step) *formula.Window {
	var path []predict.Step
	at, w := s.At, formula.Window{Unit: formula.Nanoseconds}
	for i := 0; i >= 0; i = slices.IndexFunc(l.Steps, func(b predict.Step) bool { return b.ID == s.After }) {
		if len(path) > 0 {
			s = l.Steps[i]
		}
		path = append(path, s)
	}
	for _, s := range slices.Backward(path) {
		for _, t := range s.Implemented.Terms {
			w = plus(w, t)
		}
	}
	if less := (formula.Term{
		Name: "other bounds", Earliest: int64(at.Earliest) - w.Earliest, Latest: int64(at.Latest) - w.Latest,
	}); less.Earliest != 0 || less.Latest != 0 {
		w = w.With(less)
	}
	return &w
}

// plus returns a window with one more term. It adds up terms of one name, of which each life of a loop has some.
func plus(w formula.Window, t formula.Term) formula.Window {
	i := slices.IndexFunc(w.Terms, func(known formula.Term) bool { return known.Name == t.Name })
	t.Usual = formula.Usual{} // that of a sum is not known
	if i < 0 {
		return w.With(t)
	}
	w.Terms = slices.Clone(w.Terms)
	w.Terms[i].Earliest, w.Terms[i].Latest = w.Terms[i].Earliest+t.Earliest, w.Terms[i].Latest+t.Latest
	w.Earliest, w.Latest = w.Earliest+t.Earliest, w.Latest+t.Latest
	return w
}

// promised returns when a step is documented to come, or nil.
func promised(_ predict.Timeline, s predict.Step) *formula.Window {
	if s.Promised == nil {
		return nil
	}
	w := formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{
		Name: "documented", Earliest: int64(s.Promised.Earliest), Latest: int64(s.Promised.Latest),
	})
	return &w
}

// valueOf returns the formula of a value, or of the wait of a restart, as it is predicted.
func (f forecast) valueOf(a answer, id, what string, own predict.Predicted) formula.Formula {
	find := func(k formula.Kubelet) (p predict.Predicted, found bool) {
		l := a.in(f.of(k))
		if l == nil {
			return p, false
		}
		for _, v := range l.Values {
			if v.ID == id {
				return v.Predicted, true
			}
		}
		for _, s := range l.Steps {
			if s.ID == id {
				return s.Predicted, true
			}
		}
		return p, false
	}
	rule := cmp.Or(own.Rule(), &formula.Formula{})
	made := formula.Formula{
		ID: run.Predicted + ofFirstLife(id, own.Input().Life), Description: what, Source: rule.Source, Of: rule.Of,
		Implemented: func(in formula.Input) formula.Window {
			if p, found := find(in.Kubelet); found {
				w := formula.Window{Unit: p.Implemented.Unit}
				for _, t := range p.Implemented.Terms {
					w = plus(w, t)
				}
				return w
			}
			nothing := impossible
			nothing.Unit = own.Implemented.Unit
			return nothing
		},
	}
	if own.Documented != nil {
		made.Promise, made.DocumentedAt, made.Issues = rule.Promise, rule.DocumentedAt, rule.Issues
		made.Documented = func(in formula.Input) *formula.Window {
			p, _ := find(in.Kubelet)
			return p.Documented
		}
	}
	return made
}

// claims returns the claims of a trial that plays a container's timeline: each step and each value that something
// shows. zero are the moments between which the timeline's zero lies. Steps of the pod, such as the end of its object,
// are shared by the answers of all its containers.
type claims struct {
	forecast
	zero []trial.Point
	all  []trial.Claim
	// latest is the last moment that a claim allows, counted from zero.
	latest time.Duration
}

func (c *claims) add(claim trial.Claim) {
	same := func(other trial.Claim) bool { return other.ID() == claim.ID() }
	if !slices.ContainsFunc(c.all, same) {
		c.all = append(c.all, claim)
	}
}

// step adds the claims of a step, from each moment of the timeline's zero.
func (c *claims) step(answers []answer, l predict.Timeline, s predict.Step, at trial.Point, needs ...formula.Change) {
	for _, zero := range c.zero {
		if zero == at {
			continue
		}
		m := trial.Between(zero, at)
		c.add(trial.Claim{Measure: m, Formula: c.stepOf(answers, s.ID, l, s), Needs: needs})
		c.latest = max(c.latest, s.At.Latest)
	}
}

// value adds the claim of a value, which is read this long after the container's end at most.
func (c *claims) value(a answer, v predict.Value, m trial.Measure) {
	c.add(trial.Claim{Measure: m, Formula: c.valueOf(a, v.ID, v.What, v.Predicted)})
}

// wait adds the claim of a restart, counted from the end before it.
func (c *claims) wait(a answer, s predict.Step, from, to trial.Point) {
	c.add(trial.Claim{
		Measure: trial.Between(from, to), Formula: c.valueOf(a, s.ID, s.What+", after the end", s.Predicted),
	})
}
