package kubelet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/prober"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/probe"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/kubernetes/pkg/volume/util/subpath"
	"k8s.io/mount-utils"

	"github.com/podclock/podclock/harness/virtual/_node/api"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
	"github.com/podclock/podclock/harness/virtual/_node/machine"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// Surroundings are the parts of a kubelet's node.
type Surroundings struct {
	Runtime *cri.Runtime
	API     *api.Server
	Machine *machine.Machine
	// Root is the host's folder for the kubelet's files. A restarted kubelet finds them there.
	Root string
}

// Kubelet is one run of the kubelet.
type Kubelet struct {
	Facts wire.Kubelet

	runtime *cri.Connection
	api     *api.Connection
	network *network
	// closed at the kubelet's death to end its loops
	never chan struct{}
	// shutdown announces the node's shutdown.
	shutdown chan bool
	dead     bool
	cancel   context.CancelFunc
	events   record.EventBroadcaster
}

// Start starts a kubelet with merge patches of its version's configuration.
func Start(s Surroundings, patches ...map[string]any) (started *Kubelet, err error) {
	if err := os.MkdirAll(manifests(s.Root), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of static pods: %w", err)
	}
	patches = append([]map[string]any{{"staticPodPath": manifests(s.Root)}}, patches...)
	given, err := merged([]byte("{}"), patches...)
	if err != nil {
		return nil, fmt.Errorf("the node's configuration: %w", err)
	}
	config, text, err := configure(patches...)
	if err != nil {
		return nil, fmt.Errorf("the kubelet's configuration: %w", err)
	}
	k := &Kubelet{
		Facts:   wire.Kubelet{Version: version.Get().GitVersion, Gates: gates(), Configuration: text, Given: given},
		runtime: s.Runtime.Connect(cri.RequestTimeout(config.RuntimeRequestTimeout.Duration)),
		api:     s.API.Connect(), network: newNetwork(s.Runtime.Dial), never: make(chan struct{}),
		shutdown: make(chan bool, 1),
	}
	wait.NeverStop = k.never
	probe.Dial = k.network.dial
	prober.ProberResults.Reset()

	var ctx context.Context
	ctx, k.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			k.Kill()
		}
	}()
	dependencies, err := k.dependencies(ctx, s, config)
	if err != nil {
		return nil, err
	}
	watchFiles(ctx, config, dependencies.PodConfig)
	watchPods(ctx, k.api.Client(), sender(ctx, dependencies.PodConfig), k.never)
	arguments := arguments{
		ctx, config, dependencies, options.NewKubeletFlags(), wire.NodeName,
		filepath.Join(s.Root, "pki"), s.Root, filepath.Join(s.Root, "logs"),
	}
	kl, err := arguments.kubelet()
	if err != nil {
		return nil, fmt.Errorf("make the kubelet: %w", err)
	}
	if err := hooksDial(kl, k.network.dial); err != nil {
		return nil, err
	}
	if err := mortal(kl, k.never); err != nil {
		return nil, err
	}
	if err := announcing(kl, k.shutdown); err != nil {
		return nil, err
	}
	if err := relistsAfterSync(kl); err != nil {
		return nil, err
	}
	kl.BirthCry()
	start(ctx, kl, dependencies.PodConfig.Updates())
	return k, nil
}

func (k *Kubelet) dependencies(
	ctx context.Context, s Surroundings, config *kubeletconfig.KubeletConfiguration,
) (*kubelet.Dependencies, error) {
	client := k.api.Client()
	k.events = record.NewBroadcaster(record.WithContext(ctx))
	recorder := k.events.NewRecorder(legacyscheme.Scheme, corev1.EventSource{Component: "kubelet", Host: wire.NodeName})
	k.events.StartRecordingToSink(newSink(client))
	var plugins []volume.VolumePlugin
	plugins = append(plugins, emptydir.ProbeVolumePlugins()...)
	plugins = append(plugins, secret.ProbeVolumePlugins()...)
	plugins = append(plugins, configmap.ProbeVolumePlugins()...)
	plugins = append(plugins, projected.ProbeVolumePlugins()...)
	d := &kubelet.Dependencies{
		KubeClient: client, HeartbeatClient: client, EventClient: client.CoreV1(), Recorder: recorder,
		RemoteRuntimeService: k.runtime, RemoteImageService: k.runtime,
		CAdvisorInterface: s.Machine.Cadvisor(), ContainerManager: s.Machine.ContainerManager(),
		OSInterface: &files{root: s.Root}, OOMAdjuster: oom.NewFakeOOMAdjuster(), Mounter: mount.NewFakeMounter(nil),
		Subpather: &subpath.FakeSubpath{}, HostUtil: hostutil.NewFakeHostUtil(nil), VolumePlugins: plugins,
		PodStartupLatencyTracker:  kubeletutil.NewPodStartupLatencyTracker(),
		NodeStartupLatencyTracker: newNodeTracker(),
		TracerProvider:            trace.NewNoopTracerProvider(),
	}
	d.PodConfig = newPodConfig(recorder, d.PodStartupLatencyTracker)
	return d, nil
}

// ShutDown announces the node's shutdown once.
func (k *Kubelet) ShutDown() { k.shutdown <- true }

var errKilled = errors.New("the kubelet was killed")

// Kill ends the kubelet as SIGKILL would, although some of its goroutines remain. It may be repeated.
func (k *Kubelet) Kill() {
	if k.dead {
		return
	}
	k.dead = true
	close(k.never) // before the connections end, which a probe could take for an answer
	fsnotify.Forget()
	k.runtime.Sever()
	k.api.Sever()
	k.network.sever()
	k.cancel()
	if k.events != nil {
		k.events.Shutdown()
	}
}

type network struct {
	dialer func(ctx context.Context, network, address string) (net.Conn, error)

	mu      sync.Mutex
	severed bool
	open    []net.Conn
}

func newNetwork(dialer func(ctx context.Context, network, address string) (net.Conn, error)) *network {
	return &network{dialer: dialer}
}

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	if n.isSevered() {
		return nil, errKilled
	}
	conn, err := n.dialer(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.open = append(n.open, conn)
	n.mu.Unlock()
	if n.isSevered() {
		_ = conn.Close()
		return nil, errKilled
	}
	return conn, nil
}

func (n *network) isSevered() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.severed
}

func (n *network) sever() {
	n.mu.Lock()
	open := n.open
	n.severed, n.open = true, nil
	n.mu.Unlock()
	for _, conn := range open {
		_ = conn.Close()
	}
}

// Prepare makes the channels of the bubble that the kubelet's packages use: a select on any other stops virtual
// time. It must come first.
func Prepare() {
	wait.NeverStop = make(chan struct{})
	fsnotify.Forget()
	neverExitWatches()
}

// Node returns the virtual node, which exists before its kubelet.
func Node() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:              wire.NodeName,
		UID:               types.UID(wire.NodeName),
		CreationTimestamp: metav1.NewTime(time.Now()),
		Labels: map[string]string{
			corev1.LabelHostname:   wire.NodeName,
			corev1.LabelOSStable:   "linux",
			corev1.LabelArchStable: "amd64",
		},
	}}
}
