package lab

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/timeline"
)

func TestInstancesOfContainersThatEndedTwice(t *testing.T) {
	g := NewWithT(t)
	ended := func(name, id string, life int) timeline.Change {
		return timeline.Change{Containers: []timeline.ContainerStatus{{Name: name, Ended: &timeline.End{Life: life, ContainerID: id}}}}
	}
	running := func(name, id string, restarts int32) timeline.Change {
		return timeline.Change{Containers: []timeline.ContainerStatus{{Name: name, ContainerID: id, RestartCount: restarts}}}
	}
	g.Expect(instances([]timeline.Change{{}, ended("victim", "a", 1), ended("victim", "a", 1), ended("victim", "b", 2), ended("once", "c", 1), ended("unknown", "", 2)})).
		To(Equal(map[string]timeline.Removal{"a": {Container: "victim", Life: 1}, "b": {Container: "victim", Life: 2}}), "only those that ended twice")
	g.Expect(instances([]timeline.Change{running("victim", "a", 0), running("victim", "b", 1), running("once", "c", 0)})).To(BeEmpty(), "the second runs")
	g.Expect(instances([]timeline.Change{running("victim", "a", 0), running("victim", "b", 1), ended("victim", "b", 2)})).
		To(Equal(map[string]timeline.Removal{"a": {Container: "victim", Life: 1}, "b": {Container: "victim", Life: 2}}), "the first was removed before the API showed its end")
	g.Expect(instances([]timeline.Change{running("victim", "a", 0), running("victim", "b", 1), running("victim", "c", 2)})).To(HaveLen(3), "none was shown as dead")
}
