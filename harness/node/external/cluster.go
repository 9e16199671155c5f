// Package external finds what podclock may test in a cluster that it did not make: the nodes, what their kubelets are,
// and which trials the user's rights and the nodes' owners allow. It only reads.
package external

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/podclock/podclock/harness/host/kubeconfig"
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
	// Shard is the part of the nodes that this driver takes.
	Shard Shard
	// Allow are the kinds of harm that the nodes' owner allows.
	Allow []Harm
}

// Shard is one of some equal parts of a cluster's nodes in the API server's order. Index counts from 0. Of is the
// number of parts, 0 for one. Drivers with different indexes share no node, unless nodes come or go between their
// starts.
type Shard struct{ Index, Of int }

// ParseShard reads a shard, such as 0/3.
func ParseShard(text string) (s Shard, err error) {
	index, of, _ := strings.Cut(text, "/")
	if s.Index, err = strconv.Atoi(index); err == nil {
		s.Of, err = strconv.Atoi(of)
	}
	if err != nil || s.Index < 0 || s.Index >= s.Of {
		return Shard{}, errors.New("it must be a number from 0 and the number of drivers, such as 0/3")
	}
	return s, nil
}

func (s Shard) of(nodes []corev1.Node) (mine []corev1.Node) {
	for i, n := range nodes {
		if s.Of == 0 || i%s.Of == s.Index {
			mine = append(mine, n)
		}
	}
	return mine
}

func (s Shard) words() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf(" in shard %d/%d", s.Index, s.Of)
}

// Cluster is a cluster with the nodes that were chosen.
type Cluster struct {
	Config *rest.Config
	// Context is the name of the kubeconfig's context, Server the API server's address, Version its release.
	Context, Server, Version string
	// Kubeconfig is the path that the user gave, or empty.
	Kubeconfig string
	// Allow are the kinds of harm that the nodes' owner allows.
	Allow []Harm
	Nodes []Node
	// Refused are the rights that the user lacks.
	Refused []Right
	asked   kubeconfig.Target
	client  client.Client
	// server is for what the client can't do: raw paths.
	server kubernetes.Interface
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
	resources, server, err := kubeconfig.Clients(asked.Config)
	if err != nil {
		return nil, fmt.Errorf("use context %s of the kubeconfig: %w", target.Context, err)
	}
	return &Cluster{
		Config: target.Config, Context: target.Context, Server: target.Config.Host, Kubeconfig: o.Kubeconfig,
		Allow: o.Allow, client: resources.GetControllerRuntimeClient(), server: server, asked: asked,
	}, nil
}

// explain returns the cause of a request's error and a remedy, if they are known.
func (c *Cluster) explain(err error) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("%w: `podclock rbac` prints the rights, with the --allow of the run", err)
	}
	return cmp.Or(c.asked.Explain(err), err)
}

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
