// Package example is a suite of e2e-framework on a cluster of podclock's provider, as users of both write one.
package example

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/podclock/podclock/harness/node/cluster"
)

const (
	name   = "pc-example"
	config = "../../../../kind-config.yaml"
)

var (
	suite = env.NewWithConfig(envconf.New())
	here  *host
)

// With PODCLOCK_E2E=1 and a node image that podclock built in NODE_IMAGE, the suite boots a cluster. Otherwise it uses
// a fake container engine.
func TestMain(m *testing.M) {
	var err error
	if here, err = prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	suite.Setup(
		envfuncs.CreateClusterWithConfig(cluster.NewProvider(here.options), name, config),
		envfuncs.CreateNamespace("example"),
		envfuncs.LoadImageArchiveToCluster(name, here.archive),
		envfuncs.LoadImageToCluster(name, image),
	)
	suite.Finish(
		envfuncs.DeleteNamespace("example"),
		envfuncs.ExportClusterLogs(name, filepath.Join(here.folder, "logs")),
		envfuncs.DestroyCluster(name),
		here.check,
	)
	os.Exit(max(suite.Run(m), here.failed))
}

func TestTheWorkerHasTheImages(t *testing.T) {
	g := NewWithT(t)
	has, err := docker("exec", name+"-worker", "ctr", "--namespace", "k8s.io", "images", "list", "--quiet")
	g.Expect(err).NotTo(HaveOccurred())
	for _, ref := range here.refs {
		g.Expect(strings.Fields(has)).To(ContainElement(ref))
	}
}

func TestAWorkerStopsAndComesBack(t *testing.T) {
	g := NewWithT(t)
	worker := &support.Node{Name: name + "-worker", Cluster: name}
	do := func(action support.NodeOperation) features.Func {
		return func(ctx context.Context, _ *testing.T, cfg *envconf.Config) context.Context {
			ctx, err := envfuncs.PerformNodeOperation(name, action, worker)(ctx, cfg)
			g.Expect(err).NotTo(HaveOccurred())
			return ctx
		}
	}
	is := func(state string) features.Func {
		return func(ctx context.Context, _ *testing.T, _ *envconf.Config) context.Context {
			provider, _ := envfuncs.GetClusterFromContext(ctx, name)
			nodes, err := provider.(support.E2EClusterProviderWithLifeCycle).ListNode(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(nodes).To(ConsistOf(
				And(HaveField("Name", name+"-control-plane"), HaveField("Role", "control-plane"),
					HaveField("State", "running")),
				And(HaveField("Name", worker.Name), HaveField("Role", "worker"), HaveField("State", state)),
			))
			return ctx
		}
	}
	suite.Test(t, features.New("a worker").
		Assess("runs", is("running")).
		Assess("stops", do(support.StopNode)).
		Assess("is down", is("exited")).
		Assess("starts", do(support.StartNode)).
		Assess("is up", is("running")).
		Feature())
}

func TestTheControlPlaneStays(t *testing.T) {
	g := NewWithT(t)
	suite.Test(t, features.New("nodes").Assess("kind can't change", func(
		ctx context.Context, _ *testing.T, cfg *envconf.Config,
	) context.Context {
		for action, remedy := range map[support.NodeOperation]string{
			support.StopNode:   "choose a worker of [" + name + "-worker]",
			support.AddNode:    "name more Subjects or Spares",
			support.RemoveNode: "stop the node instead",
		} {
			node := &support.Node{Name: name + "-control-plane", Cluster: name}
			_, err := envfuncs.PerformNodeOperation(name, action, node)(ctx, cfg)
			g.Expect(err).To(MatchError(ContainSubstring(remedy)), string(action))
		}
		return ctx
	}).Feature())
}

// The provider touches no cluster that it did not create.
func TestAClusterOfOthersIsRefused(t *testing.T) {
	g := NewWithT(t)
	node := theirs + "-control-plane"
	_, err := docker("create", "--name", node, "--label", "io.x-k8s.kind.cluster="+theirs,
		"--label", "io.x-k8s.kind.role=control-plane", nodeImage())
	g.Expect(err).NotTo(HaveOccurred())
	defer func() {
		_, err := docker("rm", "-f", "-v", node)
		g.Expect(err).NotTo(HaveOccurred())
	}()
	provider := cluster.NewProvider(cluster.Options{CacheDir: t.TempDir()})
	_, err = envfuncs.CreateClusterWithConfig(provider, theirs, config)(t.Context(), envconf.New())
	refusal := MatchError(And(HavePrefix(`cluster "pc-theirs": podclock did not create it`),
		ContainSubstring("choose another name"), Not(ContainSubstring("\n"))))
	g.Expect(err).To(refusal)
	g.Expect(provider.CheckName(t.Context())).To(refusal)
	g.Expect(provider.Destroy(t.Context())).To(refusal)
}
