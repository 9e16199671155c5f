// Package trial holds what a trial is, what it measures, and what becomes of it.
//
// A Trial is a value: an ID, a pod, faults, and the claims that its timeline must meet. The package measures claims;
// package judge decides verdicts. Nothing here waits or talks to a cluster, so the same trial serves a run, a saved run
// and the catalogue.
package trial

import (
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Trial is one experiment.
type Trial struct {
	// ID is "area/what", in lower case with dashes. Renaming it loses the trial's history.
	ID string
	// About is one sentence: what is done, and what it shows.
	About  string
	Labels []string
	// Pod is the victim. Deployment fills in name, namespace, node and recorder.
	Pod *corev1.Pod
	// Companions are further pods on the node. No two containers of a trial have the same name. Companions that no
	// fault creates are deployed with the Pod.
	Companions []*corev1.Pod
	// Unscheduled leaves the Pod without a node until a fault binds it.
	Unscheduled bool
	// Static makes the Pod a static pod: a file on the node. Its object in the API is the kubelet's mirror of it.
	Static bool
	// Budgets is how many disruption budgets select the pods. Each is a Budget, whose selector is filled in. By default
	// it demands one healthy pod.
	Budgets int
	Budget  *policyv1.PodDisruptionBudgetSpec
	// Job adopts the pods when they have started. Its selector, template and numbers of pods are filled in. It is nil
	// for none.
	Job *batchv1.JobSpec
	// Service selects the pods that are no clients (victim.Run.Calls), and its address is the clients'. Its ports and
	// its selector are filled in. It is nil for none.
	Service *corev1.ServiceSpec
	// Worker is the node configuration that the trial needs, nil for the ordinary worker.
	Worker *Worker
	// Needs are changes of Kubernetes without which the trial is unsupported, ServerNeeds those of the API server.
	Needs, ServerNeeds []formula.Change
	Faults             []Fault
	// KillCause is what kills the containers if no fault deletes the pod, or before a fault does.
	KillCause formula.Cause
	// Lasts is the expected time from the pod's start to its last fact.
	Lasts time.Duration
	// Nightly keeps a short trial out of the quick profile: others show its rule and kill the same mutants.
	Nightly bool
	// NodeOnly is why the trial can't run in the virtual lane, or empty.
	NodeOnly string
	// ContainerStart is how long the container runtime takes to start each created container, 0 for an ordinary
	// runtime. Only a virtual node's can be slow.
	ContainerStart time.Duration
	// FillsNode marks a trial whose requests or data fill the node. Only a virtual node's size is known.
	FillsNode bool
	Claims    []Claim
}

// Claim is one measurable sentence about a trial.
type Claim struct {
	Measure Measure
	Formula formula.Formula
	// Mistakes are what known wrong kubelets would show. They diagnose deviations.
	Mistakes []formula.Mistake
	// KillCause is what kills the claim's life, if not the trial's.
	KillCause formula.Cause
	// Needs are changes of Kubernetes without which the claim is left out.
	Needs []formula.Change
}

// Worker is a node configuration. Trials that name the same worker share one.
type Worker struct {
	Name string
	// KubeletConfig is a merge patch (RFC 7386) of the kubelet's configuration.
	KubeletConfig map[string]any
	// NodeFSMiB and NodeFSInodes bound the file system of the kubelet's root directory (nodefs), 0 for no bound.
	NodeFSMiB, NodeFSInodes int
	// Proxy is the mode of the kube-proxy that runs on the node, empty for none. Its kubelet is not tuned.
	Proxy ProxyMode `json:",omitempty"`
	// Alone runs the worker's trials one after another.
	Alone bool
}

// Tuned reports whether the worker differs from an ordinary one.
func (w Worker) Tuned() bool { return w.TunesKubelet() || w.Proxy != "" }

// TunesKubelet reports whether the worker's kubelet is restarted with another configuration or file system.
func (w Worker) TunesKubelet() bool {
	return w.KubeletConfig != nil || w.NodeFSMiB > 0 || w.NodeFSInodes > 0
}

// ProxyMode is a mode of kube-proxy, as in KubeProxyConfiguration.mode.
type ProxyMode string

// The modes that kind offers and that a node's kernel may allow.
const (
	IPTables ProxyMode = "iptables"
	NFTables ProxyMode = "nftables"
)

// VirtualOnly reports whether no real node can play the trial. The node lane leaves it out.
func (t Trial) VirtualOnly() bool {
	pulls := func(c corev1.Container) bool { // no registry has the images of real nodes
		return c.ImagePullPolicy == corev1.PullAlways && c.Image == ""
	}
	disturbs := func(f Fault) bool { return f.Action.is(virtualOnly) }
	return t.ContainerStart > 0 || t.FillsNode || slices.ContainsFunc(t.containers(), pulls) ||
		slices.ContainsFunc(t.Faults, disturbs)
}

// Area returns the first part of the ID.
func (t Trial) Area() string {
	area, _, _ := strings.Cut(t.ID, "/")
	return area
}

// Bound returns how long after its start a trial is given up, unless the node delays it. A kubelet's last fact is due
// well before, see [Trial.Due].
func (t Trial) Bound() time.Duration { return 2*t.Lasts + 30*time.Second }

// Due returns how long after its start the last fact of a trial must have come if nothing delays it: twice Lasts plus
// 10 seconds. It is later than the sum of the latest moments that the claims allow.
func (t Trial) Due() time.Duration { return 2*t.Lasts + 10*time.Second }

// Unsupported returns what the kubelet or its API server lacks that the trial needs, or "".
func (t Trial) Unsupported(k formula.Kubelet) string {
	if k.OwnServer {
		return lacks(k, slices.Concat(t.Needs, t.ServerNeeds))
	}
	return lacks(k, t.Needs)
}

// ClaimsAnswer reports whether a claim reads the API server's answer to the fault of this number, so that an unexpected
// refusal shows as a deviation.
func (t Trial) ClaimsAnswer(fault int) bool {
	return slices.ContainsFunc(t.Claims, func(c Claim) bool {
		return c.Measure.counted == faultStatus && c.Measure.number == fault
	})
}

// LongestPeriod returns the longest periodSeconds of the trial's probes, 0 without probes.
func (t Trial) LongestPeriod() int32 {
	longest := int32(0)
	for _, c := range t.containers() {
		for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if p != nil {
				longest = max(longest, int32(podspec.PeriodSeconds(p)))
			}
		}
	}
	return longest
}

// Companion returns the companion of this name, or nil.
func (t Trial) Companion(name string) *corev1.Pod {
	if i := slices.IndexFunc(t.Companions, func(p *corev1.Pod) bool { return p.Name == name }); i >= 0 {
		return t.Companions[i]
	}
	return nil
}

func (t Trial) containers() []corev1.Container {
	all := containersOf(t.Pod)
	for _, p := range t.Companions {
		all = append(all, containersOf(p)...)
	}
	return all
}

// containersOf returns a pod's containers, none of a pod that is not there.
func containersOf(p *corev1.Pod) []corev1.Container {
	if p == nil {
		return nil
	}
	return slices.Concat(p.Spec.Containers, p.Spec.InitContainers)
}

func (t Trial) container(name string) *corev1.Container { return find(t.containers(), name) }

func find(containers []corev1.Container, name string) *corev1.Container {
	if i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == name }); i >= 0 {
		return &containers[i]
	}
	return nil
}

// PodOf returns a container's pod.
func (t Trial) PodOf(container string) *corev1.Pod {
	for _, p := range t.Companions {
		if find(containersOf(p), container) != nil {
			return p
		}
	}
	return t.Pod
}

// ID returns the claim's name, stable and unique within its trial.
func (c Claim) ID() string { return c.Measure.String() }

// Lacks returns what the kubelet lacks that the claim needs, or "".
func (c Claim) Lacks(k formula.Kubelet) string { return lacks(k, c.Needs) }

func lacks(k formula.Kubelet, needs []formula.Change) string {
	for _, n := range needs {
		if why := k.Lacks(n); why != "" {
			return why
		}
	}
	return ""
}

// Finder finds the trials of a catalogue by ID.
func Finder(catalogue []Trial) func(id string) (Trial, bool) {
	all := map[string]Trial{}
	for _, t := range catalogue {
		all[t.ID] = t
	}
	return func(id string) (Trial, bool) {
		t, known := all[id]
		return t, known
	}
}
