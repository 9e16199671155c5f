package cluster

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

// The test tunes, fills and restores a spare worker, tunes it so that its kubelet can't start, and restarts
// its kubelet. KUBELET is the path of another kubelet to test. KUBELET_REMOTE=1 means that it is older than
// 1.27.
func TestRealTuning(t *testing.T) {
	o := realOptions(t)
	o.Name, o.Subjects, o.Spares = "pc-test-tune", []string{"subject"}, map[string]int{"subject": 2}
	g := NewWithT(t)
	c := NewProvider(o)
	_, err := c.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(c.Destroy(t.Context())).To(Succeed()) }()
	t.Logf("%d nodes in %.1f s", len(c.All), c.Boot.Seconds())
	g.Expect(c.Spares).To(Equal(map[string][]string{"subject": {"pc-test-tune-worker2", "pc-test-tune-worker3"}}))
	spare := c.Spares["subject"][0]
	k := nodes.Kubelet{Path: os.Getenv("KUBELET")}
	if os.Getenv("KUBELET_REMOTE") == "1" {
		k.Args = []string{
			"--container-runtime=remote",
			"--container-runtime-endpoint=unix:///run/containerd/containerd.sock",
		}
	}
	g.Expect(c.PutKubelet(t.Context(), spare, k)).To(Succeed())

	configBefore, err := c.KubeletConfig(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("configz: %s", configBefore)
	fsBefore, err := c.NodeFS(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("file system: %+v", fsBefore)
	gates, err := c.FeatureGates(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("%d feature gates: %v", len(gates), gates)

	// A pod survives all of it.
	no := false
	pause, err := c.Run(t.Context(), spare, time.Minute, `ctr -n k8s.io images ls -q | grep /pause: | head -n 1`)
	g.Expect(err).NotTo(HaveOccurred())
	bystander := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "bystander", Namespace: "default"},
		Spec: corev1.PodSpec{
			NodeName: spare, HostNetwork: true, AutomountServiceAccountToken: &no,
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			// A guaranteed and critical pod: no pressure evicts it.
			PriorityClassName: "system-node-critical",
			Containers: []corev1.Container{
				{
					Name:  "pause",
					Image: pause,
					VolumeMounts: []corev1.VolumeMount{
						{Name: "memory", MountPath: "/memory"},
						{Name: "disk", MountPath: "/disk"},
					},
				},
			},
			Volumes: []corev1.Volume{
				{
					Name: "memory",
					VolumeSource: corev1.VolumeSource{
						EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory},
					},
				},
				{Name: "disk", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
	g.Expect(c.Client.Create(t.Context(), bystander)).To(Succeed())
	container := func() (id string) {
		g.Eventually(func(g Gomega) {
			now := &corev1.Pod{}
			g.Expect(c.Client.Get(t.Context(), bystander.Name, bystander.Namespace, now)).To(Succeed())
			g.Expect(now.Status.ContainerStatuses).To(ConsistOf(HaveField("State.Running", Not(BeNil()))))
			id = now.Status.ContainerStatuses[0].ContainerID
		}, time.Minute, time.Second).Should(Succeed())
		return id
	}
	started := container()
	mounted := func() string {
		const list = `findmnt --raw --noheadings --output TARGET,SOURCE,FSTYPE | grep /var/lib/kubelet || [ $? = 1 ]`
		out, err := c.Run(t.Context(), spare, time.Minute, list)
		g.Expect(err).NotTo(HaveOccurred())
		return out
	}
	mountsBefore := mounted()
	t.Logf("mounts: %s", mountsBefore)

	tuning := nodes.Tuning{
		KubeletConfig: map[string]any{
			"evictionSoft":              map[string]any{"nodefs.inodesFree": "40%"},
			"evictionSoftGracePeriod":   map[string]any{"nodefs.inodesFree": "5s"},
			"evictionMaxPodGracePeriod": 3,
			"evictionHard":              map[string]any{"nodefs.available": "10%"},
		},
		NodeFS: &nodes.NodeFS{SizeMiB: 64, Inodes: 5000},
	}
	began := time.Now()
	restore, err := c.Tune(t.Context(), spare, tuning)
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("tuned in %v", time.Since(began))
	_, err = c.Tune(t.Context(), spare, tuning)
	g.Expect(err).To(MatchError(ContainSubstring("tuned already")))
	config, err := c.KubeletConfig(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	var tuned struct{ EvictionHard, EvictionSoft map[string]string }
	g.Expect(json.Unmarshal(config, &tuned)).To(Succeed())
	g.Expect(tuned.EvictionHard).
		To(And(HaveKeyWithValue("nodefs.available", "10%"), HaveKeyWithValue("imagefs.available", "0%")))
	g.Expect(tuned.EvictionSoft).To(Equal(map[string]string{"nodefs.inodesFree": "40%"}))
	fs, err := c.NodeFS(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("file system: %+v", fs)
	g.Expect(fs.CapacityBytes).To(BeEquivalentTo(64 << 20))
	g.Expect(fs.Inodes).To(BeEquivalentTo(5000))

	// Restoring also ends a pressure, even while a process uses the file system.
	_, err = c.Run(t.Context(), spare, time.Minute, `
mkdir -p /var/lib/kubelet/filler/mounted
cd /var/lib/kubelet/filler
seq 3500 | xargs touch
mount -t tmpfs below mounted
cd mounted
(sleep 120 > /dev/null 2>&1 &)
`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func(g Gomega) {
		node := &corev1.Node{}
		g.Expect(c.Client.Get(t.Context(), spare, "", node)).To(Succeed())
		g.Expect(node.Spec.Taints).To(ConsistOf(HaveField("Key", corev1.TaintNodeDiskPressure)))
	}, time.Minute, time.Second).Should(Succeed())

	t.Logf("mounts: %s", mounted())
	began = time.Now()
	g.Expect(restore(t.Context())).To(Succeed())
	g.Expect(mounted()).To(Equal(mountsBefore))
	g.Expect(container()).To(Equal(started))
	t.Logf("restored in %v", time.Since(began))
	g.Expect(c.NodeFS(t.Context(), spare)).To(Equal(fsBefore))

	// A kubelet ignores an unknown field and ends because of an invalid one.
	began = time.Now()
	_, err = c.Tune(
		t.Context(),
		spare,
		nodes.Tuning{KubeletConfig: map[string]any{"noSuchField": map[string]any{"a": "1m"}}},
	)
	g.Expect(err).To(MatchError(runner.ErrUnsupported))
	t.Logf("after %v: %v", time.Since(began), err)
	began = time.Now()
	_, err = c.Tune(t.Context(), spare, nodes.Tuning{KubeletConfig: map[string]any{"maxPods": -1}})
	g.Expect(err).To(MatchError(ContainSubstring("must not be a negative number")))
	t.Logf("after %v: %v", time.Since(began), err)
	config, err = c.KubeletConfig(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config).To(MatchJSON(configBefore))

	// A killed run restores nothing. The next one does.
	_, err = c.Tune(t.Context(), spare, tuning)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.RestoreAll(t.Context(), []string{spare})).To(Succeed())
	g.Expect(c.RestoreAll(t.Context(), []string{spare})).To(Succeed())

	daemons, err := c.Health(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	for range 2 {
		before := time.Now()
		stopping, started, err := c.RestartKubelet(t.Context(), spare, nil)
		g.Expect(err).NotTo(HaveOccurred())
		after := time.Now()
		g.Expect(c.AwaitKubelet(t.Context(), spare, started)).To(Succeed())
		t.Logf("asked %v, started %v later, returned %v later, Ready %v later", stopping.Sub(before),
			started.Sub(stopping), after.Sub(started), time.Since(after))
		g.Expect(stopping).To(BeTemporally("~", before, after.Sub(before)))
		g.Expect(started).To(BeTemporally(">", stopping))
		again, err := c.Health(t.Context(), spare)
		g.Expect(err).NotTo(HaveOccurred())
		kubelet, runtime, _ := strings.Cut(again, " containerd: ")
		g.Expect(daemons).NotTo(HavePrefix(kubelet))
		g.Expect(daemons).To(HaveSuffix(runtime))
		daemons = again

		lines, err := c.NodeLog(t.Context(), spare, stopping, started.Add(time.Second))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(lines).NotTo(BeEmpty())
		t.Logf("%d lines: %s ... %s", len(lines), lines[0], lines[len(lines)-1])
		some, err := c.NodeLog(
			t.Context(),
			spare,
			stopping,
			started.Add(time.Second),
			"Kubelet version",
			"no such text",
		)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(some).To(HaveLen(1))
		none, err := c.NodeLog(t.Context(), spare, stopping, started, "no such text")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(none).To(BeEmpty())
	}
	for _, daemon := range []string{"kubelet", "containerd"} {
		_, err := c.Health(t.Context(), spare)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = c.Run(t.Context(), spare, time.Minute, `systemctl kill --kill-who main --signal STOP `+daemon)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = c.Health(t.Context(), spare)
		g.Expect(err).To(MatchError(ContainSubstring("its " + daemon + " gives no answer")))
		_, err = c.Run(t.Context(), spare, time.Minute, `systemctl kill --kill-who main --signal CONT `+daemon)
		g.Expect(err).NotTo(HaveOccurred())
	}
	again, err := c.Health(t.Context(), spare)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(daemons))

	g.Expect(container()).To(Equal(started))
	g.Expect(bystander.Status.ContainerStatuses[0].RestartCount).To(BeZero())
}
