// Package existing finds what podclock may test in a cluster that it did not make: the nodes, what their kubelets are,
// and which trials the user's rights and the nodes' owners allow. It only reads.
package existing

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/kubeconfig"
)

// Options say which cluster and which of its nodes.
type Options struct {
	kubeconfig.Access
	// Nodes are names. NodeSelector is a label selector. Without both, every node can be chosen.
	Nodes        []string
	NodeSelector string
	// Sample is the number of nodes of each group, or of each value of the label Per. 0 is all named nodes, or one.
	Sample int
	Per    string
	// Allow are the kinds of harm that the nodes' owner allows.
	Allow []Harm
}

// Harm is something that trials may do to a node only if its owner allows it.
type Harm string

// RawSockets are victims that run as root with CAP_NET_RAW, which TCP probes need to be counted.
const RawSockets Harm = "raw-sockets"

// Harms are all of them.
func Harms() []Harm { return []Harm{RawSockets} }

// Cluster is a cluster with the nodes that were chosen.
type Cluster struct {
	Config *rest.Config
	// Context is the name of the kubeconfig's context, Server the API server's address, Version its release.
	Context, Server, Version string
	Nodes                    []Node
	// Refused are the rights that the user lacks.
	Refused []Right
	allow   []Harm
	asked   kubeconfig.Target
	client  kubernetes.Interface
}

// answersWithin bounds one request. The API server has limits of its own for how many there may be.
const (
	answersWithin     = 15 * time.Second
	requestsPerSecond = 100
)

// connect reads the kubeconfig. It sends nothing.
func (o Options) connect() (*Cluster, error) {
	target, err := o.Load()
	if err != nil {
		return nil, err
	}
	asked := kubeconfig.Target{Config: rest.CopyConfig(target.Config), Context: target.Context}
	asked.Config.Timeout, asked.Config.QPS, asked.Config.Burst = answersWithin, requestsPerSecond, requestsPerSecond
	client, err := kubernetes.NewForConfig(asked.Config)
	if err != nil {
		return nil, fmt.Errorf("use context %s of the kubeconfig: %w", target.Context, err)
	}
	return &Cluster{
		Config: target.Config, Context: target.Context, Server: target.Config.Host, allow: o.Allow, client: client,
		asked: asked,
	}, nil
}

// explain returns the cause of a request's error and a remedy, if they are known.
func (c *Cluster) explain(err error) error { return cmp.Or(c.asked.Explain(err), err) }

// Groups returns the groups of the chosen nodes, each with its nodes' names, in order.
func (c *Cluster) Groups() (groups []string, nodes map[string][]string) {
	nodes = map[string][]string{}
	for _, n := range c.Nodes {
		if !slices.Contains(groups, n.Group) {
			groups = append(groups, n.Group)
		}
		nodes[n.Group] = append(nodes[n.Group], n.Name)
	}
	return groups, nodes
}

// Refuses reports whether the user lacks a right, as [Right.String] returns it.
func (c *Cluster) Refuses(right string) bool {
	return slices.ContainsFunc(c.Refused, func(r Right) bool { return r.String() == right })
}
