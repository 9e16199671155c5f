package timeline

import (
	"testing"

	"github.com/onsi/gomega"
)

// The back-off loses its start if the kubelet removes a dead instance while the next one exists. Later it needs that
// instance no more.
func TestCollectedInstances(t *testing.T) {
	for name, c := range map[string]struct {
		removal   Removal
		collected []int
	}{
		"while the next was created":     {Removal{At: 11, Container: "victim", Life: 1}, []int{1}},
		"after the next had died":        {Removal{At: 21, Container: "victim", Life: 1}, nil},
		"while the newest was there":     {Removal{At: 30, Container: "victim", Life: 2}, []int{2}},
		"with none after it":             {Removal{At: 30, Container: "victim", Life: 3}, nil},
		"of a container that none knows": {Removal{At: 11, Container: "another", Life: 1}, nil},
	} {
		lives := []*Life{{Number: 1, Gone: &Instant{At: 10}}, {Number: 2, Gone: &Instant{At: 20}}, {Number: 3}}
		tl := &Timeline{Containers: map[string]*Container{"victim": {Name: "victim", Lives: lives}}}
		tl.collect([]Removal{c.removal})
		var collected []int
		for _, l := range lives {
			if l.Collected {
				collected = append(collected, l.Number)
			}
		}
		gomega.NewWithT(t).Expect(collected).To(gomega.Equal(c.collected), name)
	}
}
