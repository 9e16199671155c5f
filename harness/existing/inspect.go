package existing

import (
	"context"
	"fmt"
	"strings"

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
	chosen := Node{Name: n.Name, Architecture: n.Status.NodeInfo.Architecture, Pods: mostPods}
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
		if gates, err = ask.FeatureGates(ctx, core, n.Name); err != nil && !apierrors.IsForbidden(err) {
			return Node{}, fmt.Errorf("node %s: %w", n.Name, err)
		}
	}
	if chosen.Kubelet, err = stage.Kubelet(version, gates, configuration.Raw, nil); err != nil {
		return Node{}, fmt.Errorf("node %s: %w", n.Name, err)
	}
	chosen.Kubelet.Assumed = chosen.Configuration == nil
	return chosen, c.leaveRoom(ctx, n, &chosen)
}

// leaveRoom bounds the pods of podclock by what the node has room for.
func (c *Cluster) leaveRoom(ctx context.Context, n *corev1.Node, chosen *Node) error {
	pods, err := c.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", n.Name).String(), Limit: 1000,
	})
	switch {
	case apierrors.IsForbidden(err):
		chosen.Pods = min(mostPods, int(n.Status.Allocatable.Pods().Value())/4)
		return nil
	case err != nil:
		return fmt.Errorf("list the pods of node %s: %w", n.Name, err)
	}
	running := 0
	for _, p := range pods.Items {
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			running++
		}
	}
	room := int(n.Status.Allocatable.Pods().Value()) - running - spareRoom
	if chosen.Pods = min(mostPods, room); chosen.Pods < 2 {
		return fmt.Errorf("node %s has room for %s pods and runs %d: podclock leaves %d places free", n.Name,
			strings.TrimSpace(n.Status.Allocatable.Pods().String()), running, spareRoom)
	}
	return nil
}
