package next

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Group is a workload on nodes whose kubelets obey the same rules, with its prediction there.
type Group struct {
	predict.Prediction
	Nodes []string
	Pods  []Pod
}

// KubeletOf returns the kubelet of a node of this version. configz is nil if its configuration is not known.
type KubeletOf func(version string, configz []byte) (formula.Kubelet, error)

// Groups predicts each workload once for each kind of kubelet that its pods have, in the order of the nodes' names.
// Pods without a node come last.
func (c Cluster) Groups(kubeletOf KubeletOf, o predict.Options) ([]Group, error) {
	var all []Group
	for _, w := range c.Workloads {
		groups, err := c.groups(w, kubeletOf, o)
		if err != nil {
			return nil, err
		}
		all = append(all, groups...)
	}
	return all, nil
}

// alike are the pods of a workload on nodes whose kubelets obey the same rules.
type alike struct {
	kubelet formula.Kubelet
	nodes   []string
	pods    []*corev1.Pod
}

func (c Cluster) groups(w Workload, kubeletOf KubeletOf, o predict.Options) (groups []Group, err error) {
	all, err := c.alike(w, kubeletOf)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		of := w.Workload
		of.Where = "kubelet " + a.kubelet.Version
		if len(a.nodes) > 0 {
			of.Where += " on " + shortened(a.nodes)
		}
		g := Group{Prediction: predict.All([]predict.Workload{of}, a.kubelet, o)[0], Nodes: a.nodes}
		for _, pod := range a.pods {
			g.Pods = append(g.Pods, c.pod(pod, w.Jobs, a.kubelet, o))
		}
		groups = append(groups, g)
	}
	return groups, nil
}

func (c Cluster) alike(w Workload, kubeletOf KubeletOf) (all []alike, err error) {
	onNode := map[string][]*corev1.Pod{}
	for i := range w.Pods {
		name := w.Pods[i].Spec.NodeName
		onNode[name] = append(onNode[name], &w.Pods[i])
	}
	waiting := onNode[""]
	delete(onNode, "")
	for _, name := range slices.Sorted(maps.Keys(onNode)) {
		n := c.Nodes[name]
		if n.Version == "" {
			n.Version = c.Version
		}
		k, err := kubeletOf(n.Version, n.Configz)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		i := slices.IndexFunc(all, func(a alike) bool { return same(a.kubelet, k) })
		if i < 0 {
			i = len(all)
			all = append(all, alike{kubelet: k})
		}
		all[i].nodes, all[i].pods = append(all[i].nodes, name), append(all[i].pods, onNode[name]...)
	}
	if len(all) == 0 {
		k, err := kubeletOf(c.Version, nil)
		if err != nil {
			return nil, err
		}
		all = []alike{{kubelet: k}}
	}
	last := &all[len(all)-1]
	last.pods = append(last.pods, waiting...)
	return all, nil
}

// same reports whether two kubelets have equal versions and settings.
func same(a, b formula.Kubelet) bool {
	one, err := json.Marshal(a)
	other, wrong := json.Marshal(b)
	return err == nil && wrong == nil && string(one) == string(other)
}

const mostNames = 3

// shortened lists a few names, and counts the others.
func shortened(names []string) string {
	if len(names) <= mostNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
}

func (c Cluster) pod(pod *corev1.Pod, jobs []batchv1.Job, k formula.Kubelet, o predict.Options) Pod {
	if g := pod.DeletionGracePeriodSeconds; g != nil {
		o.GracePeriodSeconds = []int64{*g}
	}
	spec := predict.Workload{Object: manifest.Object{Kind: "Pod", Name: pod.Name, Pod: &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec,
	}}}
	l := living{
		Pod: pod, node: c.Nodes[pod.Spec.NodeName], job: jobOf(pod, jobs), now: c.Now, kubelet: k,
		predicted: predict.All([]predict.Workload{spec}, k, o)[0],
		result:    &Pod{Name: pod.Name, Node: pod.Spec.NodeName},
	}
	switch {
	case l.ended() && pod.DeletionTimestamp == nil:
		l.afterEnd()
	case l.predicted.NotCovered != "":
		l.is("is not covered", time.Time{})
		l.fact(l.predicted.NotCovered)
	case pod.DeletionTimestamp != nil:
		l.terminates()
	case pod.Spec.NodeName == "":
		l.waitsForNode()
	default:
		l.runs()
	}
	return *l.result
}
