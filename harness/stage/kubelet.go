package stage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/formula"
)

// Kubelet returns what determines a kubelet's times: version, feature gates, and its configuration
// (kubelet.config.k8s.io/v1beta1) as /configz shows it. Fields that the version does not know are zero.
func Kubelet(version string, gates map[string]bool, configuration json.RawMessage) (formula.Kubelet, error) {
	var c struct {
		SyncFrequency                    metav1.Duration   `json:"syncFrequency"`
		NodeStatusUpdateFrequency        metav1.Duration   `json:"nodeStatusUpdateFrequency"`
		VolumeStatsAggPeriod             metav1.Duration   `json:"volumeStatsAggPeriod"`
		EvictionSoftGracePeriod          map[string]string `json:"evictionSoftGracePeriod"`
		EvictionMaxPodGracePeriod        int32             `json:"evictionMaxPodGracePeriod"`
		EvictionPressureTransitionPeriod metav1.Duration   `json:"evictionPressureTransitionPeriod"`
		FeatureGates                     map[string]bool   `json:"featureGates"`
		CrashLoopBackOff                 struct {
			MaxContainerRestartPeriod metav1.Duration `json:"maxContainerRestartPeriod"`
		} `json:"crashLoopBackOff"`
	}
	if err := json.Unmarshal(configuration, &c); err != nil {
		return formula.Kubelet{}, fmt.Errorf("read the configuration of kubelet %s: %w", version, err)
	}
	gates = maps.Clone(gates)
	if gates == nil {
		gates = map[string]bool{}
	}
	maps.Copy(gates, c.FeatureGates) // an old kubelet does not report all gates
	k := formula.Kubelet{
		Version: version, Gates: gates,
		MaxContainerRestartPeriod:        c.CrashLoopBackOff.MaxContainerRestartPeriod.Duration,
		EvictionMaxPodGracePeriod:        int64(c.EvictionMaxPodGracePeriod),
		EvictionPressureTransitionPeriod: c.EvictionPressureTransitionPeriod.Duration,
		VolumeStatsAggPeriod:             c.VolumeStatsAggPeriod.Duration,
		SyncFrequency:                    c.SyncFrequency.Duration,
		NodeStatusUpdateFrequency:        c.NodeStatusUpdateFrequency.Duration,
	}
	for _, signal := range slices.Sorted(maps.Keys(c.EvictionSoftGracePeriod)) {
		text := c.EvictionSoftGracePeriod[signal]
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 { // as pkg/kubelet/eviction/helpers.go parseGracePeriods
			return formula.Kubelet{}, fmt.Errorf("read the configuration of kubelet %s: evictionSoftGracePeriod of %s "+
				"is %q: give it a duration that is not negative, such as 1m30s", version, signal, text)
		}
		k.EvictionSoftGracePeriod = max(k.EvictionSoftGracePeriod, d)
	}
	return k, nil
}
