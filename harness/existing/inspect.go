package existing

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/ask"
	"github.com/podclock/podclock/harness/stage"
)

// inspect reads what decides a kubelet's times. Without the right to ask the kubelet, the release's defaults count.
func (c *Cluster) inspect(ctx context.Context, n *corev1.Node) (Node, error) {
	version := kubelet.Release(n.Status.NodeInfo.KubeletVersion)
	chosen := Node{Name: n.Name, Architecture: n.Status.NodeInfo.Architecture}
	core := c.client.CoreV1().RESTClient()
	configuration, err := ask.Config(ctx, core, n.Name)
	gates := map[string]bool(nil)
	switch {
	case apierrors.IsForbidden(err):
		configuration = &ask.KubeletConfig{Raw: []byte("{}")}
	case err != nil:
		return Node{}, fmt.Errorf("node %s is Ready, but its kubelet does not answer: %w", n.Name, err)
	default:
		chosen.Configuration = configuration.Raw
		if gates, err = ask.FeatureGates(ctx, core, n.Name); err != nil {
			return Node{}, fmt.Errorf("node %s: %w", n.Name, err)
		}
	}
	if chosen.Kubelet, err = stage.Kubelet(version, gates, configuration.Raw, nil); err != nil {
		return Node{}, fmt.Errorf("node %s: %w", n.Name, err)
	}
	chosen.Kubelet.Assumed = chosen.Configuration == nil
	chosen.Pods, err = c.room(ctx, n)
	return chosen, err
}

// room returns how many pods of podclock the node has room for.
func (c *Cluster) room(ctx context.Context, n *corev1.Node) (int, error) {
	pods, err := c.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", n.Name).String(),
	})
	if err != nil {
		return 0, fmt.Errorf("list the pods of node %s: %w", n.Name, err)
	}
	running := 0
	for _, p := range pods.Items {
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			running++
		}
	}
	allowed := int(n.Status.Allocatable.Pods().Value())
	room := min(mostPods, allowed-running-spareRoom)
	if room < 2 {
		return 0, fmt.Errorf("node %s has room for %d pods and runs %d: podclock leaves %d places free", n.Name,
			allowed, running, spareRoom)
	}
	return room, nil
}
