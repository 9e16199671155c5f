//go:build kubelet1_37

package machine_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/record"
	internalapi "k8s.io/cri-api/pkg/apis"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	kubetypes "k8s.io/kubelet/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	serverstats "k8s.io/kubernetes/pkg/kubelet/server/stats"
	"k8s.io/kubernetes/pkg/kubelet/stats"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/utils/clock"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
	"github.com/podclock/podclock/harness/virtual/_node/machine"
)

// host is a machine with pods, the statistics of the kubelet's eviction manager about them, and its evictions with
// their times.
type host struct {
	machine *machine.Machine
	root    string

	mu         sync.Mutex
	pods       map[string]*corev1.Pod
	containers map[string]cri.Container
	evicted    []string
	at         []time.Time
	graces     []int64
	ended      bool
	manager    eviction.Manager
}

// end ends the endless loops of the eviction manager and of the measuring of volumes when they ask for pods next.
func (h *host) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
}

// boot starts the eviction manager of a kubelet. Pods must be added before.
func boot(t *testing.T, o machine.Options, thresholds []map[string]string, maxGrace int64, pods ...*pod) *host {
	g := NewWithT(t)
	h := &host{root: t.TempDir(), pods: map[string]*corev1.Pod{}, containers: map[string]cri.Container{}}
	o.Root, o.Containers = h.root, h.running
	h.machine = machine.New(o)
	for _, p := range pods {
		h.add(p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	// The package's own channel was made outside of the bubble: a select on it would stop virtual time.
	wait.NeverStop = make(chan struct{})
	t.Cleanup(func() {
		cancel()
		h.end()
		time.Sleep(time.Minute)
	})
	provider := &provider{host: h, manager: h.machine.ContainerManager()}
	// Volumes are measured between any two checks, so that the ranking uses the same data as the threshold.
	analyzer := serverstats.NewResourceAnalyzer(ctx, provider, 2*time.Second, &record.FakeRecorder{})
	hosts := stats.NewHostStatsProvider(kubecontainer.RealOS{},
		func(types.UID) string { return filepath.Join(h.root, "none") }, filepath.Join(h.root, "logs"))
	provider.Provider = stats.NewCRIStatsProvider(h.machine.Cadvisor(), analyzer, nil, remote{host: h}, images{},
		hosts, false, true, nil)
	analyzer.Start(ctx)
	parsed, err := eviction.ParseThresholdConfig(nil, thresholds[0], thresholds[1], thresholds[2], nil)
	g.Expect(err).NotTo(HaveOccurred())
	config := eviction.Config{
		Thresholds:               parsed,
		MaxPodGracePeriodSeconds: maxGrace,
		PressureTransitionPeriod: time.Minute,
	}
	h.manager, _ = eviction.NewManager(serverstats.NewSummaryProvider(ctx, provider), config, h.kill, nothing{},
		nothing{}, &record.FakeRecorder{}, &corev1.ObjectReference{}, clock.RealClock{}, true)
	h.manager.Start(ctx, provider, h.active, func(p *corev1.Pod) bool { return !slices.Contains(h.active(), p) },
		10*time.Second)
	return h
}

// pod is a pod of one container.
type pod struct {
	name             string
	ballast          int
	priority         int32
	requests, limits corev1.ResourceList
	volumeLimit      string
	grace            int64
}

func (h *host) add(p *pod) {
	uid := "0000-" + p.name
	dir := filepath.Join(h.root, "pods", uid, "data")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	object := &corev1.Pod{}
	object.Name, object.Namespace, object.UID = p.name, "ns", types.UID(uid)
	object.Spec.Priority, object.Spec.TerminationGracePeriodSeconds = &p.priority, &p.grace
	object.Spec.Containers = []corev1.Container{
		{Name: "c", Resources: corev1.ResourceRequirements{Requests: p.requests, Limits: p.limits}},
	}
	source := &corev1.EmptyDirVolumeSource{}
	if p.volumeLimit != "" {
		limit := resource.MustParse(p.volumeLimit)
		source.SizeLimit = &limit
	}
	object.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: source}}}
	labels := map[string]string{
		kubetypes.KubernetesPodNameLabel:       p.name,
		kubetypes.KubernetesPodNamespaceLabel:  "ns",
		kubetypes.KubernetesPodUIDLabel:        uid,
		kubetypes.KubernetesContainerNameLabel: "c",
	}
	h.pods[p.name] = object
	h.containers[p.name] = cri.Container{
		ID:           "container-of-" + p.name,
		Name:         "c",
		PodUID:       uid,
		PodName:      p.name,
		PodNamespace: "ns",
		Labels:       labels,
		Running:      true,
		Ballast:      p.ballast,
		SandboxID:    "sandbox-of-" + p.name,
		CreatedAt:    time.Now(),
		Mounts:       map[string]string{"/data": dir},
	}
}

// kill ends a pod in two seconds, as the kubelet does.
func (h *host) kill(p *corev1.Pod, _ bool, grace *int64, _ func(*corev1.PodStatus)) error {
	h.mu.Lock()
	h.evicted, h.at, h.graces = append(h.evicted, p.Name), append(h.at, time.Now()), append(h.graces, *grace)
	h.mu.Unlock()
	time.Sleep(2 * time.Second)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pods, p.Name)
	delete(h.containers, p.Name)
	return os.RemoveAll(filepath.Join(h.root, "pods", string(p.UID)))
}

func (h *host) active() []*corev1.Pod {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		runtime.Goexit()
	}
	return slices.Collect(maps.Values(h.pods))
}

func (h *host) running() []cri.Container {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.containers))
}

// provider is the kubelet's part of its summary that is not measured.
type provider struct {
	*stats.Provider
	host    *host
	manager cm.ContainerManager
}

func (p *provider) GetNode(context.Context) (*corev1.Node, error) { return &corev1.Node{}, nil }
func (p *provider) GetNodeConfig() cm.NodeConfig                  { return p.manager.GetNodeConfig() }
func (p *provider) GetPodCgroupRoot() string                      { return p.manager.GetPodCgroupRoot() }
func (p *provider) GetPods() []*corev1.Pod                        { return p.host.active() }
func (p *provider) GetPodByName(string, string) (*corev1.Pod, bool) {
	return nil, false
}

func (p *provider) GetRequestedContainersInfo(
	string, cadvisor.RequestOptions,
) (map[string]*cadvisor.RequestedInfo, error) {
	return nil, nil
}
func (p *provider) GetPodByCgroupfs(string) (*corev1.Pod, bool) { return nil, false }
func (p *provider) ListBlockVolumesForPod(types.UID) (map[string]volume.BlockVolume, bool) {
	return nil, false
}

func (p *provider) ListVolumesForPod(uid types.UID) (map[string]volume.Volume, bool) {
	p.host.active()
	return map[string]volume.Volume{
		"data": folder{volume.NewMetricsDu(filepath.Join(p.host.root, "pods", string(uid), "data"))},
	}, true
}

type folder struct{ volume.MetricsProvider }

func (folder) GetPath() string { return "" }

// remote is the runtime for the kubelet's statistics.
type remote struct {
	internalapi.RuntimeService
	host *host
}

func (r remote) ListContainers(context.Context, *criapi.ContainerFilter) (all []*criapi.Container, _ error) {
	for _, c := range r.host.running() {
		all = append(all, &criapi.Container{
			Id:           c.ID,
			PodSandboxId: c.SandboxID,
			Metadata:     &criapi.ContainerMetadata{Name: c.Name},
			Labels:       c.Labels,
			State:        criapi.ContainerState_CONTAINER_RUNNING,
			CreatedAt:    c.CreatedAt.UnixNano(),
		})
	}
	return all, nil
}

func (r remote) ListPodSandbox(context.Context, *criapi.PodSandboxFilter) (all []*criapi.PodSandbox, _ error) {
	for _, c := range r.host.running() {
		all = append(all, &criapi.PodSandbox{
			Id:        c.SandboxID,
			Metadata:  &criapi.PodSandboxMetadata{Name: c.PodName, Namespace: c.PodNamespace, Uid: c.PodUID},
			CreatedAt: c.CreatedAt.UnixNano(),
		})
	}
	return all, nil
}

func (r remote) ListContainerStats(
	context.Context, *criapi.ContainerStatsFilter,
) (all []*criapi.ContainerStats, _ error) {
	for _, c := range r.host.running() {
		measured := r.host.machine.Stats(c)
		measured.Attributes = &criapi.ContainerAttributes{
			Id:       c.ID,
			Metadata: &criapi.ContainerMetadata{Name: c.Name},
		}
		all = append(all, measured)
	}
	return all, nil
}

type images struct {
	internalapi.ImageManagerService
}

func (images) ImageFsInfo(context.Context) (*criapi.ImageFsInfoResponse, error) {
	usage := []*criapi.FilesystemUsage{
		{
			Timestamp: time.Now().
				UnixNano(),
			FsId:      &criapi.FilesystemIdentifier{Mountpoint: "/var/lib/containerd"},
			UsedBytes: &criapi.UInt64Value{},
		},
	}
	return &criapi.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
}

// nothing is an empty garbage collection.
type nothing struct{}

func (nothing) DeleteUnusedImages(context.Context) error        { return nil }
func (nothing) DeleteAllUnusedContainers(context.Context) error { return nil }

func hard(signal, value string) []map[string]string {
	return []map[string]string{{signal: value}, nil, nil}
}

func soft(signal, value, grace string) []map[string]string {
	return []map[string]string{nil, {signal: value}, {signal: grace}}
}

func quantity(name corev1.ResourceName, value string) corev1.ResourceList {
	return corev1.ResourceList{name: resource.MustParse(value)}
}

func (h *host) fill(g *WithT, name string, run victim.Run) time.Time {
	g.Expect(h.machine.Fill(h.containers[name], run)).To(Succeed())
	return time.Now()
}
