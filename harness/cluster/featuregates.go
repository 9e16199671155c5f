package cluster

import (
	"bytes"
	"context"
	"fmt"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// FeatureGates asks the kubelet of a node for every feature gate it knows, and
// whether it is on, defaults included (metric kubernetes_feature_enabled of its
// /metrics, KEP-2305). The answer is empty for a kubelet before 1.26, which does
// not say: for it, what was set (KubeletConfig.FeatureGates) and its version
// must do.
func (c *Cluster) FeatureGates(ctx context.Context, nodeName string) (map[string]bool, error) {
	raw, err := c.askKubelet(ctx, nodeName, "metrics")
	if err != nil {
		return nil, fmt.Errorf("reading the feature gates of the kubelet of node %s: %w", nodeName, err)
	}
	gates, err := parseFeatureGates(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the feature gates of the kubelet of node %s: %w", nodeName, err)
	}
	return gates, nil
}

func parseFeatureGates(raw []byte) (map[string]bool, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	gates := map[string]bool{}
	for _, m := range families["kubernetes_feature_enabled"].GetMetric() {
		for _, label := range m.GetLabel() {
			if label.GetName() == "name" {
				gates[label.GetValue()] = m.GetGauge().GetValue() == 1
			}
		}
	}
	return gates, nil
}
