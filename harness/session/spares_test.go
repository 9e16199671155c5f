package session

import (
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestSpareWorkersAreSharedInRounds(t *testing.T) {
	for name, c := range map[string]struct {
		useful map[string]int
		room   int
		want   map[string]int
	}{
		"no subject needs one":              {map[string]int{"a": 0, "b": 0}, 10, map[string]int{}},
		"one subject has all that it needs": {map[string]int{"a": 7}, 11, map[string]int{"a": 7}},
		"two have as many as there is room": {map[string]int{"a": 7, "b": 7}, 10, map[string]int{"a": 5, "b": 5}},
		"four share what is there": {map[string]int{"a": 7, "b": 7, "c": 7, "d": 7}, 8,
			map[string]int{"a": 2, "b": 2, "c": 2, "d": 2}},
		"a rest is too little for all": {map[string]int{"a": 7, "b": 7, "c": 7}, 10,
			map[string]int{"a": 3, "b": 3, "c": 3}},
		"everyone has one, room or not": {map[string]int{"a": 7, "b": 7, "c": 1}, -2,
			map[string]int{"a": 1, "b": 1, "c": 1}},
		"who needs few leaves them to another": {map[string]int{"other": 4, "one": 1, "none": 0}, 5,
			map[string]int{"other": 4, "one": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(share(c.useful, c.room)).To(Equal(c.want))
		})
	}
}

// Spare workers are as many as their trials need to end with the longest trial.
func TestSpareWorkersHaveWorkUntilTheEnd(t *testing.T) {
	on := func(worker string, alone bool, seconds ...int) (all []runner.Selection) {
		for _, s := range seconds {
			t := trial.Trial{Lasts: time.Duration(s) * time.Second}
			if worker != "" {
				t.Worker = &trial.Worker{Name: worker, Alone: alone}
			}
			all = append(all, runner.Selection{Trial: t})
		}
		return all
	}
	long, brief, full := on("", false, 180), on("", false, 100), on("a", false, 80)
	for name, c := range map[string]struct {
		selected []runner.Selection
		started  time.Duration
		want     int
	}{
		"none is needed":                 {long, 0, 0},
		"all fit beside the longest":     {slices.Concat(long, full, on("b", false, 80)), 0, 1},
		"a second more does not":         {slices.Concat(long, full, on("b", false, 81)), 0, 2},
		"side by side":                   {slices.Concat(brief, on("a", false, 90, 90, 90)), 0, 1},
		"alone, one after another":       {slices.Concat(brief, on("a", true, 40, 40), on("b", true, 50)), 0, 2},
		"no more than configurations":    {on("a", true, 500, 500), 0, 1},
		"short ones wait for a long one": {slices.Concat(on("a", false, 300), on("b", false, 20), on("c", false, 20)), 0, 2},
		"all fit until the last starts":  {slices.Concat(long, full, on("b", false, 81)), 181 * time.Second, 1},
	} {
		NewWithT(t).Expect(Spares(c.selected, "", c.started)).To(Equal(c.want), name)
	}
}

// A subject gets spare workers for its own trials' configurations only.
func TestSpareWorkersAreForTheSubjectsOwnTrials(t *testing.T) {
	g := NewWithT(t)
	on := func(subject, worker string) runner.Selection {
		s := runner.Selection{Subject: subject, Trial: trial.Trial{ID: "a/" + worker}}
		if worker != "" {
			s.Trial.Worker = &trial.Worker{Name: worker}
		}
		return s
	}
	const released, one, kept = "v1.36.3", "v1.36.3+resultrun-one", "v1.36.3+resultrun-kept"
	selected := []runner.Selection{
		on(released, ""),
		on(released, "small"),
		on(released, "short"),
		on(released, "short"),
		on(one, "short"),
		on(kept, ""),
		on("virtual:"+released, "other"),
	}
	c, err := parsed(
		map[string]string{
			"OUT":      filepath.Join(t.TempDir(), "out"),
			"SUBJECTS": released + "," + one + "," + kept + ",virtual:" + released,
		},
	)
	g.Expect(err).NotTo(HaveOccurred())
	wanted := func(workers, affordable int) map[string]int {
		c.Workers = workers
		s, err := New(c, selected, Program{Log: io.Discard})
		g.Expect(err).NotTo(HaveOccurred())
		return s.spares(affordable)
	}
	g.Expect(wanted(0, 50)).To(Equal(map[string]int{"v1-36-3": 2, "v1-36-3-resultrun-one": 1}))
	g.Expect(wanted(5, 50)).To(Equal(map[string]int{"v1-36-3": 1, "v1-36-3-resultrun-one": 1}))
	g.Expect(wanted(0, 5)).To(Equal(wanted(5, 50)), "a slow host")
}

// Twenty idle workers use up a slow host, and nine a third of a usual one.
func TestManyIdleWorkersAreAnnounced(t *testing.T) {
	g := NewWithT(t)
	g.Expect(crowded(9, affordable(2, 1))).To(BeEmpty())
	g.Expect(crowded(20, affordable(2, 3.3))).To(HavePrefix("20 workers take some 100 % of this host"))
	g.Expect(crowded(20, affordable(16, 1))).To(BeEmpty())
	g.Expect(crowded(20, affordable(2, 0))).To(BeEmpty(), "the host's speed is unknown")
	g.Expect(crowded(1, affordable(1, 100))).To(HavePrefix("1 workers take some 40 %"))
}
