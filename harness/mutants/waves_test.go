package mutants

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
)

func aTrial(id string, lasts time.Duration, worker string) trial.Trial {
	t := trial.Trial{ID: id, Lasts: lasts}
	if worker != "" {
		t.Worker = &trial.Worker{Name: worker, Alone: worker == "alone"}
	}
	return t
}

func aMutant(name string, trials ...trial.Trial) candidate {
	return candidate{mutation.Mutation{Name: name, Component: mutation.Kubelet}, trials}
}

// shape formats waves: "a b
// t1 t2" is a wave of the mutants a and b whose reference meets t1 and t2.
func shape(waves []wave) (all []string) {
	for _, w := range waves {
		line := ""
		for _, c := range w.candidates {
			line += c.mutation.Name + " "
		}
		line += "|"
		for _, t := range w.beside {
			line += " " + t.ID
		}
		all = append(all, line)
	}
	return all
}

func TestWavesAre(t *testing.T) {
	brief, other, long := aTrial("a/brief", 10*time.Second, ""), aTrial("a/other", 20*time.Second,
		""), aTrial("a/long", 16*time.Minute, "")
	tuned, tainted := aTrial("b/tuned", 10*time.Second, "tuned"), aTrial("b/tainted", 10*time.Second, "alone")
	of := func(component mutation.Component) func(string, ...trial.Trial) candidate {
		return func(name string, trials ...trial.Trial) candidate {
			return candidate{mutation.Mutation{Name: name, Component: component}, trials}
		}
	}
	server, controllers := of(mutation.APIServer), of(mutation.ControllerManager)
	for name, c := range map[string]struct {
		candidates []candidate
		room       room
		want       []string
	}{
		"nobody": {nil, room{8, 99, 7}, nil},
		"as many as there is room for, beside a reference": {
			[]candidate{aMutant("one", brief), aMutant("two", other), aMutant("three", brief)}, room{3, 99, 2},
			[]string{"one three | a/brief", "two | a/other"},
		},
		"those of a long trial together": {
			[]candidate{aMutant("one", brief), aMutant("two", long), aMutant("three", other),
				aMutant("four", long, brief)}, room{3, 99, 2},
			[]string{"one three | a/brief a/other", "two four | a/brief a/long"},
		},
		"those of one configuration together": {
			[]candidate{aMutant("one", tuned), aMutant("two", brief), aMutant("three", tuned),
				aMutant("four", tainted)}, room{6, 99, 2},
			[]string{"two four | a/brief b/tainted", "one three | b/tuned"},
		},
		"few enough trials": {
			[]candidate{aMutant("one", brief, other), aMutant("two", brief, other)}, room{9, 5, 8},
			[]string{"one | a/brief a/other", "two | a/brief a/other"},
		},
		"one that needs more than there is, alone": {
			[]candidate{aMutant("one", brief), aMutant("two", tuned, tainted)}, room{2, 99, 2},
			[]string{"one | a/brief", "two | b/tainted b/tuned"},
		},
		"a mutated control plane by itself, after the reference of its trials": {
			[]candidate{server("server", brief, other), aMutant("one", long), aMutant("two", brief)}, room{2, 99, 1},
			[]string{"two | a/brief", "one | a/long a/other", "server |"},
		},
		"a reference by itself if no wave has room for it": {
			[]candidate{aMutant("one", brief), server("server", tuned)}, room{2, 99, 1},
			[]string{"one | a/brief", "| b/tuned", "server |"},
		},
		"the mutants of one component of the control plane together": {
			[]candidate{server("one", brief), controllers("two", brief), server("three", brief), server("four", brief)},
			room{2, 99, 2}, []string{"| a/brief", "one three |", "four |", "two |"},
		},
		"a mutated control plane alone": {[]candidate{server("server", brief)}, room{2, 99, 1},
			[]string{"| a/brief", "server |"}},
		"none for a mutant without a trial": {[]candidate{aMutant("one"), aMutant("two", brief)}, room{4, 99, 3},
			[]string{"two | a/brief"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(shape(plan(c.candidates, c.room))).To(Equal(c.want))
		})
	}
}

func TestTrialsThatDisturbEachOtherRunOneAfterAnother(t *testing.T) {
	g := NewWithT(t)
	one, two := aTrial("a/one", time.Minute, "alone"), aTrial("a/two", time.Minute, "alone")
	g.Expect(lasts([]trial.Trial{one, two, aTrial("a/three", 90*time.Second, "")})).To(Equal(2 * time.Minute))
	g.Expect(lasts([]trial.Trial{aTrial("a/one", time.Minute, "tuned"), aTrial("a/two", time.Minute, "tuned")})).
		To(Equal(time.Minute))
}

// drawCandidates draws mutants of all kinds.
func drawCandidates(t *rapid.T) (all []candidate) {
	var trials []trial.Trial
	for i := range rapid.IntRange(1, 12).Draw(t, "trials") {
		lasts := time.Duration(rapid.SampledFrom([]int{10, 60, 100, 900}).Draw(t, "lasts")) * time.Second
		trials = append(
			trials,
			aTrial(fmt.Sprintf("a/%02d", i), lasts,
				rapid.SampledFrom([]string{"", "", "", "small", "short", "alone"}).Draw(t, "worker")),
		)
	}
	for i := range rapid.IntRange(0, 40).Draw(t, "mutants") {
		c := aMutant(fmt.Sprintf("m%d", i), byID(rapid.SliceOfN(rapid.SampledFrom(trials), 0, 5).Draw(t, "of"))...)
		if rapid.IntRange(0, 9).Draw(t, "component") == 0 {
			c.mutation.Component = mutation.APIServer
		}
		all = append(all, c)
	}
	return all
}

// Every mutant is in one wave, and every trial meets a reference in some wave. No wave exceeds its room, unless
// a single mutant needs more. The same mutants make the same waves.
func TestWavesHoldEveryMutantOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := NewWithT(rt)
		candidates := drawCandidates(rt)
		r := room{
			workers: rapid.IntRange(2, 24).Draw(rt, "workers"),
			trials:  rapid.IntRange(4, 100).Draw(rt, "most trials"),
			mutants: rapid.IntRange(1, 25).Draw(rt, "most mutants"),
		}
		waves := plan(candidates, r)
		g.Expect(shape(plan(candidates, r))).To(Equal(shape(waves)))
		in, checked := map[string]int{}, map[string]bool{}
		for _, w := range waves {
			for _, c := range w.beside {
				checked[c.ID] = true
			}
			mutated := len(w.candidates) > 0 && w.candidates[0].mutation.Component != mutation.Kubelet
			for _, c := range w.candidates {
				in[c.mutation.Name]++
				g.Expect(c.mutation.Component).To(Equal(w.candidates[0].mutation.Component))
				for _, met := range c.trials {
					g.Expect(mutated || w.hasReference(met.ID)).To(BeTrue(), "the reference of its wave meets it")
					g.Expect(!mutated || checked[met.ID]).To(BeTrue(), "a reference has met it before")
				}
			}
			g.Expect(mutated).To(Equal(len(w.beside) == 0))
			if len(w.candidates) > 1 {
				g.Expect(w.workers()).To(BeNumerically("<=", r.workers))
				g.Expect(w.trials()).To(BeNumerically("<=", r.trials))
				g.Expect(len(w.candidates)).To(BeNumerically("<=", r.mutants))
				g.Expect(!mutated || w.pool == 1).To(BeTrue(), "a cluster has one control plane")
			}
		}
		for _, c := range candidates {
			want := 1
			if len(c.trials) == 0 {
				want = 0
			}
			g.Expect(in[c.mutation.Name]).To(Equal(want), c.mutation.Name)
		}
	})
}

func TestRoomIsWhatMemoryAndCoresAllow(t *testing.T) {
	for name, c := range map[string]struct {
		gibibytes, cores int
		workers, trials  int
	}{
		"two cores are less than 24 GB": {21, 2, 6, 480},
		"a small host":                  {3, 2, 4, 480},
		"a tiny host has one mutant":    {1, 1, 2, 240},
		"many cores are more":           {64, 16, 48, 3840},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(roomFor(c.gibibytes<<30, c.cores)).To(Equal(room{c.workers, c.trials, mostMutants}))
		})
	}
	g := NewWithT(t)
	here, err := roomHere()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(here.workers).To(BeNumerically(">=", 2))
}

// The reference has workers of its own. Mutants share the others.
func TestMutantsShareAPool(t *testing.T) {
	g := NewWithT(t)
	one := []trial.Trial{about("a/one")}
	tuned := []trial.Trial{aTrial("b/tuned", 10*time.Second, "tuned")}
	// The reference could use two spare workers, but has the second only if the mutants leave it.
	twice := append([]trial.Trial{aTrial("c/tuned", 10*time.Second, "otherwise")}, tuned...)
	for _, c := range []struct {
		trials                 []trial.Trial
		mutants, pool, workers int
	}{
		{one, 5, 3, 4}, {one, 2, 2, 3}, {tuned, 5, 2, 4}, {twice, 5, 2, 4}, {twice, 1, 1, 4},
	} {
		var all []candidate
		for i := range c.mutants {
			all = append(all, aMutant(fmt.Sprint(i), c.trials...))
		}
		waves := plan(all, room{4, 99, 9})
		g.Expect(waves).To(HaveLen(1))
		g.Expect(waves[0].candidates).To(HaveLen(c.mutants))
		g.Expect([]int{waves[0].pool, waves[0].workers()}).To(Equal([]int{c.pool, c.workers}))
	}
}
