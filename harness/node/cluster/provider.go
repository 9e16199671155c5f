package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/support"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

// A Cluster is all that e2e-framework asks of a provider.
var (
	_ support.E2EClusterProviderWithImageLoader = (*Cluster)(nil)
	_ support.E2EClusterProviderWithLifeCycle   = (*Cluster)(nil)
)

// answerTimeout is how long an engine may take to list nodes before it counts as one that does not answer.
const answerTimeout = 10 * time.Second

// NewProvider returns a provider of the cluster that the options describe, for the functions of envfuncs. It boots
// nothing. Each provider has one cluster at a time.
func NewProvider(o Options) *Cluster { return &Cluster{options: o} }

// WithName sets the cluster's name in kind.
func (c *Cluster) WithName(name string) support.E2EClusterProvider {
	c.options.Name = name
	return c
}

// WithVersion chooses the published node image of a version of Kubernetes, such as v1.36.1.
func (c *Cluster) WithVersion(version string) support.E2EClusterProvider {
	repository, _, _ := strings.Cut(defaults.Image, ":")
	c.options.NodeImage, c.options.OfflineImage = repository+":"+version, false
	return c
}

// WithPath sets the client of the container engine; see [Options]. kind is a library here, so there is no other
// program.
func (c *Cluster) WithPath(client string) support.E2EClusterProvider {
	c.options.Engine = client
	return c
}

// WithOpts applies functions that configure a provider. [Options] has all that podclock's own needs.
func (c *Cluster) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, apply := range opts {
		apply(c)
	}
	return c
}

// SetDefaults sets what a suite without subjects leaves out: one worker, and what the nodes must be adapted to on this
// host.
func (c *Cluster) SetDefaults() support.E2EClusterProvider {
	if len(c.options.Subjects) == 0 {
		c.options.Subjects = []string{"default"}
	}
	if h := c.options.Host; !h.CgroupV1 && len(h.ReducedCapabilities) == 0 {
		// A host that can't be inspected counts as an ordinary one.
		c.options.Host, _ = engine.InspectHost()
	}
	return c
}

// Create is CreateWithConfig with the options' kind configuration. kind's command line is not known here, so arguments
// are an error.
func (c *Cluster) Create(ctx context.Context, args ...string) (string, error) {
	if err := none(args, "set cluster.Options instead"); err != nil {
		return "", err
	}
	return c.CreateWithConfig(ctx, "")
}

// CreateWithConfig boots the cluster, or adopts the one of that name that an earlier run kept, and returns the path of
// its kubeconfig, which is not the user's own. Every node is then Ready. The file replaces the base configuration
// unless it is "". A bad option or configuration is an error before anything starts.
//
// It removes a cluster that a killed run left. It returns an error for one that a running process uses or that has no
// record in the cache folder. If it fails or its context ends, it leaves no containers.
func (c *Cluster) CreateWithConfig(ctx context.Context, file string) (string, error) {
	if file != "" {
		c.options.ConfigPath = file
	}
	p, err := c.options.plan()
	if err != nil {
		return "", err
	}
	if err := c.open(); err != nil {
		return "", err
	}
	if err := c.up(ctx, p); err != nil {
		return "", c.errorf("%w", errors.Join(err, c.release()))
	}
	return c.driver.kubeconfig, nil
}

// WaitForControlPlane waits until the API server lists every node as Ready to this client. A new cluster that does not
// is deleted, because no function of envfuncs would.
func (c *Cluster) WaitForControlPlane(ctx context.Context, client klient.Client) error {
	if err := c.created(); err != nil {
		return err
	}
	ready := conditions.New(client.Resources()).ResourceListMatchN(&corev1.NodeList{}, len(c.All), isReady)
	err := wait.For(ready, wait.WithContext(ctx), wait.WithTimeout(readyTimeout), wait.WithInterval(time.Second),
		wait.WithImmediate())
	if err == nil {
		return nil
	}
	// The wait ignores errors of the API server.
	looking, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err = fmt.Errorf("its API server did not list %d Ready nodes within %v: %w", len(c.All), readyTimeout,
		errors.Join(client.Resources().List(looking, &corev1.NodeList{}), nodes.Because(ctx, err)))
	if !c.Adopted {
		err = c.discard(ctx, err)
	}
	return c.errorf("%w", errors.Join(err, c.release()))
}

func isReady(o k8s.Object) bool {
	n, isNode := o.(*corev1.Node)
	return isNode && slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// Destroy deletes the cluster, even if the context has ended. It leaves one that is to be kept or was adopted. If
// another process created it, podclock's mark must be on it, and no running process may use it. Of the options, that
// needs only Name, CacheDir and Log.
func (c *Cluster) Destroy(ctx context.Context) error {
	if c.books == nil {
		return c.destroyOther(ctx)
	}
	if c.options.Keep || c.Adopted {
		c.options.logf("kept; KUBECONFIG=%s, \"make down\" deletes it", c.driver.kubeconfig)
		return c.release()
	}
	if err := c.driver.destroy(ctx); err != nil {
		return errors.Join(err, c.release()) // the record stays, so the next run can delete it
	}
	c.options.logf("deleted")
	return errors.Join(c.books.forget(), c.release())
}

func (c *Cluster) destroyOther(ctx context.Context) error {
	if c.options.Keep || c.Adopted {
		return nil // it was released before
	}
	if err := c.options.validateName(); err != nil {
		return err
	}
	if err := c.open(); err != nil {
		return err
	}
	if err := c.down(ctx); err != nil {
		return c.errorf("%w", errors.Join(err, c.release()))
	}
	return c.release()
}

// CheckName returns an error if podclock can't have the cluster's name: a running process uses it, or podclock did not
// create the cluster that has it. It boots nothing. If no engine answers, the name is free as far as it can be known.
func (c *Cluster) CheckName(ctx context.Context) error {
	if err := c.open(); err != nil {
		return err
	}
	var marks []string
	r, err := c.books.read()
	if err == nil && bounded(ctx, answerTimeout, "listing nodes", func() (err error) {
		marks, err = c.existing(ctx)
		return err
	}) == nil {
		_, _, err = decide(r, marks, "")
	}
	if err != nil {
		err = c.errorf("%w", err)
	}
	return errors.Join(err, c.release())
}

// ExportLogs saves the nodes' logs in a folder.
func (c *Cluster) ExportLogs(ctx context.Context, folder string) error {
	if err := c.created(); err != nil {
		return err
	}
	return c.driver.exportLogs(ctx, folder)
}

// GetKubeconfig returns the path of the kubeconfig, or "" before Create.
func (c *Cluster) GetKubeconfig() string {
	if c.driver == nil {
		return ""
	}
	return c.driver.kubeconfig
}

// GenerateKubeconfig writes the kubeconfig again and returns its path. With --internal, as for kind's command line, it
// is another file, for clients in the nodes' network.
func (c *Cluster) GenerateKubeconfig(args ...string) (string, error) {
	if err := c.created(); err != nil {
		return "", err
	}
	path, inside := c.driver.kubeconfig, slices.Equal(args, []string{"--internal"})
	if inside {
		path += internal
	} else if err := none(args, "--internal is the only one"); err != nil {
		return "", err
	}
	if err := c.driver.kind.ExportKubeConfig(c.options.Name, path, inside); err != nil {
		return "", nodes.Explain(c.errorf("writing its kubeconfig: %w", err))
	}
	return path, nil
}

// GetKubectlContext returns the name of the context in the kubeconfig.
func (c *Cluster) GetKubectlContext() string { return "kind-" + c.options.Name }

// KubernetesRestConfig returns a configuration for clients, or nil before Create.
func (c *Cluster) KubernetesRestConfig() *rest.Config {
	if c.Set == nil {
		return nil
	}
	return rest.CopyConfig(c.RESTConfig)
}

// created returns an error unless the cluster belongs to this process.
func (c *Cluster) created() error {
	if c.books == nil || c.Set == nil {
		return c.errorf("this process has not created it, or has destroyed it: call Create first")
	}
	return nil
}

// none refuses arguments.
func none(args []string, remedy string) error {
	if len(args) > 0 {
		return fmt.Errorf("arguments %q have no effect here: leave them out; %s", args, remedy)
	}
	return nil
}

func (c *Cluster) errorf(format string, args ...any) error {
	return fmt.Errorf("cluster %q: "+format, append([]any{c.options.Name}, args...)...)
}
