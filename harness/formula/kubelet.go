package formula

import (
	"fmt"
	"time"

	"golang.org/x/mod/semver"
)

// Kubelet is the kubelet whose behaviour is predicted, with the configuration that it reports (/configz, /metrics).
type Kubelet struct {
	// Version is its release, for example "v1.36.3". Build metadata ("+resultrun-one") changes no formula.
	Version string `json:"version"`
	// Gates are the feature gates that the kubelet reports or configures. A missing one has its default.
	Gates map[string]bool `json:"gates,omitempty"`
	// MaxContainerRestartPeriod is crashLoopBackOff.maxContainerRestartPeriod, 0 if not set.
	MaxContainerRestartPeriod time.Duration `json:"maxContainerRestartPeriod,omitempty"`
	// EvictionMaxPodGracePeriod is in seconds. EvictionSoftGracePeriod is the longest of all its signals.
	EvictionMaxPodGracePeriod int64         `json:"evictionMaxPodGracePeriod,omitempty"`
	EvictionSoftGracePeriod   time.Duration `json:"evictionSoftGracePeriod,omitempty"`
	// EvictionPressureTransitionPeriod and the following are the fields of these names; 0 is unknown.
	EvictionPressureTransitionPeriod time.Duration `json:"evictionPressureTransitionPeriod,omitempty"`
	VolumeStatsAggPeriod             time.Duration `json:"volumeStatsAggPeriod,omitempty"`
	SyncFrequency                    time.Duration `json:"syncFrequency,omitempty"`
	NodeStatusUpdateFrequency        time.Duration `json:"nodeStatusUpdateFrequency,omitempty"`
}

// The releases between which the formulas are known to hold. The sources of v1.23.1, v1.34.4, v1.35.4 and v1.36.3
// were read. Changes decide for a release in between. Outside, the formulas are extrapolated.
const (
	OldestKnown = "v1.23.1"
	NewestKnown = "v1.36.3"
)

// Valid reports whether the version can be compared with others.
func (k Kubelet) Valid() bool { return semver.IsValid(k.Version) }

// Extrapolated reports whether the version is outside the known releases.
func (k Kubelet) Extrapolated() bool {
	return semver.Compare(k.Version, OldestKnown) < 0 || semver.Compare(k.Version, NewestKnown) > 0
}

// Change is one change of Kubernetes that a formula or a trial depends on. Formulas depend on changes instead of
// versions.
type Change struct {
	// Name is what a kubelet with the change does.
	Name string
	// Reference is the pull request, issue or KEP.
	Reference string
	// Since is the first release that has it by default. Until is the first release without it, or empty.
	Since, Until string
	// Gate is the feature gate that decides, if the kubelet reports it.
	Gate string
	// Unless is the feature gate that switches the change off.
	Unless string
}

// Has reports whether the kubelet has a change.
func (k Kubelet) Has(c Change) bool {
	if k.takenAway(c) {
		return false
	}
	if on, reported := k.Gates[c.Gate]; reported && c.Gate != "" {
		return on
	}
	return semver.Compare(k.Version, c.Since) >= 0 && (c.Until == "" || semver.Compare(k.Version, c.Until) < 0)
}

// Lacks returns why the kubelet does not have a change, or "".
func (k Kubelet) Lacks(c Change) string {
	switch {
	case k.Has(c):
		return ""
	case k.takenAway(c):
		return fmt.Sprintf("the feature gate %s of kubelet %s is on: %s (%s)", c.Unless, k.Version, c.Name, c.Reference)
	case c.Gate != "" && k.gateReported(c.Gate):
		return fmt.Sprintf("the feature gate %s of kubelet %s is off: %s (%s)", c.Gate, k.Version, c.Name, c.Reference)
	case c.Until != "" && semver.Compare(k.Version, c.Until) >= 0:
		const format = "kubelet %s lacks this change, removed in %s: %s (%s)"
		return fmt.Sprintf(format, k.Version, c.Until, c.Name, c.Reference)
	}
	return fmt.Sprintf("kubelet %s lacks this change of %s: %s (%s)", k.Version, c.Since, c.Name, c.Reference)
}

func (k Kubelet) takenAway(c Change) bool { return c.Unless != "" && k.Gates[c.Unless] }

func (k Kubelet) gateReported(gate string) bool {
	_, reported := k.Gates[gate]
	return reported
}
