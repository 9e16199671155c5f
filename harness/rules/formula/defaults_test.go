package formula

import (
	"maps"
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// untouched returns a kubelet that nobody configured, with its release's defaults.
func untouched(version string) Kubelet {
	k := Kubelet{
		Version: version, Set: []string{}, Gates: map[string]bool{},
		SyncFrequency: time.Minute, NodeStatusUpdateFrequency: 10 * time.Second, VolumeStatsAggPeriod: time.Minute,
		EvictionPressureTransitionPeriod: 5 * time.Minute,
	}
	for _, c := range Changes {
		maps.Copy(k.Gates, c.gates(version))
	}
	if k.Has(NodeRestartPeriod) {
		k.MaxContainerRestartPeriod = 5 * time.Minute
	}
	return k
}

func TestDefaultsOfReleases(t *testing.T) {
	for _, version := range []string{"v1.23.1", "v1.28.15", "v1.34.4", "v1.35.4", NewestKnown} {
		released, wrong := untouched(version).AsReleased()
		g := gomega.NewWithT(t)
		g.Expect(wrong).To(gomega.BeEmpty(), version)
		for _, c := range Changes {
			g.Expect(released.Has(c)).To(gomega.Equal(untouched(version).Has(c)), "%s: %s", version, c.Name)
		}
	}
}

// Windows use the release's value of what nobody set, and the kubelet's own value of what the user set.
func TestWrongDefaults(t *testing.T) {
	gate := NodeRestartPeriod.Gate
	for name, c := range map[string]struct {
		change func(*Kubelet)
		field  string
		value  func(Kubelet) any
		// released and own are the value that the release has, and the one of the kubelet.
		released, own any
	}{
		"a period": {
			func(k *Kubelet) { k.SyncFrequency = time.Second }, "syncFrequency",
			func(k Kubelet) any { return k.SyncFrequency }, time.Minute, time.Second,
		},
		"the longest back-off": {
			func(k *Kubelet) { k.MaxContainerRestartPeriod = time.Minute }, "crashLoopBackOff",
			func(k Kubelet) any { return k.MaxContainerRestartPeriod }, 5 * time.Minute, time.Minute,
		},
		"a gate": {
			func(k *Kubelet) { k.Gates[gate], k.MaxContainerRestartPeriod = false, 0 }, "featureGates." + gate,
			func(k Kubelet) any { return k.Has(NodeRestartPeriod) }, true, false,
		},
		"a gate that all beta gates set": {
			func(k *Kubelet) { k.Gates[gate], k.MaxContainerRestartPeriod = false, 0 }, "featureGates.AllBeta",
			func(k Kubelet) any { return k.Has(NodeRestartPeriod) }, true, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			k := untouched(NewestKnown)
			c.change(&k)
			released, wrong := k.AsReleased()
			g.Expect(wrong).NotTo(gomega.BeEmpty())
			g.Expect(c.value(released)).To(gomega.Equal(c.released))
			k.Set = []string{c.field, "crashLoopBackOff"}
			own, wrong := k.AsReleased()
			g.Expect(wrong).To(gomega.BeEmpty())
			g.Expect(c.value(own)).To(gomega.Equal(c.own))
			k.Set = nil
			own, wrong = k.AsReleased()
			g.Expect(wrong).To(gomega.BeEmpty(), "the configuration is unknown")
			g.Expect(c.value(own)).To(gomega.Equal(c.own))
		})
	}
}
