package virtual

import (
	"testing"

	. "github.com/onsi/gomega"
)

// A subject's gates win, and leave the trial's own configuration as it is.
func TestWithGates(t *testing.T) {
	g := NewWithT(t)
	trials := map[string]any{"featureGates": map[string]any{"A": true, "B": true}, "maxPods": 9}
	g.Expect(withGates(trials, nil)).To(Equal(trials))
	g.Expect(withGates(trials, map[string]bool{"B": false, "C": true})).To(Equal(map[string]any{
		"featureGates": map[string]any{"A": true, "B": false, "C": true}, "maxPods": 9,
	}))
	g.Expect(trials["featureGates"]).To(Equal(map[string]any{"A": true, "B": true}))
	g.Expect(withGates(nil, map[string]bool{"C": true})).
		To(Equal(map[string]any{"featureGates": map[string]any{"C": true}}))
}
