package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
)

// SetUpNetwork sets up the pod network of a cluster without a CNI plugin, as kindnet does: pods get an address of their
// node's pod CIDR on a veth pair, and nodes have routes to each other's CIDR. limit bounds the wait for the CIDRs. It
// may be called again.
func (s *Set) SetUpNetwork(ctx context.Context, limit time.Duration) error {
	known, err := s.awaitNodes(ctx, limit, "registered with a pod CIDR", whyNotAddressed)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, n := range s.All {
		group.Go(func() error {
			own, routes := networkOf(n.String(), known)
			conflist, err := conflist(own)
			if err == nil {
				set := script{text: networkScript, args: routes, stdin: strings.NewReader(conflist)}
				_, err = run(ctx, n, set)
			}
			if err != nil {
				return fmt.Errorf("setting up the pod network of node %s: %w", n, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// networkScript writes the CNI configuration on stdin and sets routes: its arguments are pairs of a pod
// CIDR and its node's address.
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

// conflist returns the CNI configuration of a node. The leases are in /run, because a rebooted node has no pods.
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

func whyNotAddressed(n *corev1.Node) string {
	switch {
	case n.Spec.PodCIDR == "":
		return "the controller manager gave it no pod CIDR"
	case internalIP(n) == "":
		return "its kubelet has not reported its address"
	}
	return ""
}

func internalIP(n *corev1.Node) string {
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return ""
}
