package soak

import (
	"errors"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

// brokenJSON panics when it is marshalled.
type brokenJSON struct{}

func (brokenJSON) MarshalJSON() ([]byte, error) { panic("no such value") }

// A scenario without a verdict is a violation. It never conforms.
func TestHuntKeepsWhatItCannotRun(t *testing.T) {
	well := runner(func(trial.Trial) (trial.Outcome, error) { return ending(trial.Conforms, trial.Finding{}), nil })
	deletes := hunt(well, func(h *Hunt) { h.Scenarios = 50 }).Tags["family delete"]
	for name, c := range map[string]struct {
		runner         runner
		draw           func(*draws) trial.Trial
		kind, scenario string
	}{
		"it panics while it runs": {func(tr trial.Trial) (trial.Outcome, error) {
			if tr.ID == "random/delete" {
				panic("no such pod")
			}
			return ending(trial.Conforms, trial.Finding{}), nil
		}, deletion, "harness: running it panicked: no such pod", "terminationGracePeriodSeconds"},
		"it panics while it is drawn": {well, func(d *draws) trial.Trial {
			d.grace()
			panic(errors.New("no such grace"))
		}, "harness: drawing it panicked: no such grace", ""},
		"it panics while it is described": {well, func(d *draws) trial.Trial {
			tr := deletion(d)
			tr.Worker = &trial.Worker{KubeletConfig: map[string]any{"broken": brokenJSON{}}}
			return tr
		}, "harness: describing it panicked: no such value", ""},
		"it can't be described": {well, func(d *draws) trial.Trial {
			tr := deletion(d)
			tr.Worker = &trial.Worker{KubeletConfig: map[string]any{"broken": func() {}}}
			return tr
		}, "harness: describing it failed: write trial random/delete as YAML: ", ""},
		"it fails without the hunt": {well, func(d *draws) trial.Trial {
			d.t.Fatalf("not this one")
			return trial.Trial{}
		}, "harness: rapid: ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			own := families[0].draw
			families[0].draw = c.draw
			defer func() { families[0].draw = own }()
			run := func(tr trial.Trial) (trial.Outcome, error) {
				if c.scenario == "" && (tr.Pod == nil || tr.ID == "random/delete") {
					t.Errorf("%q ran, but it has no scenario", tr.ID)
				}
				return c.runner(tr)
			}
			r := hunt(run, func(h *Hunt) { h.Scenarios, h.Shrinking = 50, 2*time.Second })
			g.Expect(r.Scenarios).To(gomega.Equal(50))
			g.Expect(r.kinds()).
				To(gomega.ConsistOf(gomega.And(gomega.HavePrefix(c.kind), gomega.Not(gomega.ContainSubstring("\n")))))
			v := r.Violations[r.kinds()[0]]
			g.Expect(v.Times).To(gomega.Equal(deletes))
			g.Expect(r.Verdicts).
				To(gomega.Equal(map[trial.Verdict]int{trial.Conforms: 50 - deletes, NoVerdict: deletes}))
			g.Expect(v.Scenario).To(gomega.ContainSubstring(c.scenario))

			again := hunt(run, func(h *Hunt) { h.Seed, h.Scenarios, h.Shrinking = v.Seed, 1, time.Second })
			g.Expect(again.kinds()).To(gomega.Equal(r.kinds()), "drawn again by its seed")
		})
	}
}
