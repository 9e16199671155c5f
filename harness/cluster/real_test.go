package cluster

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/podclock/podclock/harness/engine"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"
	kind "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/yaml"
)

// realOptions skips a test unless PODCLOCK_E2E=1, for which the container
// engine must run and NODE_IMAGE be a node image that podclock built.
func realOptions(t *testing.T) Options {
	if os.Getenv("PODCLOCK_E2E") != "1" {
		t.Skip("needs a container engine and a node image: set PODCLOCK_E2E=1 and NODE_IMAGE")
	}
	host, err := engine.InspectHost()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Name: "pc-test-real", ConfigPath: baseConfig, Subjects: []string{"first", "second"},
		NodeImage: os.Getenv("NODE_IMAGE"), OfflineImage: true, Host: host,
		CacheDir: t.TempDir(), Log: t.Output(),
	}
}

func TestRealLifeOfACluster(t *testing.T) {
	o := realOptions(t)
	g := NewWithT(t)
	o.Keep = true
	c, err := Up(t.Context(), o)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() {
		g.Expect(Down(t.Context(), o)).To(Succeed())
		left, err := c.provider.kind.ListNodes(o.Name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(left).To(BeEmpty())
	}()
	t.Logf("%d nodes in %.1f s", len(c.nodes), c.Boot.Seconds())
	g.Expect(c.Workers).To(HaveLen(2))
	g.Expect(c.ControlPlane).To(Equal("pc-test-real-control-plane"))
	g.Expect(c.Close(t.Context())).To(Succeed())

	c, err = Up(t.Context(), o)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Adopted).To(BeTrue())
	defer func() { g.Expect(c.Close(t.Context())).To(Succeed()) }()

	// Another kubelet: the image's own and a byte that changes its hash.
	worker := c.Workers["first"]
	n, err := c.Node(worker)
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(t.TempDir(), "kubelet")
	binary, err := os.Create(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(n.Command("cat", kubeletPath).SetStdout(binary).Run()).To(Succeed())
	_, err = binary.WriteString("x")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(binary.Close()).To(Succeed())
	kubeletPID := func() string {
		node := &corev1.Node{}
		g.Expect(c.Client.Resources().Get(t.Context(), worker, "", node)).To(Succeed())
		g.Expect(whyNotReady(node)).To(BeEmpty())
		pid, err := runScript(t.Context(), n, commandTimeout, nil, `systemctl show --property MainPID --value kubelet`)
		g.Expect(err).NotTo(HaveOccurred())
		return pid
	}
	before := kubeletPID()
	g.Expect(c.PutKubelet(t.Context(), worker, Kubelet{Path: path, Args: []string{"--v=3"}})).To(Succeed())
	changed := kubeletPID()
	g.Expect(changed).NotTo(Equal(before))
	g.Expect(c.PutKubelet(t.Context(), worker, Kubelet{Path: path, Args: []string{"--v=3"}})).To(Succeed())
	g.Expect(kubeletPID()).To(Equal(changed), "it runs that kubelet already")
	arguments, err := runScript(t.Context(), n, commandTimeout, nil, `tr '\0' ' ' < /proc/$1/cmdline`, changed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(arguments).To(HaveSuffix(" --v=3"))

	g.Expect(c.PutKubelet(t.Context(), worker, Kubelet{})).To(Succeed())
	hashes, err := runScript(
		t.Context(),
		n,
		commandTimeout,
		nil,
		`sha256sum < `+kubeletPath+`; sha256sum < `+imageKubeletPath,
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(hashes[:64]).To(Equal(hashes[len(hashes)-67 : len(hashes)-3]))
}

// The provider as a user of e2e-framework meets it, but for the pod network,
// which the published node images bring with them.
func TestRealProviderInTheE2EFramework(t *testing.T) {
	o := realOptions(t)
	g := NewWithT(t)
	plan, err := o.plan()
	g.Expect(err).NotTo(HaveOccurred())
	raw, err := yaml.Marshal(plan.config)
	g.Expect(err).NotTo(HaveOccurred())
	config := filepath.Join(t.TempDir(), "kind.yaml")
	g.Expect(os.WriteFile(config, raw, 0o644)).To(Succeed())

	p := NewProvider()
	p.WithName("pc-test-alone").
		WithOpts(WithEngine("docker"), WithLog(t.Output()), WithKubeconfig(filepath.Join(t.TempDir(), "kubeconfig")))
	kubeconfig, err := p.CreateWithConfig(t.Context(), config)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() {
		g.Expect(p.Destroy(t.Context())).To(Succeed())
		g.Expect(kind.NewProvider(kind.ProviderWithDocker()).ListNodes("pc-test-alone")).To(BeEmpty())
		g.Expect(kubeconfig).NotTo(BeAnExistingFile())
	}()
	client, err := klient.NewWithKubeConfigFile(kubeconfig)
	g.Expect(err).NotTo(HaveOccurred())
	all, err := p.kind.ListInternalNodes(p.name)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(setUpNetwork(t.Context(), client, all, registerTimeout)).To(Succeed())

	// What e2e-framework's envfuncs do with a provider. The cluster exists now,
	// so creating it means to adopt it.
	var provider support.E2EClusterProviderWithImageLoader = p
	adopted, err := provider.SetDefaults().WithName("pc-test-alone").Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(adopted).To(Equal(kubeconfig))
	g.Expect(provider.WaitForControlPlane(t.Context(), client)).To(Succeed())
	g.Expect(provider.GetKubectlContext()).To(Equal("kind-pc-test-alone"))
	g.Expect(provider.LoadImage(t.Context(), o.NodeImage+"-none")).
		To(MatchError(ContainSubstring("reference does not exist")))

	logs := t.TempDir()
	g.Expect(provider.ExportLogs(t.Context(), logs)).To(Succeed())
	g.Expect(filepath.Join(logs, "pc-test-alone-worker2", "kubelet.log")).To(BeAnExistingFile())
}
