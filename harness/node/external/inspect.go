package external

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/e2e-framework/klient/wait"

	"github.com/podclock/podclock/harness/node/internal/ask"
	"github.com/podclock/podclock/harness/rules/formula"
)

// candidate is a node, or why it is left alone.
type candidate struct {
	Node
	unfit string
}

// inspectedAtOnce bounds the kubelets that are asked at one time.
const inspectedAtOnce = 16

// inspectAll inspects all nodes: only their configurations tell which of them should behave alike.
func (c *Cluster) inspectAll(ctx context.Context, nodes []corev1.Node) []candidate {
	all := make([]candidate, len(nodes))
	var asking errgroup.Group
	asking.SetLimit(inspectedAtOnce)
	for i := range nodes {
		asking.Go(func() error {
			if all[i].unfit = unfit(&nodes[i]); all[i].unfit == "" {
				var err error
				if all[i].Node, err = c.inspect(ctx, &nodes[i]); err != nil {
					all[i].unfit = err.Error()
				}
			}
			return nil
		})
	}
	_ = asking.Wait()
	return all
}

// startsWithin is how long a kubelet that has just been restarted may take to answer. Its node stays Ready meanwhile.
const startsWithin = 15 * time.Second

// inspect reads what decides a kubelet's times. Without the right to ask the kubelet, the release's defaults count.
func (c *Cluster) inspect(ctx context.Context, n *corev1.Node) (Node, error) {
	version := formula.Release(n.Status.NodeInfo.KubeletVersion)
	found := Node{
		Name: n.Name, System: SystemOf(n), boot: n.Status.NodeInfo.BootID,
		Cores: n.Status.Capacity.Cpu().AsApproximateFloat64(),
	}
	core := c.server.CoreV1().RESTClient()
	var configuration json.RawMessage
	var err error
	_ = wait.For(func(context.Context) (bool, error) {
		configuration, err = ask.Config(ctx, core, n.Name)
		return !apierrors.IsServiceUnavailable(err), nil
	}, wait.WithContext(ctx), wait.WithTimeout(startsWithin), wait.WithInterval(time.Second), wait.WithImmediate())
	gates := map[string]bool(nil)
	switch {
	case apierrors.IsForbidden(err):
		configuration = json.RawMessage("{}")
	case err != nil:
		return Node{}, fmt.Errorf("it is Ready, but its kubelet does not answer: %w", err)
	default:
		found.Configuration = configuration
		if gates, err = ask.FeatureGates(ctx, core, n.Name); err != nil {
			return Node{}, err
		}
	}
	if found.Kubelet, err = formula.KubeletOf(version, gates, configuration, nil); err != nil {
		return Node{}, err
	}
	found.Kubelet.Assumed = found.Configuration == nil
	found.Kubelet.Runtime = formula.OtherRuntime(found.System.Runtime)
	found.Group, err = groupOf(n, found.Kubelet)
	return found, err
}

// room returns how many pods of podclock the node has room for, or why it has none.
func (c *Cluster) room(ctx context.Context, n *corev1.Node) (room int, unfit string, err error) {
	pods := &corev1.PodList{}
	if err := c.client.List(ctx, pods, client.MatchingFields{"spec.nodeName": n.Name}); err != nil {
		return 0, "", fmt.Errorf("list the pods of node %s: %w", n.Name, c.explain(err))
	}
	running := 0
	for _, p := range pods.Items {
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			running++
		}
	}
	allowed := int(n.Status.Allocatable.Pods().Value())
	room = min(mostPods, allowed-running-spareRoom)
	if room < 2 {
		unfit = fmt.Sprintf("it has room for %d pods and runs %d, and podclock leaves %d places free", allowed, running,
			spareRoom)
	}
	return room, unfit, nil
}
