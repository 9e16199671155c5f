package timeline

import (
	"testing"

	"github.com/onsi/gomega"
)

// The back-off loses its start if the kubelet removes a dead instance while the next one exists. Later it needs that
// instance no more.
func TestAnInstanceThatWasRemovedTooSoon(t *testing.T) {
	lives := []*Life{{Number: 1, Gone: &Instant{At: 10}}, {Number: 2, Gone: &Instant{At: 20}}, {Number: 3}}
	for name, c := range map[string]struct {
		removal Removal
		doubted bool
	}{
		"while the next was created":     {Removal{At: 11, Container: "victim", Life: 1}, true},
		"after the next had died":        {Removal{At: 21, Container: "victim", Life: 1}, false},
		"while the newest was there":     {Removal{At: 30, Container: "victim", Life: 2}, true},
		"with none after it":             {Removal{At: 30, Container: "victim", Life: 3}, false},
		"of a container that none knows": {Removal{At: 11, Container: "another", Life: 1}, false},
	} {
		tl := &Timeline{Containers: map[string]*Container{"victim": {Name: "victim", Lives: lives}}}
		tl.doubtRemoved([]Removal{c.removal})
		gomega.NewWithT(t).Expect(len(tl.Doubts) > 0).To(gomega.Equal(c.doubted), "%s: %v", name, tl.Doubts)
	}
}
