package formula

import (
	"fmt"
	"time"

	"golang.org/x/mod/semver"
)

// Kubelet is the kubelet whose behaviour is predicted: its version, and what it says itself of its
// configuration. Nothing here is assumed of a node: the harness reads it back from the kubelet (/configz,
// /metrics).
type Kubelet struct {
	// Version is its release, such as "v1.36.3". Build metadata ("+resultrun-one") changes no formula.
	Version string `json:"version"`
	// Gates are the feature gates as the kubelet reports them (kubernetes_feature_enabled), with those that
	// its configuration sets; a gate that is missing has its version's default.
	Gates map[string]bool `json:"gates,omitempty"`
	// MaxContainerRestartPeriod is crashLoopBackOff.maxContainerRestartPeriod, 0 where it is not set.
	MaxContainerRestartPeriod time.Duration `json:"maxContainerRestartPeriod,omitempty"`
	// EvictionMaxPodGracePeriod is the field of this name, in seconds. EvictionSoftGracePeriod is the
	// longest of its signals'.
	EvictionMaxPodGracePeriod int64         `json:"evictionMaxPodGracePeriod,omitempty"`
	EvictionSoftGracePeriod   time.Duration `json:"evictionSoftGracePeriod,omitempty"`
	// EvictionPressureTransitionPeriod, VolumeStatsAggPeriod, SyncFrequency and NodeStatusUpdateFrequency
	// are the fields of these names; 0 is unknown.
	EvictionPressureTransitionPeriod time.Duration `json:"evictionPressureTransitionPeriod,omitempty"`
	VolumeStatsAggPeriod             time.Duration `json:"volumeStatsAggPeriod,omitempty"`
	SyncFrequency                    time.Duration `json:"syncFrequency,omitempty"`
	NodeStatusUpdateFrequency        time.Duration `json:"nodeStatusUpdateFrequency,omitempty"`
}

// The releases between which the formulas are known to hold: the sources of v1.23.1, v1.34.4, v1.35.4 and
// v1.36.3 were read. For a release in between the changes decide; for one outside, the formulas are
// extrapolated.
const (
	OldestKnown = "v1.23.1"
	NewestKnown = "v1.36.3"
)

// Valid says whether the version can be compared with others at all.
func (k Kubelet) Valid() bool { return semver.IsValid(k.Version) }

// Extrapolated says whether the formulas are applied outside the releases whose sources were read.
func (k Kubelet) Extrapolated() bool {
	return semver.Compare(k.Version, OldestKnown) < 0 || semver.Compare(k.Version, NewestKnown) > 0
}

// Change is one change of Kubernetes that a formula or a trial depends on. Formulas ask for changes, never
// for versions, so that a release between two that were read gets the rules that it has.
type Change struct {
	// Name says what a kubelet does that has the change.
	Name string
	// Reference is the pull request, issue or KEP.
	Reference string
	// Since is the first release that has it without being told, and Until, where it is not empty, the
	// first that has it no more.
	Since, Until string
	// Gate is the feature gate that decides where the kubelet reports it.
	Gate string
	// Unless is the feature gate that takes the change away where the kubelet reports it to be on: the way
	// back that a release leaves to those who relied on what was before.
	Unless string
}

// Has says whether the kubelet has a change.
func (k Kubelet) Has(c Change) bool {
	if k.takenAway(c) {
		return false
	}
	if on, reported := k.Gates[c.Gate]; reported && c.Gate != "" {
		return on
	}
	return semver.Compare(k.Version, c.Since) >= 0 && (c.Until == "" || semver.Compare(k.Version, c.Until) < 0)
}

// Lacks says why the kubelet has not a change, in words; empty when it has it.
func (k Kubelet) Lacks(c Change) string {
	switch {
	case k.Has(c):
		return ""
	case k.takenAway(c):
		return fmt.Sprintf("the feature gate %s of kubelet %s is on: %s (%s)", c.Unless, k.Version, c.Name, c.Reference)
	case c.Gate != "" && k.gateReported(c.Gate):
		return fmt.Sprintf("the feature gate %s of kubelet %s is off: %s (%s)", c.Gate, k.Version, c.Name, c.Reference)
	case c.Until != "" && semver.Compare(k.Version, c.Until) >= 0:
		return fmt.Sprintf("kubelet %s no longer has it, until %s: %s (%s)", k.Version, c.Until, c.Name, c.Reference)
	}
	return fmt.Sprintf("kubelet %s has it not yet, since %s: %s (%s)", k.Version, c.Since, c.Name, c.Reference)
}

// takenAway says whether a feature gate takes the change away.
func (k Kubelet) takenAway(c Change) bool { return c.Unless != "" && k.Gates[c.Unless] }

func (k Kubelet) gateReported(gate string) bool {
	_, reported := k.Gates[gate]
	return reported
}
