package lab

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/timeline"
)

func TestDeadContainers(t *testing.T) {
	g := NewWithT(t)
	ended := func(name, id string, life int) timeline.Change {
		return timeline.Change{Containers: []timeline.ContainerStatus{{Name: name, Ended: &timeline.End{Life: life, ContainerID: id}}}}
	}
	g.Expect(deadContainers([]timeline.Change{{}, ended("victim", "a", 1), ended("victim", "a", 1), ended("victim", "b", 2), ended("once", "c", 1), ended("unknown", "", 2)})).
		To(Equal(map[string]timeline.Removal{"a": {Container: "victim", Life: 1}, "b": {Container: "victim", Life: 2}}), "only those that ended twice")
}
