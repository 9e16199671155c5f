package lab

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
)

func ended(name, id string, life int) timeline.Change {
	return timeline.Change{
		Containers: []timeline.ContainerStatus{
			{
				Name:         name,
				State:        "waiting",
				RestartCount: int32(life - 1),
				Ended:        &timeline.End{Life: life, ContainerID: id},
			},
		},
	}
}

func running(name, id string, restarts int32) timeline.Change {
	return timeline.Change{
		Containers: []timeline.ContainerStatus{
			{Name: name, State: "running", ContainerID: id, RestartCount: restarts},
		},
	}
}

// after is a running instance with the end that the API shows beside it.
func after(c timeline.Change, at int64, id string) timeline.Change {
	c.At.At = at
	if id != "" {
		c.Containers[0].Ended = &timeline.End{ContainerID: id, Life: int(c.Containers[0].RestartCount)}
	}
	return c
}

func TestInstancesAndEndsThatTheAPIHasShown(t *testing.T) {
	g := NewWithT(t)
	crashed := []timeline.Change{
		{},
		ended("victim", "a", 1),
		ended("victim", "a", 1),
		ended("victim", "b", 2),
		ended("once", "c", 1),
		ended("unknown", "", 2),
	}
	g.Expect(instances(crashed)).To(Equal(map[string]timeline.Removal{
		"a": {Container: "victim", Life: 1}, "b": {Container: "victim", Life: 2}, "c": {Container: "once", Life: 1},
	}))
	g.Expect(ends(crashed)).To(Equal(map[string]int{"victim": 2, "once": 1, "unknown": 2}))

	runs := []timeline.Change{running("victim", "a", 0), running("victim", "b", 1)}
	g.Expect(instances(runs)).
		To(Equal(map[string]timeline.Removal{"a": {Container: "victim", Life: 1}, "b": {Container: "victim", Life: 2}}))
	g.Expect(ends(runs)).To(Equal(map[string]int{"victim": 1}), "the second runs")
	g.Expect(ends(append(runs, running("victim", "c", 2)))).
		To(Equal(map[string]int{"victim": 2}), "the API showed no instance as dead")

	stale := after(running("victim", "c", 2), 30, "a")
	g.Expect(instances(append(runs, stale))).
		To(HaveKeyWithValue("a", timeline.Removal{Container: "victim", Life: 1}), "the third shows the first one's end")
}

func TestAnEndThatTheNextInstanceReplacesIsForgotten(t *testing.T) {
	g := NewWithT(t)
	first, second := running("victim", "a", 0), after(running("victim", "b", 1), 10, "a")
	third := func(beside string) timeline.Change { return after(running("victim", "c", 2), 20, beside) }
	lone := func(at int64) timeline.Change { return after(running("victim", "b", 1), at, "") }
	g.Expect(forgotten([]timeline.Change{first, second, third("b")})).To(BeEmpty())
	g.Expect(forgotten([]timeline.Change{first, ended("victim", "a", 1)})).To(BeEmpty(), "it is in its back-off")
	g.Expect(forgotten([]timeline.Change{first, lone(10), lone(11)})).
		To(Equal([]timeline.Removal{{At: 10, Container: "victim", Life: 1}}), "once")
	g.Expect(forgotten([]timeline.Change{first, second, third("a")})).
		To(Equal([]timeline.Removal{{At: 20, Container: "victim", Life: 2}}), "the third shows the first one's end")
	g.Expect(forgotten([]timeline.Change{after(running("victim", "b", 1), 10, "a")})).
		To(BeEmpty(), "which life the other was is only known by this")
}
