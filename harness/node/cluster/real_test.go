package cluster

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/host/engine"
	wire "github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

// realOptions skips a test unless PODCLOCK_E2E=1. The test needs a running container engine, and a node image that
// podclock built in NODE_IMAGE.
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
	c := NewProvider(o)
	_, err := c.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	defer func() {
		o.Keep = false
		g.Expect(NewProvider(o).Destroy(t.Context())).To(Succeed())
		left, err := c.driver.kind.ListNodes(o.Name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(left).To(BeEmpty())
	}()
	t.Logf("%d nodes in %.1f s", len(c.All), c.Boot.Seconds())
	g.Expect(c.Workers).To(HaveLen(2))
	g.Expect(c.ControlPlane).To(Equal("pc-test-real-control-plane"))
	runtimeConfig, err := c.Run(t.Context(), c.Workers["first"], time.Minute, `containerd config dump`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(runtimeConfig).To(MatchRegexp(`stats_collect_period = ['"]1h`), "the patch without a version")
	g.Expect(runtimeConfig).To(ContainSubstring(wire.RuntimeAddress))
	g.Expect(c.Destroy(t.Context())).To(Succeed())

	if o.Host.CgroupV1 { // as runc leaves it if it is killed while it changes a container's devices
		_, err = c.Run(t.Context(), c.Workers["second"], time.Minute,
			`mkdir /sys/fs/cgroup/freezer/held && cd /sys/fs/cgroup/freezer/held
			sleep 1000 >/dev/null 2>&1 & echo $! >cgroup.procs && echo FROZEN >freezer.state`)
		g.Expect(err).NotTo(HaveOccurred())
	}

	c = NewProvider(o)
	_, err = c.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Adopted).To(BeTrue())
	defer func() { g.Expect(c.Destroy(t.Context())).To(Succeed()) }()

	// Another kubelet: the image's own and a byte that changes its hash.
	worker := c.Workers["first"]
	n, err := c.Node(worker)
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(t.TempDir(), "kubelet")
	binary, err := os.Create(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(n.Command("cat", "/usr/bin/kubelet").SetStdout(binary).Run()).To(Succeed())
	_, err = binary.WriteString("x")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(binary.Close()).To(Succeed())
	kubeletPID := func() string {
		node := &corev1.Node{}
		g.Expect(c.Client.Get(t.Context(), worker, "", node)).To(Succeed())
		g.Expect(node.Status.Conditions).To(ContainElement(And(
			HaveField("Type", corev1.NodeReady), HaveField("Status", corev1.ConditionTrue))))
		pid, err := c.Run(t.Context(), worker, time.Minute, `systemctl show --property MainPID --value kubelet`)
		g.Expect(err).NotTo(HaveOccurred())
		return pid
	}
	before := kubeletPID()
	g.Expect(c.PutKubelet(t.Context(), worker, nodes.Kubelet{Path: path, Args: []string{"--v=3"}})).To(Succeed())
	changed := kubeletPID()
	g.Expect(changed).NotTo(Equal(before))
	g.Expect(c.PutKubelet(t.Context(), worker, nodes.Kubelet{Path: path, Args: []string{"--v=3"}})).To(Succeed())
	g.Expect(kubeletPID()).To(Equal(changed), "it runs that kubelet already")
	arguments, err := c.Run(t.Context(), worker, time.Minute, `tr '\0' ' ' < /proc/`+changed+`/cmdline`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(arguments).To(HaveSuffix(" --v=3"))

	g.Expect(c.PutKubelet(t.Context(), worker, nodes.Kubelet{})).To(Succeed())
	hash := `sha256sum < /usr/bin/kubelet; sha256sum < /usr/bin/kubelet.image`
	hashes, err := c.Run(t.Context(), worker, time.Minute, hash)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(hashes[:64]).To(Equal(hashes[len(hashes)-67 : len(hashes)-3]))

	logs := t.TempDir()
	g.Expect(c.ExportLogs(t.Context(), logs)).To(Succeed())
	g.Expect(filepath.Join(logs, worker, "kubelet.log")).To(BeAnExistingFile())
}
