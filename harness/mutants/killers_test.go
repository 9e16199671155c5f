package mutants

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// killed is a kill whose value is this far outside its window.
func killed(id string, miss time.Duration) mutationtest.Kill {
	measured := int64(miss)
	return mutationtest.Kill{
		Trial:    id,
		Verdict:  trial.Deviates,
		Measured: &measured,
		Miss:     int64(miss),
		Window:   formula.Window{Unit: formula.Nanoseconds},
	}
}

// late is a time that is late by less than its own length.
func late(id string, measured, miss time.Duration) mutationtest.Kill {
	c := killed(id, miss)
	*c.Measured = int64(measured)
	return c
}

func own(c mutationtest.Kill) mutationtest.Kill { c.Own = true; return c }

func TestKillersAre(t *testing.T) {
	measures := func(t trial.Trial, id string) trial.Trial {
		t.Claims = []trial.Claim{{Formula: formula.Formula{ID: id}}}
		return t
	}
	trials := []trial.Trial{
		aTrial("a/brief", 10*time.Second, ""),
		aTrial("a/brisk", 20*time.Second, ""),
		aTrial("a/fair", 50*time.Second, ""),
		aTrial("a/long", 16*time.Minute, ""),
		aTrial("a/tuned", 10*time.Second, "tuned"),
		measures(aTrial("b/measures", 10*time.Second, ""), "b/formula"),
		measures(aTrial("b/measures-long", 5*time.Minute, ""), "b/formula"),
	}
	count, never, repairs := killed("a/brief", 1), killed("a/brief", 0), killed("a/brief", time.Millisecond)
	count.Window.Unit, never.Measured, repairs.Verdict = formula.Count, nil, trial.Conforms
	for name, c := range map[string]struct {
		kills []mutationtest.Kill
		most  int
		want  []string
	}{
		"the quick ones of its formula, if only a comparison of values is clear": {[]mutationtest.Kill{
			own(killed(run.ValuesCheck, time.Second)), killed("a/brief", 10*time.Millisecond),
		}, 4, []string{"a/brief", "b/measures"}},
		"not all that measure its formula, if trials are clear": {[]mutationtest.Kill{
			own(killed(run.ValuesCheck, time.Second)), killed("a/brief", time.Second), killed("a/fair", -time.Second),
		}, 4, []string{"a/brief", "a/fair"}},
		"all that are cheap": {[]mutationtest.Kill{killed("a/brief", time.Second), killed("a/fair", -time.Second),
			killed("a/brisk", time.Second)}, 4,
			[]string{"a/brief", "a/brisk", "a/fair"}},
		"the briefest": {[]mutationtest.Kill{killed("a/brief", time.Second), killed("a/fair", time.Second),
			killed("a/brisk", time.Second)}, 2, []string{"a/brief", "a/brisk"}},
		"that of its own formula before a briefer one": {[]mutationtest.Kill{killed("a/brief", time.Second),
			own(killed("a/fair", time.Second)), killed("a/brisk", time.Second)}, 1,
			[]string{"a/fair"}},
		"none that is long where others are enough": {[]mutationtest.Kill{killed("a/long", time.Hour),
			killed("a/brief", time.Second), killed("a/fair", time.Second)}, 4, []string{"a/brief", "a/fair"}},
		"none that is long beside another": {[]mutationtest.Kill{killed("a/long", time.Hour),
			killed("a/brief", time.Second)}, 4, []string{"a/brief"}},
		"one that is long if there is no other": {[]mutationtest.Kill{killed("a/long", time.Hour)}, 4,
			[]string{"a/long"}},
		"one on a worker of its own if need be": {[]mutationtest.Kill{killed("a/tuned", time.Second)}, 4,
			[]string{"a/tuned"}},
		"a clear one before one that delay may hide": {[]mutationtest.Kill{killed("a/brief", 10*time.Millisecond),
			killed("a/fair", time.Second)}, 1, []string{"a/fair"}},
		"one that is too early before one that is too late by a little of itself": {[]mutationtest.Kill{late("a/brief",
			10*time.Second, 2*time.Second), killed("a/fair", -time.Second)}, 1,
			[]string{"a/fair"}},
		"many, if delay may hide each": {[]mutationtest.Kill{late("a/brief", 10*time.Second, 2*time.Second),
			late("a/fair", 10*time.Second, time.Second), late("a/brisk", 9*time.Second, time.Second)}, 4,
			[]string{"a/brief", "a/brisk", "a/fair"}},
		"a count, which no delay hides": {[]mutationtest.Kill{count,
			killed("a/fair", time.Second)}, 1, []string{"a/brief"}},
		"a missing time, which no delay hides": {[]mutationtest.Kill{never,
			killed("a/fair", time.Second)}, 1, []string{"a/brief"}},
		"a closed gap": {[]mutationtest.Kill{repairs,
			killed("a/fair", time.Second)}, 1, []string{"a/brief"}},
		"those of its formula for a survivor": {[]mutationtest.Kill{}, 4,
			[]string{"b/measures", "b/measures-long"}},
		"all of them, whatever is enough for one that was killed": {[]mutationtest.Kill{}, 1,
			[]string{"b/measures", "b/measures-long"}},
		"those of its formula where a kill is of no trial of the profile": {[]mutationtest.Kill{killed("x/gone",
			time.Second)}, 1, []string{"b/measures", "b/measures-long"}},
	} {
		t.Run(name, func(t *testing.T) {
			chosen := choose(mutation.Mutation{Name: "m", Formula: "b/formula"}, Killers{"m": c.kills}, trials,
				c.most)
			NewWithT(t).Expect(ids(chosen)).To(Equal(c.want))
		})
	}
}

// If nothing killed a mutant in the virtual lane, it is unknown which trial of its formula kills it. The
// mutant may or may not have been in the virtual lane.
func TestAnUnknownMutantHasMoreKillers(t *testing.T) {
	g := NewWithT(t)
	var trials []trial.Trial
	for i := range 40 {
		tr := aTrial(fmt.Sprintf("a/%02d", i), time.Duration(i+1)*time.Second, []string{"", "tuned"}[i%2])
		tr.Claims = []trial.Claim{{Formula: formula.Formula{ID: "a/formula"}}}
		trials = append(trials, tr)
	}
	m := mutation.Mutation{Name: "m", Formula: "a/formula"}
	g.Expect(choose(m, Killers{}, trials, 4)).To(HaveLen(mostUnguided))
	g.Expect(choose(m, Killers{"m": nil}, trials, 4)).To(HaveLen(mostUnguided), "it was there and survived")
	g.Expect(choose(m, Killers{"m": {killed("a/00", time.Second)}}, trials, 4)).To(HaveLen(1))
	for i := 3; i < 40; i++ {
		trials[i].Lasts = time.Hour
	}
	g.Expect(ids(choose(m, Killers{}, trials, 4))).
		To(Equal([]string{"a/00", "a/01", "a/02"}), "hours are too much for a guess")
	g.Expect(choose(mutation.Mutation{Name: "other", Formula: "nobody's"}, Killers{}, trials, 4)).To(BeEmpty())
}

// No trial claims a standing formula, so all quick ones measure it.
func TestKillersOfAStandingFormula(t *testing.T) {
	trials := []trial.Trial{
		aTrial("a/brief", time.Second, ""), aTrial("a/long", time.Hour, ""), aTrial("a/tuned", time.Second, "tuned"),
		aTrial("a/fair", 9*time.Second, ""),
	}
	for formula, check := range map[string]string{
		"status/running": run.ValuesCheck, "kubelet/exits": run.ConductCheck,
	} {
		m, w := mutation.Mutation{Name: "m", Formula: formula}, Killers{"m": {killed(check, time.Second)}}
		NewWithT(t).Expect(ids(choose(m, w, trials, 4))).To(Equal([]string{"a/brief", "a/fair"}), formula)
	}
}

func ids(trials []trial.Trial) (all []string) {
	for _, t := range trials {
		all = append(all, t.ID)
	}
	return all
}
