package trial

import (
	"fmt"
	"testing"

	"github.com/onsi/gomega"
)

func TestRestart(t *testing.T) {
	for claim, want := range map[string]string{
		"death-to-start-2":             "victim 1 true",
		"death-3-to-start-4":           "victim 3 true",
		"init-death-2-to-init-start-3": "init 2 true",
		"init-death-3-to-init-start":   "init 3 false",
		"death-2-to-start-4":           "victim 2 false",
		"init-death-to-start-2":        "victim 1 false",
		"sigterm-to-death":             "victim 1 false",
		"starts":                       "victim 0 false",
	} {
		container, number, is := named(claim).Restart()
		gomega.NewWithT(t).Expect(fmt.Sprintf("%s %d %t", container, number, is)).To(gomega.Equal(want), claim)
	}
	_, _, is := Finding{Claim: "hook-runs"}.Restart()
	gomega.NewWithT(t).Expect(is).To(gomega.BeFalse(), "a count")
}

func named(claim string) Finding {
	from, to := pointsIn(claim)
	return Finding{Claim: claim, From: from, To: to}
}

func TestClaimWithinItsContainer(t *testing.T) {
	for claim, want := range map[string]string{
		"hooked-hook-begin-to-hooked-sigterm": "hook-begin-to-sigterm",
		"hooked-death-2-to-hooked-start-3":    "death-2-to-start-3",
		"hooked-created-to-hooked-start":      "created-to-start",
		"other-created-to-hooked-start":       "other-created-to-hooked-start",
		"fault-to-hooked-sigterm":             "fault-to-hooked-sigterm",
		"death-to-hooked-sigterm":             "death-to-hooked-sigterm",
		"hooked-death-to-phase-failed":        "hooked-death-to-phase-failed",
		"sigterm-to-death":                    "sigterm-to-death",
		"created-to-start":                    "created-to-start",
	} {
		gomega.NewWithT(t).Expect(named(claim).Within()).To(gomega.Equal(want))
	}
}

func TestWorse(t *testing.T) {
	order := []Verdict{Conforms, Divergent, Unsupported, Inconclusive, Deviates}
	for i, a := range order {
		for j, b := range order {
			gomega.NewWithT(t).Expect(Worse(a, b)).To(gomega.Equal(order[max(i, j)]), "%s and %s", a, b)
		}
	}
	for _, unknown := range []Verdict{"", "passes", "Conforms"} {
		g := gomega.NewWithT(t)
		g.Expect(Worse(unknown, Conforms)).To(gomega.Equal(Inconclusive), "%q", unknown)
		g.Expect(Worse(Conforms, unknown)).To(gomega.Equal(Inconclusive), "%q", unknown)
		g.Expect(Worse(unknown, unknown)).To(gomega.Equal(Inconclusive), "%q", unknown)
		g.Expect(Worse(unknown, Deviates)).To(gomega.Equal(Deviates), "%q", unknown)
	}
}
