package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/engine"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/klient/conf"
	"sigs.k8s.io/e2e-framework/support"
	kind "sigs.k8s.io/kind/pkg/cluster"
)

// Provider is an e2e-framework cluster provider that drives kind as a library.
// Unlike e2e-framework's own kind provider it needs neither a kind binary nor
// a Go toolchain to install one, and its calls end when their context does: a
// cancelled Create leaves no containers behind.
//
//	testenv.Setup(envfuncs.CreateCluster(cluster.NewProvider(), "e2e"))
//	testenv.Finish(envfuncs.DestroyCluster("e2e"))
//
// It knows nothing of podclock's records: like e2e-framework's own provider it
// adopts any kind cluster of its name. A Provider is for one goroutine.
type Provider struct {
	name       string
	engine     string
	image      string
	kubeconfig string
	log        io.Writer
	wait       time.Duration

	kind       *kind.Provider
	restConfig *rest.Config
	began      time.Time // of the last creation
}

var _ support.E2EClusterProviderWithImageLoader = (*Provider)(nil)

// NewProvider returns a provider of kind clusters in the container engine that
// kind detects.
func NewProvider() *Provider { return &Provider{} }

// WithImage sets the node image, as kind's --image does.
func WithImage(image string) support.ClusterOpts {
	return option(func(p *Provider) { p.image = image })
}

// WithEngine sets the container engine by its client's name: docker, podman or
// nerdctl.
func WithEngine(client string) support.ClusterOpts {
	return option(func(p *Provider) { p.engine, p.kind = client, nil })
}

// WithKubeconfig sets the file the kubeconfig is written to. By default it is
// a file of its own in the folder of temporary files, never the user's.
func WithKubeconfig(path string) support.ClusterOpts {
	return option(func(p *Provider) { p.kubeconfig = path })
}

// WithLog sets where kind's steps and warnings are written.
func WithLog(w io.Writer) support.ClusterOpts {
	return option(func(p *Provider) { p.log = w })
}

func option(set func(*Provider)) support.ClusterOpts {
	return func(c support.E2EClusterProvider) {
		if p, ok := c.(*Provider); ok {
			set(p)
		}
	}
}

// SetDefaults implements [support.E2EClusterProvider].
func (p *Provider) SetDefaults() support.E2EClusterProvider {
	if p.name == "" {
		p.name = kind.DefaultName
	}
	return p
}

// WithName implements [support.E2EClusterProvider].
func (p *Provider) WithName(name string) support.E2EClusterProvider {
	p.name = name
	return p
}

// WithVersion sets the Kubernetes version by kind's naming of its published
// node images. kind's own version is that of the library compiled in.
func (p *Provider) WithVersion(version string) support.E2EClusterProvider {
	p.image = "kindest/node:v" + strings.TrimPrefix(version, "v")
	return p
}

// WithPath sets the container engine by its client's path or name, the only
// program this provider runs.
func (p *Provider) WithPath(path string) support.E2EClusterProvider {
	return p.WithOpts(WithEngine(filepath.Base(path)))
}

// WithOpts implements [support.E2EClusterProvider].
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, o := range opts {
		o(p)
	}
	return p
}

// Create creates the cluster, or adopts an existing one of the same name, and
// returns the path of its kubeconfig. It understands these arguments of "kind
// create cluster": --image, --config, --wait, --retain.
func (p *Provider) Create(ctx context.Context, args ...string) (string, error) {
	flags := pflag.NewFlagSet("create", pflag.ContinueOnError)
	image := flags.String("image", p.image, "")
	config := flags.String("config", "", "")
	retain := flags.Bool("retain", false, "")
	flags.DurationVar(&p.wait, "wait", p.wait, "")
	if err := flags.Parse(strings.Fields(strings.Join(args, " "))); err != nil {
		return "", fmt.Errorf(
			"creating cluster %q: %w; only --image, --config, --wait and --retain are understood",
			p.name,
			err,
		)
	}
	opts := []kind.CreateOption{
		kind.CreateWithNodeImage(*image),
		kind.CreateWithWaitForReady(p.wait),
	}
	if *config != "" {
		opts = append(opts, kind.CreateWithConfigFile(*config))
	}
	driver, err := p.driver()
	if err != nil {
		return "", err
	}
	existing, err := driver.ListNodes(p.name)
	if err != nil {
		return "", explain(fmt.Errorf("listing the nodes of cluster %q: %w", p.name, err))
	}
	if len(existing) > 0 {
		return p.GenerateKubeconfig()
	}
	kubeconfig, err := p.create(ctx, *retain, opts...)
	if err != nil {
		return "", fmt.Errorf("creating cluster %q: %w", p.name, err)
	}
	return kubeconfig, nil
}

// CreateWithConfig is Create with a kind configuration file.
func (p *Provider) CreateWithConfig(ctx context.Context, configFile string) (string, error) {
	if configFile == "" {
		return p.Create(ctx)
	}
	return p.Create(ctx, "--config", configFile)
}

// GetKubeconfig returns the path of the kubeconfig.
func (p *Provider) GetKubeconfig() string { return p.kubeconfig }

// GenerateKubeconfig writes the kubeconfig anew and returns its path. With the
// argument --internal it holds the address inside the engine's network.
func (p *Provider) GenerateKubeconfig(args ...string) (string, error) {
	driver, err := p.driver()
	if err != nil {
		return "", err
	}
	internal := strings.Contains(strings.Join(args, " "), "--internal")
	if err := driver.ExportKubeConfig(p.name, p.kubeconfigFile(), internal); err != nil {
		return "", explain(fmt.Errorf("writing the kubeconfig of cluster %q: %w", p.name, err))
	}
	if p.restConfig, err = conf.New(p.kubeconfig); err != nil {
		return "", fmt.Errorf("reading the kubeconfig of cluster %q: %w", p.name, err)
	}
	return p.kubeconfig, nil
}

func (p *Provider) kubeconfigFile() string {
	if p.kubeconfig == "" {
		p.kubeconfig = filepath.Join(os.TempDir(), p.name+"-kubeconfig")
	}
	return p.kubeconfig
}

// GetKubectlContext returns the context's name in the kubeconfig.
func (p *Provider) GetKubectlContext() string { return "kind-" + p.name }

// KubernetesRestConfig returns the client configuration of a created cluster.
func (p *Provider) KubernetesRestConfig() *rest.Config { return p.restConfig }

// Destroy deletes the cluster, if it exists, and its kubeconfig.
func (p *Provider) Destroy(ctx context.Context) error {
	if err := p.delete(ctx); err != nil {
		return err
	}
	if err := os.Remove(p.kubeconfigFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the kubeconfig of cluster %q: %w", p.name, err)
	}
	return nil
}

// WaitForControlPlane waits until every node and every pod of the control
// plane is Ready.
func (p *Provider) WaitForControlPlane(ctx context.Context, client klient.Client) error {
	driver, err := p.driver()
	if err != nil {
		return err
	}
	all, err := driver.ListInternalNodes(p.name)
	if err != nil {
		return explain(fmt.Errorf("listing the nodes of cluster %q: %w", p.name, err))
	}
	if err := waitReady(ctx, client, all, readyTimeout); err != nil {
		return fmt.Errorf("cluster %q: %w", p.name, err)
	}
	return waitControlPlanePods(ctx, client)
}

// driver returns kind's provider, detecting the engine as kind's own command
// does.
func (p *Provider) driver() (*kind.Provider, error) {
	if p.kind != nil {
		return p.kind, nil
	}
	if p.engine == "" {
		p.engine = os.Getenv("KIND_EXPERIMENTAL_PROVIDER")
	}
	if p.engine == "" {
		var err error
		if p.engine, err = detectEngine(); err != nil {
			return nil, err
		}
	}
	use := (&engine.Engine{Name: p.engine}).Provider()
	p.kind = kind.NewProvider(use, kind.ProviderWithLogger(kindLog{line: p.logf}))
	return p.kind, nil
}

// logf writes a step or a warning of kind's, and how far into the creation it
// came, which shows what a slow boot waited for.
func (p *Provider) logf(format string, args ...any) {
	Options{Name: p.name, Log: p.log}.logf("%4.1f s: %s", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}
