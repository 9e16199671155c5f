package formula

import (
	"fmt"
	"slices"
	"time"
)

// setting is a field of the kubelet's configuration that formulas use.
type setting struct {
	// name is the field's name in kubelet.config.k8s.io/v1beta1, or that of the struct that contains it.
	name string
	of   func(*Kubelet) *time.Duration
	// byDefault is the release's default (pkg/kubelet/apis/config/v1beta1/defaults.go
	// SetDefaults_KubeletConfiguration), the same in all known releases.
	byDefault time.Duration
	// since is the change that adds the default, nil for one that all known releases have.
	since *Change
}

var settings = []setting{
	{"syncFrequency", func(k *Kubelet) *time.Duration { return &k.SyncFrequency }, time.Minute, nil},
	{"nodeStatusUpdateFrequency", func(k *Kubelet) *time.Duration { return &k.NodeStatusUpdateFrequency },
		10 * time.Second, nil},
	{"volumeStatsAggPeriod", func(k *Kubelet) *time.Duration { return &k.VolumeStatsAggPeriod }, time.Minute, nil},
	{"evictionPressureTransitionPeriod",
		func(k *Kubelet) *time.Duration { return &k.EvictionPressureTransitionPeriod }, 5 * time.Minute, nil},
	{"crashLoopBackOff", func(k *Kubelet) *time.Duration { return &k.MaxContainerRestartPeriod },
		5 * time.Minute, &NodeRestartPeriod},
}

// gateField is the configuration's field of feature gates. "featureGates.X" in [Kubelet.Set] is the gate X.
const gateField = "featureGates."

// AsReleased returns the kubelet with its release's defaults for what its configuration does not set, and describes
// each default that differs. A kubelet whose configuration is unknown stays as it is.
func (k Kubelet) AsReleased() (released Kubelet, wrong []string) {
	released = k
	if k.Set == nil {
		return released, nil
	}
	released.Gates = map[string]bool{}
	for gate, on := range k.Gates {
		if k.sets(gateField+gate) || k.sets(gateField+"AllAlpha") || k.sets(gateField+"AllBeta") {
			released.Gates[gate] = on
		}
	}
	for _, c := range Changes {
		for gate, byDefault := range c.gates(k.Version) {
			if on, reported := k.Gates[gate]; reported && on != byDefault && !released.gateReported(gate) {
				wrong = append(wrong, fmt.Sprintf("the feature gate %s of kubelet %s is %v by default, not %v", gate,
					k.Version, on, byDefault))
			}
		}
	}
	for _, s := range settings {
		value, byDefault := s.of(&released), s.byDefault
		if s.since != nil && !released.Has(*s.since) {
			byDefault = 0
		}
		if *value != byDefault && !k.sets(s.name) {
			wrong = append(wrong, fmt.Sprintf("%s of kubelet %s is %v by default, not %v", s.name, k.Version, *value,
				byDefault))
			*value = byDefault
		}
	}
	slices.Sort(wrong)
	return released, slices.Compact(wrong)
}

func (k Kubelet) sets(name string) bool { return slices.Contains(k.Set, name) }

// gates returns the change's feature gates with the defaults of a release.
func (c Change) gates(version string) map[string]bool {
	all := map[string]bool{}
	if c.Gate != "" {
		all[c.Gate] = c.In(version)
	}
	if c.Unless != "" {
		all[c.Unless] = false
	}
	return all
}
