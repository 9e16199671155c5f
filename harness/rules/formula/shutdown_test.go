package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// shutdownFormulas and shutdownMistakes belong to the file that this file tests.
var shutdownMistakes = []Mistake{GroupLengthens, PodGraceOnShutdown, GroupsAtOnce, AdmitsInShutdown}

func TestGroupsOfAShutdown(t *testing.T) {
	byPriority := []PriorityGroup{{-5, 3}, {1000, 7}, {systemCriticalPriority, 20}}
	twoValues := PriorityGroupsOf(30*time.Second, 10*time.Second)
	for name, c := range map[string]struct {
		groups          []PriorityGroup
		priority        int32
		seconds, before int64
		all             time.Duration
	}{
		"below the lowest":    {byPriority, -6, 3, 0, 0},
		"the lowest":          {byPriority, -5, 3, 0, 0},
		"between two":         {byPriority, 999, 3, 0, 0},
		"a group's own":       {byPriority, 1000, 7, 3, 3 * time.Second},
		"above the highest":   {byPriority, systemCriticalPriority + 1000, 20, 7, 10 * time.Second},
		"a regular pod":       {twoValues, 0, 20, 0, 0},
		"an important pod":    {twoValues, systemCriticalPriority - 1, 20, 0, 0},
		"a critical pod":      {twoValues, systemCriticalPriority, 10, 20, 20 * time.Second},
		"without a shutdown":  {nil, 0, 0, 0, 0},
		"more than all is no": {PriorityGroupsOf(time.Second, 2*time.Second), 0, 0, 0, 0},
	} {
		g := gomega.NewWithT(t)
		in := Input{Kubelet: newest, Kill: Kill{Cause: ByShutdown, Priority: c.priority}}
		in.Kubelet.ShutdownGroups, in.Kill.TerminationGracePeriodSeconds = c.groups, 60
		g.Expect(in.groupSeconds(0)).To(gomega.Equal(c.seconds), name)
		g.Expect(in.groupSeconds(1)).To(gomega.Equal(c.before), name)
		g.Expect(in.GroupTime()).To(gomega.Equal(time.Duration(c.seconds)*time.Second), name)
		g.Expect(in.GroupsBefore()).To(gomega.Equal(c.all), name)
		if c.seconds > 1 {
			all := time.Duration(c.seconds) * time.Second
			near(g, name, Remainder.Implemented(in), all, 200*time.Millisecond, time.Second)
		}
		in.Kill.TerminationGracePeriodSeconds = 3
		brief := time.Duration(max(2, min(3, c.seconds))) * time.Second
		if c.seconds > 0 {
			near(g, name+", brief", Remainder.Implemented(in), brief, 200*time.Millisecond, time.Second)
		}
	}
}

func TestTurnsOfAShutdown(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Kill: Kill{Cause: ByShutdown, Priority: 1000, TerminationGracePeriodSeconds: 60}}
	in.Kubelet.ShutdownGroups = []PriorityGroup{{0, 5}, {1000, 8}}
	g.Expect(ShutdownTurn.Implemented(in).Contains(int64(5 * time.Second))).To(gomega.BeTrue())
	g.Expect(ShutdownTurn.Implemented(in).Contains(int64(3 * time.Second))).To(gomega.BeFalse())
	g.Expect(GroupsAtOnce.Would(in).Latest).To(gomega.BeNumerically("<", ShutdownTurn.Implemented(in).Earliest))
	g.Expect(GroupLengthens.Would(in).Contains(int64(8 * time.Second))).To(gomega.BeTrue())
	g.Expect(PodGraceOnShutdown.Would(in).Contains(int64(60 * time.Second))).To(gomega.BeTrue())
}

// Nothing knows the hook of an orphan, and old kubelets give it one second.
