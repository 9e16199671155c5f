package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	wire "github.com/podclock/podclock/harness/mark"
)

// Every worker has one of these labels; its value is the subject whose kubelet
// runs there.
const (
	// SubjectLabel is on the worker that all of a subject's trials share.
	SubjectLabel = "podclock.dev/subject"
	// SpareLabel is on its spare workers.
	SpareLabel = "podclock.dev/spare"
)

// noProxy is kind's spelling of "run no kube-proxy". kind's public API has no
// constant for it; its documentation and its internal API have.
const noProxy v1alpha4.ProxyMode = "none"

// kubeletBase is the part of the kubelet configuration that every node gets.
// maxPods holds more pods than a run starts at once and fits a /24 pod CIDR.
//
// The four rate limits are the defaults since 1.27. They are written down
// because older kubelets default to a tenth (API 5, burst 10), and with a
// hundred pods dying at once their status updates would queue for seconds.
//
// The two periods shorten evictions only (formulas: volumeStatsAggPeriod adds
// up to 100 % jitter to the detection of a full emptyDir). Verbosity 2 logs
// every kill with its grace period and stays cheap; nothing is read from it.
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

// kubeletCgroupV1: kubelets from 1.35 on refuse to start on cgroup v1
// (KEP-5573) unless they are told not to.
const kubeletCgroupV1 = `kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
failCgroupV1: false
`

// containerdReduced keeps containerd from lowering a sandbox's oom_score_adj,
// which takes CAP_SYS_RESOURCE. Without it every sandbox dies with "can't get
// final child's PID from pipe". The kubelet only logs that it can't.
// kind applies the patch whose version is that of the image's configuration.
var containerdReduced = []string{`version = 2
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
`, `version = 3
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
`}

// containerdMetrics makes containerd answer HTTP beside its socket: the recorder, which
// needs no privilege and no mount for that, asks it a few times a second whether it
// stands still.
var containerdMetrics = []string{
	fmt.Sprintf("version = 2\n[metrics]\n  address = %q\n", wire.RuntimeAddress),
	fmt.Sprintf("version = 3\n[metrics]\n  address = %q\n", wire.RuntimeAddress),
}

// skipAddons keeps kubeadm from installing what an offline image doesn't have.
// A merge patch replaces a list, so kind's own two entries are repeated.
const skipAddons = `kind: InitConfiguration
skipPhases:
  - preflight
  - addon/kube-proxy
  - addon/coredns
`

// promptController makes the controller manager sign the join token's
// cluster-info in time for the workers' first look at it; kubeadm looks again
// only every 5 s. Without a leader election (there is one replica) it need not
// wait for its turn, and at its default of 20 requests a second it takes 5 s to
// start its controllers. Measured: 3 nodes Ready in 12 s instead of 23 s. kind
// writes kubeadm's v1beta4 from Kubernetes 1.36 on; an older control plane
// does without.
var promptController = v1alpha4.PatchJSON6902{
	Group: "kubeadm.k8s.io", Version: "v1beta4", Kind: "ClusterConfiguration",
	Patch: `- {op: add, path: /controllerManager/extraArgs/-, value: {name: leader-elect, value: "false"}}
- {op: add, path: /controllerManager/extraArgs/-, value: {name: kube-api-qps, value: "100"}}
- {op: add, path: /controllerManager/extraArgs/-, value: {name: kube-api-burst, value: "200"}}
`,
}

// plan is a cluster as it will be created.
type plan struct {
	config v1alpha4.Cluster
	// ownNetwork: no CNI plugin is installed by kind, so this package must.
	ownNetwork bool
	// digest identifies the topology: equal digests, interchangeable clusters.
	digest string
}

// plan reads the base configuration and decides the final one.
func (o Options) plan() (*plan, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	base, err := LoadConfig(o.ConfigPath)
	if err != nil {
		return nil, err
	}
	cfg, err := topology(base, o)
	if err != nil {
		return nil, fmt.Errorf("kind configuration %s: %w", o.ConfigPath, err)
	}
	raw, err := yaml.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("hashing the topology of cluster %s: %w", o.Name, err)
	}
	sum := sha256.Sum256(raw)
	return &plan{
		config:     *cfg,
		ownNetwork: cfg.Networking.DisableDefaultCNI,
		digest:     hex.EncodeToString(sum[:6]),
	}, nil
}

// topology merges the base configuration with the workers, the harness'
// kubelet settings and what the host and the image need. The user's patches
// come last, so they win.
func topology(base *v1alpha4.Cluster, o Options) (*v1alpha4.Cluster, error) {
	cfg := base.DeepCopy()
	cfg.Name = o.Name
	cfg.Nodes = nodeList(base.Nodes, o)

	kubeadm := []string{kubeletBase}
	if o.Host.CgroupV1 {
		kubeadm = append(kubeadm, kubeletCgroupV1)
	}
	containerd := slices.Clone(containerdMetrics)
	if slices.Contains(o.Host.ReducedCapabilities, "CAP_SYS_RESOURCE") {
		containerd = append(containerd, containerdReduced...)
	}
	cfg.ContainerdConfigPatches = append(containerd, cfg.ContainerdConfigPatches...)
	if o.OfflineImage {
		net := &cfg.Networking
		if net.KubeProxyMode != "" && net.KubeProxyMode != noProxy {
			return nil, fmt.Errorf(
				"networking.kubeProxyMode: the built node image has no kube-proxy for mode %q; remove the field or set NODE_IMAGE=published",
				net.KubeProxyMode,
			)
		}
		net.DisableDefaultCNI = true
		net.KubeProxyMode = noProxy
		kubeadm = append(kubeadm, skipAddons)
	}
	if n := cfg.Networking; n.DisableDefaultCNI && n.IPFamily != "" && n.IPFamily != v1alpha4.IPv4Family {
		return nil, fmt.Errorf(
			"networking.ipFamily: podclock's own pod network is ipv4 only, not %q; remove the field, or use kind's network (NODE_IMAGE=published, no disableDefaultCNI)",
			n.IPFamily,
		)
	}
	cfg.KubeadmConfigPatches = append(kubeadm, cfg.KubeadmConfigPatches...)
	cfg.KubeadmConfigPatchesJSON6902 = append(
		[]v1alpha4.PatchJSON6902{promptController},
		cfg.KubeadmConfigPatchesJSON6902...)
	return cfg, nil
}

// nodeList returns the control plane, one worker per subject, in order, and then
// the spare workers: kind numbers nodes in this order, so that the number of
// spares changes no other worker's name.
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
