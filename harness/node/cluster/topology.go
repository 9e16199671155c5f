package cluster

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	wire "github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/images/node"
)

const (
	// SubjectLabel is on the worker that all trials of a subject share. Its value is the subject.
	SubjectLabel = "podclock.dev/subject"
	// SpareLabel is on the subject's spare workers.
	SpareLabel = "podclock.dev/spare"
)

// kubeletBase is the part of the kubelet configuration that every node gets. maxPods is more than a run starts at once
// and fits a /24 pod CIDR. The rate limits are the defaults since 1.27; older ones delay status updates by seconds.
//
// The two periods shorten evictions: volumeStatsAggPeriod adds up to 100 % jitter to the detection of a full emptyDir.
// Verbosity 2 logs every kill with its grace period.
const kubeletBase = `kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
maxPods: 250
kubeAPIQPS: 50
kubeAPIBurst: 100
eventRecordQPS: 50
eventBurst: 100
evictionPressureTransitionPeriod: 10s
volumeStatsAggPeriod: 10s
logging:
  verbosity: 2
`

// kubeletCgroupV1 lets kubelets since 1.35 start on cgroup v1, which they refuse by default (KEP-5573).
const kubeletCgroupV1 = `kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
failCgroupV1: false
`

// containerdReduced stops containerd from lowering a sandbox's oom_score_adj, which needs CAP_SYS_RESOURCE. kind
// applies the patch with the version of the image's configuration.
var containerdReduced = []string{`version = 2
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
`, `version = 3
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
`}

// containerdMetrics makes containerd answer HTTP, so the recorder can ask it.
var containerdMetrics = []string{
	fmt.Sprintf("version = 2\n[metrics]\n  address = %q\n", wire.RuntimeAddress),
	fmt.Sprintf("version = 3\n[metrics]\n  address = %q\n", wire.RuntimeAddress),
}

// containerdUncounted keeps containerd 2.3 from reading the CPU time of every container and sandbox each second, for
// statistics that the kubelet does not ask for. With cgroup v1, that took a sixth of containerd's own CPU time. Older
// ones ignore it. It has no version, because the setting has this name in a configuration of version 2, too.
const containerdUncounted = `[plugins."io.containerd.cri.v1.runtime"]
  stats_collect_period = "1h"
`

// skipAddons omits what an offline image has no images of. A merge patch replaces a list, so it repeats kind's entries.
const skipAddons = `kind: InitConfiguration
skipPhases:
  - preflight
  - addon/kube-proxy
  - addon/coredns
`

// lightEtcd reports the progress of each watch every ten minutes instead of every 5 s, for which kubeadm asks. An API
// server that needs it sooner asks for it. An idle cluster of two nodes takes 10.9 % of a core instead of 12.3 %.
const lightEtcd = `kind: ClusterConfiguration
apiVersion: kubeadm.k8s.io/v1beta4
etcd: {local: {extraArgs: [{name: watch-progress-notify-interval, value: 10m}]}}
`

// patched applies the patches that podclock's own image has.
const patched = `kind: InitConfiguration
patches: {directory: ` + node.KubeadmPatches + `}
`

// newFields makes the API server keep the fields of alpha features that trials use. Each kubelet has its own gates.
var newFields = v1alpha4.PatchJSON6902{
	Group: "kubeadm.k8s.io", Version: "v1beta4", Kind: "ClusterConfiguration",
	Patch: `- {op: add, path: /apiServer/extraArgs/-, value: {name: feature-gates, value: "ContainerStopSignals=true,` +
		`GRPCContainerProbeTLS=true,H2CContainerProbe=true"}}
`,
}

// lightControlPlane makes a control plane ready sooner and less busy. The controller manager starts its controllers
// without leader election and its default of 20 requests a second: 3 nodes are Ready in 12 s instead of 23 s. The
// scheduler elects no leader either: on a slow host it renews its lease late, and then restarts. Each probe of a
// component is a TLS handshake, which costs less with ECDSA keys. No controller attaches volumes, because no pod of
// podclock has one to attach. kind writes kubeadm's v1beta4 since Kubernetes 1.36. An older control plane ignores the
// patch.
func lightControlPlane(cfg *v1alpha4.Cluster) v1alpha4.PatchJSON6902 {
	alone := `{name: leader-elect, value: "false"}`
	scheduler := "/scheduler/extraArgs, value: [" + alone + "]"
	if len(cfg.FeatureGates) > 0 || cfg.Networking.IPFamily == v1alpha4.IPv6Family { // then kind has made the list
		scheduler = "/scheduler/extraArgs/-, value: " + alone
	}
	return v1alpha4.PatchJSON6902{
		Group: "kubeadm.k8s.io", Version: "v1beta4", Kind: "ClusterConfiguration",
		Patch: `- {op: add, path: /encryptionAlgorithm, value: ECDSA-P256}
- {op: add, path: ` + scheduler + `}
- {op: add, path: /controllerManager/extraArgs/-, value: ` + alone + `}
- op: add
  path: /controllerManager/extraArgs/-
  value: {name: controllers, value: "*,bootstrapsigner,tokencleaner,-persistentvolume-attach-detach-controller"}
- {op: add, path: /controllerManager/extraArgs/-, value: {name: kube-api-qps, value: "100"}}
- {op: add, path: /controllerManager/extraArgs/-, value: {name: kube-api-burst, value: "200"}}
`}
}

// kubeadmLimits are longer than podclock's own limits, which bound the boot and say what it waits for. A host without
// hardware acceleration needs minutes where kubeadm allows one.
func kubeadmLimits() (all []v1alpha4.PatchJSON6902) {
	add := func(version, kind, path, value string) {
		all = append(all, v1alpha4.PatchJSON6902{Group: "kubeadm.k8s.io", Version: version, Kind: kind,
			Patch: fmt.Sprintf("- {op: add, path: %s, value: %s}\n", path, value)})
	}
	longer := fmt.Sprintf("%dm", int((createTimeout + time.Minute).Minutes()))
	add("v1beta3", "ClusterConfiguration", "/apiServer/timeoutForControlPlane", longer)
	for _, kind := range []string{"InitConfiguration", "JoinConfiguration"} {
		add("v1beta4", kind, "/timeouts", strings.ReplaceAll("{controlPlaneComponentHealthCheck: X, discovery: X, "+
			"etcdAPICall: X, kubeletHealthCheck: X, kubernetesAPICall: X, tlsBootstrap: X}", "X", longer))
	}
	return all
}

type plan struct {
	config v1alpha4.Cluster
	// ownNetwork: kind installs no CNI plugin, so podclock sets up the pod network.
	ownNetwork bool
	// digest is equal for interchangeable clusters.
	digest string
}

// Validate checks the options and the configuration file that they name. It uses no engine.
func Validate(o Options) error {
	_, err := o.plan()
	return err
}

// PodLimit returns the maxPods of the workers' kubelets. Some of them are of the system.
func PodLimit(o Options) (int, error) {
	p, err := o.plan()
	if err != nil {
		return 0, err
	}
	limit, worker := defaultMaxPods, p.config.Nodes[len(p.config.Nodes)-1]
	for _, patch := range slices.Concat(p.config.KubeadmConfigPatches, worker.KubeadmConfigPatches) {
		var k struct {
			Kind    string
			MaxPods *int
		}
		if err := yaml.Unmarshal([]byte(patch), &k); err != nil {
			return 0, fmt.Errorf("kind configuration %s: %w", o.configName(), err)
		}
		if k.Kind == "KubeletConfiguration" && k.MaxPods != nil {
			limit = *k.MaxPods
		}
	}
	return limit, nil
}

// defaultMaxPods is the default of maxPods (pkg/kubelet/apis/config/v1beta1/defaults.go DefaultMaxPods).
const defaultMaxPods = 110

func (o Options) plan() (*plan, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	base, err := o.loadConfig()
	if err != nil {
		return nil, err
	}
	cfg, err := topology(base, o)
	if err != nil {
		return nil, fmt.Errorf("kind configuration %s: %w", o.configName(), err)
	}
	raw, err := yaml.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("hashing the topology of cluster %s: %w", o.Name, err)
	}
	digest := fmt.Sprintf("%.6x", sha256.Sum256(raw))
	return &plan{config: *cfg, ownNetwork: cfg.Networking.DisableDefaultCNI, digest: digest}, nil
}

// topology merges the base configuration with what podclock, the host and the image need. The user's patches win.
func topology(base *v1alpha4.Cluster, o Options) (*v1alpha4.Cluster, error) {
	cfg := base.DeepCopy()
	cfg.Name = o.Name
	cfg.Nodes = nodeList(base.Nodes, o)

	kubeadm := []string{kubeletBase, lightEtcd}
	if o.Host.CgroupV1 {
		kubeadm = append(kubeadm, kubeletCgroupV1)
	}
	containerd := append(slices.Clone(containerdMetrics), containerdUncounted)
	if slices.Contains(o.Host.ReducedCapabilities, "CAP_SYS_RESOURCE") {
		containerd = append(containerd, containerdReduced...)
	}
	cfg.ContainerdConfigPatches = append(containerd, cfg.ContainerdConfigPatches...)
	if o.OfflineImage {
		net := &cfg.Networking
		if net.KubeProxyMode != "" && net.KubeProxyMode != noProxy {
			const format = "networking.kubeProxyMode: the built node image runs kube-proxy only for trials that name " +
				"its mode, not %q on every node; remove the field or set NODE_IMAGE=published"
			return nil, fmt.Errorf(format, net.KubeProxyMode)
		}
		net.DisableDefaultCNI = true
		net.KubeProxyMode = noProxy
		kubeadm = append(kubeadm, skipAddons, patched)
	}
	if n := cfg.Networking; n.DisableDefaultCNI && n.IPFamily != "" && n.IPFamily != v1alpha4.IPv4Family {
		const format = "networking.ipFamily: podclock's own pod network is ipv4 only, not %q; remove the field, " +
			"or use kind's network (NODE_IMAGE=published, no disableDefaultCNI)"
		return nil, fmt.Errorf(format, n.IPFamily)
	}
	cfg.KubeadmConfigPatches = append(kubeadm, cfg.KubeadmConfigPatches...)
	cfg.KubeadmConfigPatchesJSON6902 = slices.Concat([]v1alpha4.PatchJSON6902{newFields, lightControlPlane(cfg)},
		kubeadmLimits(), cfg.KubeadmConfigPatchesJSON6902)
	return cfg, nil
}

// nodeList ends with the spare workers, so their number changes no other worker's name.
func nodeList(base []v1alpha4.Node, o Options) []v1alpha4.Node {
	controlPlane := v1alpha4.Node{Role: v1alpha4.ControlPlaneRole}
	model := v1alpha4.Node{Role: v1alpha4.WorkerRole}
	for _, n := range base {
		if n.Role == v1alpha4.WorkerRole {
			model = n
		} else {
			controlPlane = *n.DeepCopy()
			controlPlane.Role = v1alpha4.ControlPlaneRole
		}
	}
	controlPlane.Image = o.NodeImage
	all := []v1alpha4.Node{controlPlane}
	add := func(label, subject string) {
		worker := *model.DeepCopy()
		worker.Image = o.NodeImage
		labels := map[string]string{}
		maps.Copy(labels, worker.Labels)
		labels[label] = subject
		worker.Labels = labels
		all = append(all, worker)
	}
	for _, s := range o.Subjects {
		add(SubjectLabel, s)
	}
	for _, s := range o.Subjects {
		for range o.Spares[s] {
			add(SpareLabel, s)
		}
	}
	return all
}
