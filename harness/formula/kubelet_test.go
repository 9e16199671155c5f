package formula

import (
	"testing"

	"github.com/onsi/gomega"
)

func TestExtrapolated(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.23.0": true, "v1.23.1": false, "v1.29.4": false, "v1.36.3": false, "v1.36.3+no-minimum-grace": false, "v1.36.4": true, "v1.37.0-alpha.1": true,
	} {
		gomega.NewWithT(t).Expect(Kubelet{Version: version}.Extrapolated()).To(gomega.Equal(want), version)
	}
}

func TestHas(t *testing.T) {
	gated := Change{Name: "it does", Reference: "KEP-0", Since: "v1.35.0", Until: "v1.37.0", Gate: "Gate"}
	for name, c := range map[string]struct {
		kubelet Kubelet
		has     bool
		lacks   string
	}{
		"before":                        {Kubelet{Version: "v1.34.9"}, false, "has it not yet, since v1.35.0"},
		"in the first release":          {Kubelet{Version: "v1.35.0"}, true, ""},
		"a mutation changes no version": {Kubelet{Version: "v1.36.3+mutation"}, true, ""},
		"when it is gone again":         {Kubelet{Version: "v1.37.1"}, false, "no longer has it, until v1.37.0"},
		"the gate is off":               {Kubelet{Version: "v1.36.3", Gates: map[string]bool{"Gate": false}}, false, "feature gate Gate of kubelet v1.36.3 is off"},
		"the gate is on in an alpha":    {Kubelet{Version: "v1.34.4", Gates: map[string]bool{"Gate": true}}, true, ""},
		"other gates do not matter":     {Kubelet{Version: "v1.36.3", Gates: map[string]bool{"Other": false}}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(c.kubelet.Has(gated)).To(gomega.Equal(c.has))
			if c.lacks == "" {
				g.Expect(c.kubelet.Lacks(gated)).To(gomega.BeEmpty())
			} else {
				g.Expect(c.kubelet.Lacks(gated)).To(gomega.ContainSubstring(c.lacks))
			}
		})
	}
}

// The table of calculateEffectiveGracePeriod, by version; pkg/kubelet/pod_workers.go.
func TestEffectiveGracePeriod(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for name, c := range map[string]struct {
		deletion, override *int64
		old, now           int64
	}{
		"nothing asked for":                           {nil, nil, 30, 30},
		"a deletion":                                  {n(10), nil, 10, 10},
		"a force delete":                              {n(0), nil, 30, 1},
		"an eviction without grace":                   {nil, n(0), 30, 1},
		"an eviction with one second":                 {nil, n(1), 1, 1},
		"the lesser of two, the eviction's":           {n(60), n(5), 5, 5},
		"the lesser of two, the deletion's":           {n(5), n(60), 5, 5},
		"a deletion of 0 looks like none":             {n(0), n(20), 20, 20},
		"a negative override is raised to one second": {nil, n(-1), 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			for version, want := range map[string]int64{"v1.23.1": c.old, "v1.34.4": c.now, "v1.36.3": c.now} {
				in := Input{Kubelet: Kubelet{Version: version}, Kill: Kill{TerminationGracePeriodSeconds: 30}}
				g.Expect(in.effectiveGracePeriod(c.deletion, c.override)).To(gomega.Equal(want), version)
			}
		})
	}
}

// newest is the kubelet of the tests that speak of no other.
var newest = Kubelet{Version: NewestKnown}
