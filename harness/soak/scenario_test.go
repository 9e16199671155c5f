package soak

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/victim"
)

// Every scenario is a valid trial whose victims the fault program accepts.
func TestScenariosAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Draw(t)
		if err := s.Trial.Check(); err != nil {
			t.Fatal(err)
		}
		for _, c := range slices.Concat(s.Trial.Pod.Spec.Containers, s.Trial.Pod.Spec.InitContainers) {
			if _, err := victim.ParseRun(c.Args); err != nil {
				t.Fatal(err)
			}
		}
	})
}
