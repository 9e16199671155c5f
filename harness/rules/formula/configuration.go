package formula

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KubeletOf returns what determines a kubelet's times: version, feature gates, and its configuration
// (kubelet.config.k8s.io/v1beta1) as /configz shows it. Fields that the version does not know are zero. given is the
// configuration that the kubelet got, nil if that is unknown.
func KubeletOf(version string, gates map[string]bool, configuration, given json.RawMessage) (Kubelet, error) {
	var c struct {
		SyncFrequency                    metav1.Duration   `json:"syncFrequency"`
		NodeStatusUpdateFrequency        metav1.Duration   `json:"nodeStatusUpdateFrequency"`
		VolumeStatsAggPeriod             metav1.Duration   `json:"volumeStatsAggPeriod"`
		EvictionSoftGracePeriod          map[string]string `json:"evictionSoftGracePeriod"`
		EvictionMaxPodGracePeriod        int32             `json:"evictionMaxPodGracePeriod"`
		EvictionPressureTransitionPeriod metav1.Duration   `json:"evictionPressureTransitionPeriod"`
		CgroupsPerQOS                    bool              `json:"cgroupsPerQOS"`
		ShutdownGracePeriod              metav1.Duration   `json:"shutdownGracePeriod"`
		ShutdownGracePeriodCriticalPods  metav1.Duration   `json:"shutdownGracePeriodCriticalPods"`
		FeatureGates                     map[string]bool   `json:"featureGates"`

		ShutdownGracePeriodByPodPriority []PriorityGroup `json:"shutdownGracePeriodByPodPriority"`
		CrashLoopBackOff                 struct {
			MaxContainerRestartPeriod metav1.Duration `json:"maxContainerRestartPeriod"`
		} `json:"crashLoopBackOff"`
	}
	if err := json.Unmarshal(configuration, &c); err != nil {
		return Kubelet{}, fmt.Errorf("read the configuration of kubelet %s: %w", version, err)
	}
	gates = maps.Clone(gates)
	if gates == nil {
		gates = map[string]bool{}
	}
	maps.Copy(gates, c.FeatureGates) // an old kubelet does not report all gates
	set, err := fieldsOf(given)
	if err != nil {
		return Kubelet{}, fmt.Errorf("read the configuration that kubelet %s got: %w", version, err)
	}
	for gate := range c.FeatureGates { // by the command line, too
		if field := "featureGates." + gate; given != nil && !slices.Contains(set, field) {
			set = append(set, field)
		}
	}
	slices.Sort(set)
	k := Kubelet{
		Version: version, Gates: gates, Set: set,
		MaxContainerRestartPeriod:        c.CrashLoopBackOff.MaxContainerRestartPeriod.Duration,
		EvictionMaxPodGracePeriod:        int64(c.EvictionMaxPodGracePeriod),
		EvictionPressureTransitionPeriod: c.EvictionPressureTransitionPeriod.Duration,
		VolumeStatsAggPeriod:             c.VolumeStatsAggPeriod.Duration,
		SyncFrequency:                    c.SyncFrequency.Duration,
		NodeStatusUpdateFrequency:        c.NodeStatusUpdateFrequency.Duration,
		CgroupsPerQOS:                    c.CgroupsPerQOS,
		ShutdownGroups:                   c.ShutdownGracePeriodByPodPriority,
	}
	if len(k.ShutdownGroups) == 0 {
		k.ShutdownGroups = PriorityGroupsOf(
			c.ShutdownGracePeriod.Duration, c.ShutdownGracePeriodCriticalPods.Duration)
	}
	slices.SortFunc(k.ShutdownGroups, func(a, b PriorityGroup) int {
		return cmp.Compare(a.Priority, b.Priority)
	})
	for _, signal := range slices.Sorted(maps.Keys(c.EvictionSoftGracePeriod)) {
		text := c.EvictionSoftGracePeriod[signal]
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 { // as pkg/kubelet/eviction/helpers.go parseGracePeriods
			return Kubelet{}, fmt.Errorf("read the configuration of kubelet %s: evictionSoftGracePeriod of %s "+
				"is %q: give it a duration that is not negative, such as 1m30s", version, signal, text)
		}
		k.EvictionSoftGracePeriod = max(k.EvictionSoftGracePeriod, d)
	}
	return k, nil
}

// unset are the values that mean the default (SetDefaults_KubeletConfiguration). kubeadm writes them.
var unset = []string{"null", "0", `"0s"`, `""`, "{}", "[]"}

// fieldsOf returns the names of a configuration's fields and, as "featureGates.X", of its feature gates.
func fieldsOf(configuration json.RawMessage) ([]string, error) {
	if configuration == nil {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	var gates struct{ FeatureGates map[string]bool }
	if err := errors.Join(json.Unmarshal(configuration, &fields), json.Unmarshal(configuration, &gates)); err != nil {
		return nil, err
	}
	set := []string{}
	for name, value := range fields {
		if !slices.Contains(unset, string(value)) {
			set = append(set, name)
		}
	}
	for gate := range gates.FeatureGates {
		set = append(set, "featureGates."+gate)
	}
	slices.Sort(set)
	return set, nil
}
