package scenario

import (
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// ended is a pod that its node ends.
type ended struct {
	pod *corev1.Pod
	// first is the main container.
	first way
	spec  int64
	// dies is an upper bound of the time from the beginning of the kill to the last death.
	dies time.Duration
}

// toEnd draws a pod that its node ends, with claims that hold whatever the cause. Its main container may have a
// neighbour or a sidecar. most bounds its grace period in seconds.
func (d *draws) toEnd(most int64, change func(*way)) (ended, []trial.Claim) {
	e := ended{spec: min(d.grace(), most)}
	e.first = d.way(trial.Main, e.spec)
	change(&e.first)
	claims := []trial.Claim{claim(trial.StopSignals(), formula.StopSignals)}
	e.pod = fixtures.Pod(e.spec, e.first.container())
	all := []way{e.first}
	switch other := d.way(neighbour, e.spec); d.evenly("beside it", 4) {
	case 2:
		d.tag("two containers")
		e.pod.Spec.Containers = append(e.pod.Spec.Containers, other.container())
		all = append(all, other)
	case 3:
		d.tag("sidecars")
		other.options = append(other.options, fixtures.Sidecar())
		fixtures.With(e.pod, fixtures.Init(other.container()))
		all = append(all, other)
	}
	for _, w := range all {
		_, most := w.dies(seen(e.spec))
		e.dies += most + 4*time.Second
	}
	return e, claims
}

// sign returns the claim about the first sign of the main container's kill, if it makes one.
func (e ended) sign(since trial.Point, f formula.Formula) []trial.Claim {
	if h := e.first.hook; h.missing || h.kind == formula.SleepHook || e.pod.Spec.InitContainers != nil {
		return nil
	}
	if e.spec == 0 {
		return []trial.Claim{between(since, trial.SIGTERM, f)}
	}
	return []trial.Claim{between(since, e.first.firstSign(), f)}
}

// disk is how large the node's disk is that pods fill, in MiB.
const disk = 128

// evicted draws a pod that fills the node's disk, or exceeds a limit of its own.
func evicted(d *draws) trial.Trial {
	fill := victim.Run{FillBytes: 80 << 20}
	fill.FillAfter = 2*time.Second + time.Duration(d.evenly("filled after", 20_000))*time.Millisecond
	fill.FillDir = fixtures.DataDir
	volume := fixtures.EmptyDir("")
	t := trial.Trial{Worker: &trial.Worker{Name: "random-evicted", NodeFSMiB: disk, NodeFSInodes: 20_000}}
	limit := fixtures.Limit(corev1.ResourceEphemeralStorage, "20Mi")
	found := formula.HardEvictionFound
	switch d.evenly("threshold", 4) {
	default:
		d.tag("cause hard eviction")
		t.KillCause = formula.ByHardEviction
		t.Worker.KubeletConfig = map[string]any{"evictionHard": map[string]any{"nodefs.available": "50%"}}
	case 1:
		d.tag("cause soft eviction")
		t.KillCause, found = formula.BySoftEviction, formula.SoftEvictionFound
		soft := d.number("soft grace period", 1, 40)
		t.Worker.KubeletConfig = map[string]any{
			"evictionSoft":              map[string]any{"nodefs.available": "50%"},
			"evictionSoftGracePeriod":   map[string]any{"nodefs.available": seconds(soft).String()},
			"evictionMaxPodGracePeriod": d.number("most grace of a soft eviction", 0, 40),
		}
		t.Lasts = seconds(soft) + 15*time.Second
	case 2:
		d.tag("cause storage limit")
		t.KillCause, found, volume = formula.ByStorageLimit, formula.VolumeLimitFound(0), fixtures.EmptyDir("20Mi")
		t.Worker.KubeletConfig = map[string]any{"volumeStatsAggPeriod": "10s"}
		t.Lasts = 20 * time.Second
	case 3:
		d.tag("cause storage limit")
		t.KillCause, found, volume = formula.ByStorageLimit, formula.LayerLimitFound(0), nil
		fill.FillDir = fixtures.LayerDir
		t.Lasts = 10 * time.Second
	}
	e, claims := d.toEnd(math.MaxInt64, func(w *way) {
		w.run.FillDir, w.run.FillAfter, w.run.FillBytes = fill.FillDir, fill.FillAfter, fill.FillBytes
		if volume == nil {
			w.options = append(w.options, limit)
		}
	})
	if volume != nil {
		fixtures.With(e.pod, volume)
	}
	t.Pod, t.Claims = e.pod, slices.Concat(claims, e.sign(trial.Filled, found))
	t.Lasts += fill.FillAfter + e.dies + 30*time.Second
	return t
}

// preempted draws a pod that makes room for a critical one.
func preempted(d *draws) trial.Trial {
	d.tag("cause preemption")
	share := fixtures.Request(corev1.ResourceEphemeralStorage, "80Mi")
	// The admission of the critical pod must be over when the kubelet's resizes take its mutex (harness/virtual
	// settle).
	e, claims := d.toEnd(90, func(w *way) { w.options = append(w.options, share) })
	critical := fixtures.With(
		fixtures.Pod(1, fixtures.Named("critical", victim.Run{Term: victim.ExitNow}, share)),
		fixtures.Priority(fixtures.NodeCritical))
	critical.Name = "critical"
	fault := trial.Fault{Action: trial.CreatePod, Pod: critical.Name, After: d.ms("preempted after", 0, 9*time.Second)}
	return trial.Trial{
		Pod: e.pod, Companions: []*corev1.Pod{critical}, Faults: []trial.Fault{fault}, KillCause: formula.ByPreemption,
		Worker: &trial.Worker{Name: "random-preempted", NodeFSMiB: disk, NodeFSInodes: 20_000, Alone: true},
		Claims: slices.Concat(claims, e.sign(trial.Injected, formula.PreemptionStart)),
		Lasts:  fault.After + e.dies + 20*time.Second,
	}
}

// shutDown draws a node that shuts down. The node's recorder ends after a pod that outlives the scenario.
func shutDown(d *draws) trial.Trial {
	d.tag("cause shutdown")
	const lasting = 600 // seconds
	var groups []any
	most := d.number("seconds of the group", 1, 60)
	for i, s := range []int{most, lasting, 1} {
		groups = append(groups, map[string]any{
			"priority": []int{0, 2_000_000_000, 2_000_001_000}[i], "shutdownGracePeriodSeconds": s,
		})
	}
	e, claims := d.toEnd(math.MaxInt64, func(*way) {})
	last := fixtures.With(fixtures.Pod(lasting, fixtures.Named("last", victim.Run{Term: victim.Ignore})),
		fixtures.Priority(fixtures.ClusterCritical))
	last.Name = "last"
	fault := trial.Fault{Action: trial.ShutDownNode, After: d.ms("shut down after", 0, 9*time.Second)}
	return trial.Trial{
		Pod: e.pod, Companions: []*corev1.Pod{last}, Faults: []trial.Fault{fault}, KillCause: formula.ByShutdown,
		Needs: []formula.Change{formula.ShutdownByPriority},
		Worker: &trial.Worker{Name: "random-shut-down", Alone: true, KubeletConfig: map[string]any{
			"featureGates":                     map[string]any{"GracefulNodeShutdownBasedOnPodPriority": true},
			"shutdownGracePeriodByPodPriority": groups,
		}},
		Claims: slices.Concat(claims, e.sign(trial.Injected, formula.ShutdownStart)),
		Lasts:  fault.After + e.dies + 20*time.Second,
	}
}

// tainted draws a node that gets a taint which the pod tolerates for a limited time.
func tainted(d *draws) trial.Trial {
	d.tag("cause taint")
	e, claims := d.toEnd(math.MaxInt64, func(*way) {})
	tolerated := int64(d.number("tolerated for", 0, 40))
	fault := trial.Taint()
	fault.After = d.ms("tainted after", 0, 9*time.Second)
	return trial.Trial{
		Pod:    fixtures.With(e.pod, fixtures.Tolerate(trial.TaintKey, &tolerated)),
		Worker: &trial.Worker{Name: "random-tainted", Alone: true}, Faults: []trial.Fault{fault},
		Claims: slices.Concat(claims, []trial.Claim{
			between(trial.Injected, trial.DeletionBegan, formula.TaintDeletion),
			claim(trial.DeletionGrace(1), formula.DeletionGrace),
		}),
		Lasts: fault.After + seconds(tolerated) + e.dies + 20*time.Second,
	}
}

// failTogether draws two or three healthy containers whose liveness probes begin to fail at the same time.
func failTogether(d *draws) trial.Trial {
	spec, p := int64(1+d.number("grace", 0, 20)), d.probe(victim.Liveness, fixtures.HTTP, fixtures.Exec, fixtures.GRPC)
	healthy := 1 + d.number("successes", 0, 3)
	fault, each := one(d, "fault", victim.Fail, victim.Hang), seconds(p.PeriodSeconds)
	if fault == victim.Hang {
		each = max(each, seconds(p.TimeoutSeconds)+margin)
	}
	d.tag("two containers")
	d.tag("cause liveness")
	t := trial.Trial{KillCause: formula.ByLiveness, Needs: needs(p)}
	t.Lasts = seconds(p.InitialDelaySeconds) + time.Duration(healthy+int(p.FailureThreshold)+1)*each + 15*time.Second
	first, alike := d.way(trial.Main, spec), d.oneIn(2, "alike")
	var built []corev1.Container
	for n := range 2 + d.evenly("third container", 4)/3 {
		w := first
		if !alike && n > 0 {
			w = d.way("", spec)
		}
		w.name = []string{trial.Main, neighbour, "third"}[n]
		w.run.Liveness = victim.Scripts(strings.Repeat("S", healthy) + fault.String() + "/S")
		w.options = append(slices.Clone(w.options), fixtures.Liveness(p))
		built = append(built, w.container())
		t.Claims = append(t.Claims, claim(trial.StopSignals().Of(w.name), formula.StopSignals))
		_, dies := w.dies(spec)
		t.Lasts += dies + 4*time.Second
	}
	t.Pod = fixtures.Pod(spec, built...)
	return t
}
