package cluster

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/e2e-framework/support"
)

func TestAProviderWithoutAClusterNamesTheNextStep(t *testing.T) {
	g := NewWithT(t)
	dir, o := fakeDocker(t)
	c := NewProvider(o)
	g.Expect(c.GetKubeconfig()).To(BeEmpty())
	g.Expect(c.KubernetesRestConfig()).To(BeNil())
	g.Expect(c.GetKubectlContext()).To(Equal("kind-a"))
	first := MatchError(ContainSubstring("call Create first"))
	g.Expect(c.LoadImage(t.Context(), "image")).To(first)
	g.Expect(c.LoadImageArchive(t.Context(), "archive")).To(first)
	g.Expect(c.StopNode(t.Context(), &support.Node{Name: "a-worker"})).To(first)
	g.Expect(c.StartNode(t.Context(), &support.Node{Name: "a-worker"})).To(first)
	g.Expect(c.ExportLogs(t.Context(), dir)).To(first)
	g.Expect(c.WaitForControlPlane(t.Context(), nil)).To(first)
	_, err := c.ListNode(t.Context())
	g.Expect(err).To(first)
	_, err = c.GenerateKubeconfig()
	g.Expect(err).To(first)
	_, err = c.Create(t.Context(), "--image=other")
	g.Expect(err).To(MatchError(And(ContainSubstring("--image=other"), ContainSubstring("cluster.Options"))))
}

func TestAProviderIsConfigured(t *testing.T) {
	g := NewWithT(t)
	o := Options{NodeImage: "built", OfflineImage: true}
	c := NewProvider(o)
	c.SetDefaults().WithName("mine").WithVersion("v1.36.1").WithPath("podman").
		WithOpts(func(c support.E2EClusterProvider) { c.WithName("ours") })
	g.Expect(c.options.Name).To(Equal("ours"))
	g.Expect(c.options.NodeImage).To(Equal("kindest/node:v1.36.1"))
	g.Expect(c.options.OfflineImage).To(BeFalse())
	g.Expect(c.options.Engine).To(Equal("podman"))
	g.Expect(c.options.Subjects).To(HaveLen(1), "a cluster needs a worker")

	_, err := c.Create(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("no kind configuration")))
	c.WithPath("/usr/bin/docker")
	_, err = c.CreateWithConfig(t.Context(), baseConfig)
	g.Expect(err).To(MatchError(ContainSubstring("can't drive container engine")))
}

// A second Destroy is harmless, and what is kept needs another provider to be deleted.
func TestWhatIsKeptStays(t *testing.T) {
	g := NewWithT(t)
	dir, o := fakeDocker(t)
	node := filepath.Join(dir, "nodes", "a-control-plane")
	g.Expect(os.MkdirAll(filepath.Dir(node), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(node, []byte("/kind/podclock/ours\n"), 0o644)).To(Succeed())
	b, err := openBooks(filepath.Join(o.CacheDir, "clusters"), o.Name)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.write(&record{Name: "a", Engine: "docker", Mark: "ours", Kept: true})).To(Succeed())
	g.Expect(NewProvider(o).CheckName(t.Context())).To(BeAssignableToTypeOf(&busyError{}), "while a run uses it")
	g.Expect(b.close()).To(Succeed())
	o.Keep = true
	g.Expect(NewProvider(o).Destroy(t.Context())).To(Succeed())
	g.Expect(containers(dir)).To(ConsistOf(node))
	o.Keep = false
	c := NewProvider(o)
	g.Expect(c.CheckName(t.Context())).To(Succeed())
	g.Expect(c.Destroy(t.Context())).To(Succeed())
	g.Expect(c.Destroy(t.Context())).To(Succeed())
	g.Expect(containers(dir)).To(BeEmpty())
}
