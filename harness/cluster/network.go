package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// setUpNetwork does what kindnet does where kind installs no CNI plugin: pods
// get an address of their node's pod CIDR on a veth pair, and every node has a
// route to the pod CIDR of every other, so that the API server's proxy reaches
// pods on all of them. It may be repeated on a cluster that has it.
func setUpNetwork(ctx context.Context, client klient.Client, all []nodes.Node, limit time.Duration) error {
	known, err := waitNodes(ctx, client, all, limit, "registered with a pod CIDR", whyNotAddressed)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, n := range all {
		group.Go(func() error {
			own, routes := networkOf(n.String(), known)
			conflist, err := conflist(own)
			if err != nil {
				return fmt.Errorf("writing the CNI configuration of node %s: %w", n, err)
			}
			if _, err := runScript(
				ctx,
				n,
				commandTimeout,
				strings.NewReader(conflist),
				networkScript,
				routes...); err != nil {
				return fmt.Errorf("setting up the pod network of node %s: %w", n, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// networkScript writes the CNI configuration under a name containerd does not
// read and then renames it, because containerd watches the folder. Arguments
// are pairs of a pod CIDR and the address of its node.
const networkScript = `
mkdir -p /etc/cni/net.d
cat > /etc/cni/net.d/podclock.new
mv /etc/cni/net.d/podclock.new /etc/cni/net.d/10-podclock.conflist
sysctl --quiet --write net.ipv4.ip_forward=1
while [ $# -gt 0 ]; do
  ip route replace "$1" via "$2"
  shift 2
done
`

// networkOf returns a node's pod CIDR, and pairs of the CIDR and the address
// of every other node.
func networkOf(name string, all []corev1.Node) (own string, routes []string) {
	for i := range all {
		if all[i].Name == name {
			own = all[i].Spec.PodCIDR
			continue
		}
		routes = append(routes, all[i].Spec.PodCIDR, internalIP(&all[i]))
	}
	return own, routes
}

// conflist is the CNI configuration of a node. No pod has a host port, so there
// is no plugin for them. The leases are kept in /run: a node that reboots has no
// pods, and must not remember their addresses.
func conflist(podCIDR string) (string, error) {
	type object map[string]any
	raw, err := json.MarshalIndent(object{
		"cniVersion": "0.4.0",
		"name":       "podclock",
		"plugins": []object{
			{
				"type":   "ptp",
				"ipMasq": false,
				"ipam": object{
					"type":    "host-local",
					"dataDir": "/run/cni-ipam-state",
					"ranges":  [][]object{{{"subnet": podCIDR}}},
					"routes":  []object{{"dst": "0.0.0.0/0"}},
				},
			},
		},
	}, "", "  ")
	return string(raw) + "\n", err
}

// whyNotAddressed returns "" for a node that has what the pod network needs.
func whyNotAddressed(n *corev1.Node) string {
	switch {
	case n.Spec.PodCIDR == "":
		return "the controller manager gave it no pod CIDR"
	case internalIP(n) == "":
		return "its kubelet has not reported its address"
	default:
		return ""
	}
}

func internalIP(n *corev1.Node) string {
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return ""
}
