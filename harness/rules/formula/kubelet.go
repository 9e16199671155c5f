package formula

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/semver"
)

// Kubelet is the kubelet whose behaviour is predicted, with the configuration that it reports (/configz, /metrics).
type Kubelet struct {
	// Version is its release, for example "v1.36.3". Build metadata ("+resultrun-one") changes no formula.
	Version string `json:"version"`
	// Gates are the feature gates that the kubelet reports or configures. A missing one has its default.
	Gates map[string]bool `json:"gates,omitempty"`
	// Set are the names of the fields and of the feature gates ("featureGates.X") that the node's
	// configuration sets. It is nil if that is unknown.
	Set []string `json:"set,omitempty"`
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
	// CgroupsPerQOS is cgroupsPerQOS: pods have cgroups.
	CgroupsPerQOS bool `json:"cgroupsPerQOS,omitempty"`
	// ShutdownGroups are the groups of a graceful node shutdown, the lowest priority first. There are none by default.
	ShutdownGroups []PriorityGroup `json:"shutdownGroups,omitempty"`

	// Runtime is the container runtime of the node, such as "cri-o://1.34.0". Empty: containerd 2.x.
	Runtime string `json:"runtime,omitempty"`

	// Assumed reports that nobody could read the configuration and the gates: they count as the release's.
	Assumed bool `json:"assumed,omitempty"`
	// OwnServer reports that the API server is of the kubelet's release, as in a virtual node, not the newest.
	OwnServer bool `json:"ownServer,omitempty"`

	// asked collects the changes that formulas ask for, if it is not nil. flipped is a change whose answer is reversed.
	asked   *[]Change
	flipped Change
}

// OldestKnown and NewestKnown are the oldest and the newest release that podclock knows.
const (
	OldestKnown = "v1.22.0"
	NewestKnown = "v1.37.2"
)

// Valid reports whether the version can be compared with others.
func (k Kubelet) Valid() bool { return semver.IsValid(k.Version) }

// Extrapolated reports whether nobody read some change in the sources of the kubelet's release.
func (k Kubelet) Extrapolated() bool { return slices.ContainsFunc(Changes, k.Extrapolates) }

// Extrapolates reports whether nobody read the change in the sources of the kubelet's release: its minor release is
// unread, its patch is newer than the newest read one, or it is another pre-release. An older release decides then.
func (k Kubelet) Extrapolates(c Change) bool {
	read := sameMinor(cmp.Or(c.Read, everyBranch), k.Version)
	newer := semver.Compare(k.Version, read)
	return read == "" || newer > 0 || newer < 0 && semver.Prerelease(k.Version) != ""
}

// Has reports whether the kubelet has a change.
func (k Kubelet) Has(c Change) bool {
	if k.asked != nil && !slices.Contains(*k.asked, c) {
		*k.asked = append(*k.asked, c)
	}
	return k.decides(c) != (k.flipped == c)
}

// Serves reports whether the kubelet's API server has a change.
func (k Kubelet) Serves(c Change) bool { return !k.OwnServer || k.Has(c) }

func (k Kubelet) decides(c Change) bool {
	if k.takenAway(c) || k.otherRuntime(c) {
		return false
	}
	if c.Gate != "" && k.gateReported(c.Gate) {
		return k.Gates[c.Gate]
	}
	return c.In(k.Version)
}

// Lacks returns why the kubelet does not have a change, or "".
func (k Kubelet) Lacks(c Change) string {
	switch {
	case k.Has(c):
		return ""
	case k.otherRuntime(c):
		runtime := cmp.Or(k.Runtime, "containerd")
		return fmt.Sprintf("the runtime %s does otherwise: %s (%s)", runtime, c.Name, c.Reference)
	case k.takenAway(c):
		return fmt.Sprintf("the feature gate %s of kubelet %s is on: %s (%s)", c.Unless, k.Version, c.Name, c.Reference)
	case c.Gate != "" && k.gateReported(c.Gate):
		return fmt.Sprintf("the feature gate %s of kubelet %s is off: %s (%s)", c.Gate, k.Version, c.Name, c.Reference)
	}
	return fmt.Sprintf("kubelet %s lacks this change of %s: %s (%s)", k.Version, c.releases(), c.Name, c.Reference)
}

func (k Kubelet) takenAway(c Change) bool { return c.Unless != "" && k.Gates[c.Unless] }

func (k Kubelet) otherRuntime(c Change) bool {
	return c.OnlyOn != "" && !on(c.OnlyOn, k.Runtime) || c.NotOn != "" && on(c.NotOn, k.Runtime)
}

func (k Kubelet) gateReported(gate string) bool {
	_, reported := k.Gates[gate]
	return reported
}
