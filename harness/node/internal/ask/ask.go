// Package ask reads what kubelets answer through the API server: configuration, feature gates, statistics. It needs the
// right to get nodes/proxy.
package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"
)

// answersWithin bounds one question.
const answersWithin = time.Minute

// read asks a node's kubelet. core is a client of the core API group.
func read[T any](
	ctx context.Context, core rest.Interface, node, path, what string, parse func([]byte) (T, error),
) (result T, err error) {
	late := fmt.Errorf("no answer within %v", answersWithin)
	bounded, cancel := context.WithTimeoutCause(ctx, answersWithin, late)
	defer cancel()
	raw, err := core.Get().Resource("nodes").Name(node).SubResource("proxy").Suffix(path).DoRaw(bounded)
	if err == nil {
		result, err = parse(raw)
	} else if bounded.Err() != nil {
		err = fmt.Errorf("%w (%w)", context.Cause(bounded), err)
	}
	if err != nil {
		return result, fmt.Errorf("read the %s of node %s: %w", what, node, err)
	}
	return result, nil
}

// Config returns the effective configuration of a node's kubelet, as its /configz reports.
func Config(ctx context.Context, core rest.Interface, node string) (json.RawMessage, error) {
	return read(ctx, core, node, "configz", "kubelet configuration", parseConfigz)
}

func parseConfigz(raw []byte) (json.RawMessage, error) {
	var configz struct {
		Kubelet json.RawMessage `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(raw, &configz); err != nil {
		return nil, err
	}
	if len(configz.Kubelet) == 0 {
		return nil, fmt.Errorf("its /configz has no kubeletconfig: %.200s", raw)
	}
	return configz.Kubelet, nil
}

// FeatureGates returns all feature gates of a node's kubelet, including defaults (metric kubernetes_feature_enabled,
// KEP-2305). It is empty for a kubelet before 1.26, which has no such metric.
func FeatureGates(ctx context.Context, core rest.Interface, node string) (map[string]bool, error) {
	return read(ctx, core, node, "metrics", "kubelet's feature gates", parseFeatureGates)
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

// FailedProbes returns how many failing probes of a pod a node's kubelet has counted (metric prober_probe_total), by
// container and lower-case probe type.
func FailedProbes(ctx context.Context, core rest.Interface, node, uid string) (map[string]map[string]int, error) {
	parse := func(raw []byte) (map[string]map[string]int, error) { return parseFailedProbes(raw, uid) }
	return read(ctx, core, node, "metrics/probes", "kubelet's count of probes", parse)
}

func parseFailedProbes(raw []byte, uid string) (map[string]map[string]int, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	failed := map[string]map[string]int{}
	for _, m := range families["prober_probe_total"].GetMetric() {
		labels := map[string]string{}
		for _, pair := range m.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		if labels["pod_uid"] != uid || labels["result"] != "failed" {
			continue
		}
		container, kind := labels["container"], strings.ToLower(labels["probe_type"])
		if failed[container] == nil {
			failed[container] = map[string]int{}
		}
		failed[container][kind] = int(m.GetCounter().GetValue())
	}
	return failed, nil
}

// Counted returns a counter of a node's kubelet, added up by the values of one label. path is "metrics" or a path below
// it.
func Counted(ctx context.Context, core rest.Interface, node, path, counter, label string) (map[string]float64, error) {
	parse := func(raw []byte) (map[string]float64, error) { return parseCounted(raw, counter, label) }
	return read(ctx, core, node, path, "counter "+counter+" of the kubelet", parse)
}

func parseCounted(raw []byte, counter, label string) (map[string]float64, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	sums := map[string]float64{}
	for _, m := range families[counter].GetMetric() {
		for _, pair := range m.GetLabel() {
			if pair.GetName() == label {
				sums[pair.GetValue()] += m.GetCounter().GetValue()
			}
		}
	}
	return sums, nil
}

// FSStats is what a kubelet reports of a file system (k8s.io/kubelet/pkg/apis/stats/v1alpha1 FsStats).
type FSStats struct {
	CapacityBytes uint64 `json:"capacityBytes"`
	Inodes        uint64 `json:"inodes"`
}

// NodeFS returns what a node's kubelet reports of the file system of its root directory.
func NodeFS(ctx context.Context, core rest.Interface, node string) (FSStats, error) {
	return read(ctx, core, node, "stats/summary", "statistics", parseSummary)
}

func parseSummary(raw []byte) (FSStats, error) {
	var summary struct {
		Node struct {
			FS *FSStats
		}
	}
	if err := json.Unmarshal(raw, &summary); err != nil {
		return FSStats{}, err
	}
	if summary.Node.FS == nil {
		return FSStats{}, errors.New("the kubelet has not measured it yet")
	}
	return *summary.Node.FS, nil
}
