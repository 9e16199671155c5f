package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// kubeletConfigPath is where kubeadm writes a node's kubelet configuration.
const kubeletConfigPath = "/var/lib/kubelet/config.yaml"

// KubeletConfig is what a kubelet really runs with, defaults included, as its
// /configz says. Only the fields that decide times of kills and restarts are typed
// (k8s.io/kubelet/config/v1beta1 KubeletConfiguration); a field the kubelet's
// version doesn't know is zero.
type KubeletConfig struct {
	SyncFrequency                    metav1.Duration   `json:"syncFrequency"`
	NodeStatusUpdateFrequency        metav1.Duration   `json:"nodeStatusUpdateFrequency"`
	NodeStatusReportFrequency        metav1.Duration   `json:"nodeStatusReportFrequency"`
	RuntimeRequestTimeout            metav1.Duration   `json:"runtimeRequestTimeout"`
	VolumeStatsAggPeriod             metav1.Duration   `json:"volumeStatsAggPeriod"`
	EvictionHard                     map[string]string `json:"evictionHard"`
	EvictionSoft                     map[string]string `json:"evictionSoft"`
	EvictionSoftGracePeriod          map[string]string `json:"evictionSoftGracePeriod"`
	EvictionMinimumReclaim           map[string]string `json:"evictionMinimumReclaim"`
	MergeDefaultEvictionSettings     bool              `json:"mergeDefaultEvictionSettings"`
	EvictionMaxPodGracePeriod        int32             `json:"evictionMaxPodGracePeriod"`
	EvictionPressureTransitionPeriod metav1.Duration   `json:"evictionPressureTransitionPeriod"`
	ShutdownGracePeriod              metav1.Duration   `json:"shutdownGracePeriod"`
	ShutdownGracePeriodCriticalPods  metav1.Duration   `json:"shutdownGracePeriodCriticalPods"`
	MaxPods                          int32             `json:"maxPods"`
	// FeatureGates are only those that were set; see [Cluster.FeatureGates].
	FeatureGates     map[string]bool `json:"featureGates"`
	CrashLoopBackOff struct {
		// MaxContainerRestartPeriod caps the crash-loop back-off. Nil: 5 min
		// (and kubelets before 1.32).
		MaxContainerRestartPeriod *metav1.Duration `json:"maxContainerRestartPeriod"`
	} `json:"crashLoopBackOff"`

	// Raw is the whole configuration as JSON.
	Raw json.RawMessage `json:"-"`
}

// KubeletConfig asks the kubelet of a node for its effective configuration.
func (c *Cluster) KubeletConfig(ctx context.Context, nodeName string) (*KubeletConfig, error) {
	raw, err := c.askKubelet(ctx, nodeName, "configz")
	if err != nil {
		return nil, fmt.Errorf("reading the kubelet configuration of node %s: %w", nodeName, err)
	}
	cfg, err := parseConfigz(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the kubelet configuration of node %s: %w", nodeName, err)
	}
	return cfg, nil
}

// askKubelet gets a path of a kubelet's own server through the API server.
func (c *Cluster) askKubelet(ctx context.Context, nodeName, path string) ([]byte, error) {
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, commandTimeout, fmt.Errorf("no answer within %v", commandTimeout))
	defer cancel()
	raw, err := client.CoreV1().RESTClient().Get().
		Resource("nodes").Name(nodeName).SubResource("proxy").Suffix(path).DoRaw(ctx)
	return raw, because(ctx, err)
}

func parseConfigz(raw []byte) (*KubeletConfig, error) {
	var configz struct {
		Kubelet json.RawMessage `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(raw, &configz); err != nil {
		return nil, err
	}
	if len(configz.Kubelet) == 0 {
		return nil, fmt.Errorf("its /configz has no kubeletconfig: %.200s", raw)
	}
	cfg := &KubeletConfig{Raw: configz.Kubelet}
	return cfg, json.Unmarshal(configz.Kubelet, cfg)
}

// mergeYAML returns a YAML object with a merge patch applied, and whether that
// changed anything.
func mergeYAML(doc []byte, patch map[string]any) (merged []byte, changed bool, err error) {
	before, err := yaml.YAMLToJSON(doc)
	if err != nil {
		return nil, false, err
	}
	change, err := json.Marshal(patch)
	if err != nil {
		return nil, false, err
	}
	after, err := jsonpatch.MergePatch(before, change)
	if err != nil {
		return nil, false, err
	}
	merged, err = yaml.JSONToYAML(after)
	return merged, !jsonpatch.Equal(before, after), err
}
