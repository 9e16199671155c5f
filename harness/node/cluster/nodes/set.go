// Package nodes observes and changes the nodes of a kind cluster: their kubelets, the kubelets' configuration, images,
// logs, the pod network, and the components of the control plane.
// Every wait has a generous limit that ends what hangs; none is a measurement. The package knows no trials.
package nodes

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
	kind "sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/podclock/podclock/harness/host/kubeconfig"
)

// Set is the nodes of one cluster. Its methods may be called concurrently.
type Set struct {
	// All are the nodes as kind knows them, ControlPlane is the name of the control plane's.
	All          []kind.Node
	ControlPlane string
	// Client reads and changes objects, API is for raw paths.
	Client *resources.Resources
	API    kubernetes.Interface
	// RESTConfig configures a client of the API server.
	RESTConfig *rest.Config
}

// client-go's default of 5 requests a second is too low: a wait for a dozen nodes sends 60.
const clientQPS, clientBurst = 100, 200

// Connect returns the set of a booted cluster's nodes.
func Connect(all []kind.Node, config *rest.Config) (*Set, error) {
	controlPlane, err := nodeutils.BootstrapControlPlaneNode(all)
	if err != nil {
		return nil, Explain(fmt.Errorf("finding its control plane: %w", err))
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = clientQPS, clientBurst
	client, api, err := kubeconfig.Clients(config)
	if err != nil {
		return nil, fmt.Errorf("making a client of its API server: %w", err)
	}
	return &Set{All: all, ControlPlane: controlPlane.String(), Client: client, API: api, RESTConfig: config}, nil
}

// Node returns the node of that name.
func (s *Set) Node(name string) (kind.Node, error) {
	i := slices.IndexFunc(s.All, func(n kind.Node) bool { return n.String() == name })
	if i < 0 {
		return nil, fmt.Errorf("the cluster has no node %q; its nodes are %v", name, s.All)
	}
	return s.All[i], nil
}

// ByNumber orders the names that kind gives to nodes: worker, worker2, worker10.
func ByNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
