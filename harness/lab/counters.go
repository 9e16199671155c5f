package lab

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/timeline"
)

const reading = 5 * time.Second

// readCounters reads how many failing probes of a pod its kubelet has counted, nil if the kubelet does not answer.
func (l *site) readCounters(ctx context.Context, n *node, pod *corev1.Pod) *timeline.Counters {
	ctx, cancel := context.WithTimeout(ctx, reading)
	defer cancel()
	asked := time.Now()
	text, err := l.client.CoreV1().RESTClient().Get().Resource("nodes").Name(n.name).
		SubResource("proxy").Suffix("metrics/probes").DoRaw(ctx)
	answered := time.Now()
	if err != nil {
		return nil
	}
	c := &timeline.Counters{
		Asked: n.place(asked, asked), Answered: n.place(answered, answered), Failed: map[string]map[string]int{},
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	for _, m := range families["prober_probe_total"].GetMetric() {
		labels := map[string]string{}
		for _, pair := range m.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		if labels["pod_uid"] != string(pod.UID) || labels["result"] != "failed" {
			continue
		}
		container, kind := labels["container"], strings.ToLower(labels["probe_type"])
		if c.Failed[container] == nil {
			c.Failed[container] = map[string]int{}
		}
		c.Failed[container][kind] = int(m.GetCounter().GetValue())
	}
	return c
}
