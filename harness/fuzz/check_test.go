package fuzz

import (
	"errors"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz/internal/choice"
	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
)

// brokenJSON panics when it is marshalled.
type brokenJSON struct{}

func (brokenJSON) MarshalJSON() ([]byte, error) { panic("no such value") }

// A scenario without a verdict is a violation. It never conforms.
func TestCampaignKeepsWhatItCannotRun(t *testing.T) {
	well := decided(func(trial.Trial) (trial.Outcome, error) { return ending(trial.Conforms, trial.Finding{}), nil })
	deletes := campaign(well, func(c *Campaign) { c.Scenarios = 50 }).Tags["family delete"]
	// broken changes the scenarios of one family.
	broken := func(change func(*scenario.Scenario)) func(*choice.Source) scenario.Scenario {
		return func(from *choice.Source) scenario.Scenario {
			s := scenario.Draw(from)
			if scenario.Family(s.Trial) == "delete" {
				change(&s)
			}
			return s
		}
	}
	configured := func(with any) func(*scenario.Scenario) {
		return func(s *scenario.Scenario) {
			s.Trial.Worker = &trial.Worker{KubeletConfig: map[string]any{"broken": with}}
		}
	}
	for name, tt := range map[string]struct {
		runner         decided
		draw           func(*choice.Source) scenario.Scenario
		kind, scenario string
	}{
		"it panics while it runs": {func(tr trial.Trial) (trial.Outcome, error) {
			if tr.ID == "random/delete" {
				panic("no such pod")
			}
			return ending(trial.Conforms, trial.Finding{}), nil
		}, scenario.Draw, "harness: running it panicked: no such pod", "terminationGracePeriodSeconds"},
		"it panics while it is drawn": {well, broken(func(*scenario.Scenario) { panic(errors.New("no such grace")) }),
			"harness: drawing it panicked: no such grace", ""},
		"it panics while it is described": {well, broken(configured(brokenJSON{})),
			"harness: describing it panicked: no such value", ""},
		"it can't be described": {well, broken(configured(func() {})),
			"harness: describing it failed: write trial random/delete as YAML: ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			run := func(tr trial.Trial) (trial.Outcome, error) {
				if tt.scenario == "" && (tr.Pod == nil || tr.ID == "random/delete") {
					t.Errorf("%q ran, but it has no scenario", tr.ID)
				}
				return tt.runner(tr)
			}
			r := campaign(run, func(c *Campaign) { c.Scenarios, c.Shrinking, c.draw = 50, 2*time.Second, tt.draw })
			g.Expect(r.Scenarios).To(gomega.Equal(50))
			g.Expect(r.Kinds()).
				To(gomega.ConsistOf(gomega.And(gomega.HavePrefix(tt.kind), gomega.Not(gomega.ContainSubstring("\n")))))
			v := r.Violations[r.Kinds()[0]]
			g.Expect(v.Times).To(gomega.Equal(deletes))
			g.Expect(r.Verdicts).
				To(gomega.Equal(map[trial.Verdict]int{trial.Conforms: 50 - deletes, NoVerdict: deletes}))
			g.Expect(v.Scenario).To(gomega.ContainSubstring(tt.scenario))

			again := campaign(run, func(c *Campaign) {
				c.Seed, c.Scenarios, c.Shrinking, c.draw = v.Seed, 1, time.Second, tt.draw
			})
			g.Expect(again.Kinds()).To(gomega.Equal(r.Kinds()), "drawn again by its seed")
		})
	}
}
