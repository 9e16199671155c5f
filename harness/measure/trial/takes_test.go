package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// A probe takes its timeout if it was never answered. Probes of other kinds do not matter.
func TestTakes(t *testing.T) {
	life := &timeline.Life{
		Probes: []timeline.Probe{
			{For: "readiness", Answer: "F"},
			{For: "startup", Answer: "H"},
			{For: "liveness", Answer: "F"},
		},
	}
	for name, c := range map[string]struct {
		kind  string
		cause formula.Cause
		want  time.Duration
	}{
		"answered":           {"liveness", formula.ByLiveness, 0},
		"never answered":     {"startup", formula.ByLiveness, 3 * time.Second},
		"of another kind":    {"readiness", formula.ByStartup, 0},
		"the one that kills": {"", formula.ByStartup, 3 * time.Second},
		"not the other one":  {"", formula.ByLiveness, 0},
	} {
		t.Run(name, func(t *testing.T) {
			gomega.NewWithT(t).Expect(takes(life, formula.Probe{Kind: c.kind, TimeoutSeconds: 3}, c.cause)).
				To(gomega.Equal(c.want))
		})
	}
}
