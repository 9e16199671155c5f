package restarts

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// size is what a container requests: thousandths of a core, and MiB of memory. Its limits are so far above that they
// slow down no victim.
type size struct{ cpu, memory int64 }

func (s size) resources() corev1.ResourceRequirements {
	list := func(cpu, memory int64) corev1.ResourceList {
		return corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
			corev1.ResourceMemory: *resource.NewQuantity(memory<<20, resource.BinarySI),
		}
	}
	return corev1.ResourceRequirements{Requests: list(s.cpu, s.memory), Limits: list(100*s.cpu, 8*s.memory)}
}

func (s size) restarting() fixtures.Option {
	return fixtures.Resizable(corev1.RestartContainer, s.resources())
}
func (s size) inPlace() fixtures.Option { return fixtures.Resizable(corev1.NotRequired, s.resources()) }

// resize returns the fault that gives containers other sizes.
func resize(sizes map[string]size) trial.Fault {
	resources := map[string]corev1.ResourceRequirements{}
	for name, s := range sizes {
		resources[name] = s.resources()
	}
	return trial.Resize(resources)
}

// The conditions of resizes that are not carried out yet.
const (
	inProgress = string(corev1.PodResizeInProgress)
	deferred   = string(corev1.PodResizePending) + "-" + corev1.PodReasonDeferred
	infeasible = string(corev1.PodResizePending) + "-" + corev1.PodReasonInfeasible
	failing    = string(corev1.PodResizeInProgress) + "-" + corev1.PodReasonError
)

// usual is the size of a container that is resized.
var usual = size{20, 20}

// resizes returns the trials of pods whose resources are changed while they run.
func resizes() []trial.Trial {
	all := slices.Concat(restartsForResizes(), []trial.Trial{resizeOfOneAmount()}, ungrantedResizes())
	for i := range all {
		all[i].Needs = append(all[i].Needs, formula.InPlaceResize)
		all[i].Labels = append(all[i].Labels, "resize")
	}
	return all
}

// runsOn returns the claim that no signal and no death ends a container's first life until this long after a point.
func runsOn(container string, after trial.Point, within time.Duration) trial.Claim {
	return claims.New(
		trial.Ended(container, after, within), formula.ResizedInPlace, formula.AlwaysRestarts,
	)
}

func restartsForResizes() []trial.Trial {
	const calm, sidecar, byCPU, other, crashes = "calm", "sidecar", "by-cpu", "other", "crashes"
	whole := fixtures.With(fixtures.Pod(2, fixtures.Named(other, victim.Run{}, size{10, 8}.inPlace())),
		fixtures.Resources(size{30, 30}.resources()))
	whole.ObjectMeta = metav1.ObjectMeta{Name: other}
	ofWhole := resize(map[string]size{"": {60, 60}}).At(trial.Injected.Number(3), 4*time.Second)
	ofWhole.Pod = other
	plain := resize(map[string]size{"": {90, 90}}).At(trial.Injected.Number(4), 6*time.Second)
	plain.Plain, plain.Refused = true, true
	hooked := victim.Run{Term: victim.Ignore, HookSleep: 1200 * time.Millisecond}
	// killed are the claims on a life that the resize of the same number kills.
	killed := func(life int) []trial.Claim {
		return []trial.Claim{
			claims.Between(trial.Injected.Number(life), trial.HookBegan.Life(life), formula.ResizeKills),
			claims.Between(
				trial.SIGTERM.Life(life), trial.Gone.Life(life), formula.Remainder, formula.FullGraceAgain,
			),
			claims.New(trial.HookRuns().Life(life), formula.HookRuns, formula.HookNotRun),
			claims.New(trial.StopSignals().Life(life), formula.StopSignals),
		}
	}
	// completed is the claim on an event that the start of a life causes. The next resize may cause the same event once
	// more before its kill, if it comes during a sync (kubernetes#134458).
	completed := func(life int) trial.Claim {
		return claims.Between(
			trial.Started.Life(life), trial.Event("ResizeCompleted").Life(life), formula.ResizeCompleted,
		)
	}
	// startsAgain is the claim on the restart after a life.
	startsAgain := func(container string, life int) []trial.Claim {
		return of(container, []trial.Claim{
			claims.Between(trial.Gone.Life(life), trial.Started.Life(life+1), formula.ResizeStarts),
		})
	}
	return []trial.Trial{
		{
			ID: "restarts/resize",
			About: "Each of four resizes kills a container whose resizePolicy is RestartContainer. Only the fourth " +
				"restart is backed off: the container had these resources before.",
			Pod: fixtures.Pod(3,
				fixtures.Victim(hooked, usual.restarting(), fixtures.HTTPPreStop()),
				fixtures.Named(calm, victim.Run{}, usual.inPlace())),
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				resize(map[string]size{trial.Main: {30, 20}, calm: {10, 20}}),
				resize(map[string]size{trial.Main: {30, 18}, calm: {40, 30}}).At(trial.Started.Life(2), time.Second),
				resize(map[string]size{trial.Main: {20, 24}, calm: {40, 10}}).At(trial.Started.Life(3), time.Second),
				resize(map[string]size{trial.Main: {30, 18}}).At(trial.Started.Life(4), time.Second),
			},
			// Before, no memory limit could be lowered in place. The back-off must outlast a life.
			Needs: []formula.Change{formula.ResizesQueued, formula.LongBackOff},
			Lasts: 40 * time.Second,
			Claims: slices.Concat(
				killed(1), killed(2), killed(3), killed(4),
				startsAgain(trial.Main, 1), startsAgain(trial.Main, 2), startsAgain(trial.Main, 3),
				counted(2), counted(5),
				[]trial.Claim{
					claims.Between(trial.HookEnded, trial.SIGTERM, formula.HookThenSignal),
					claims.New(trial.DeathCode(), formula.DeathCode),
					completed(2), completed(3), completed(4),
					claims.Between(
						trial.Gone.Life(4), trial.Started.Life(5), formula.ResizeStartsBackedOff, formula.NoBackOff,
					),
					runsOn(calm, trial.Started.Life(5), time.Second),
				},
			),
		},
		{
			ID: "restarts/resize-of-sidecar",
			About: "A resize kills a sidecar alone, with the pod's own grace period, and restarts it in the same " +
				"sync.",
			Pod: fixtures.With(
				fixtures.Pod(4, fixtures.Victim(victim.Run{}, usual.inPlace())),
				fixtures.Init(fixtures.Named(sidecar, fixtures.Ignoring, usual.restarting(), fixtures.Sidecar())),
			),
			Needs:     []formula.Change{formula.Sidecars},
			KillCause: formula.ByChange,
			Faults:    []trial.Fault{resize(map[string]size{trial.Main: {20, 30}, sidecar: {40, 30}})},
			Lasts:     12 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.Between(trial.Injected, trial.SIGTERM.Of(sidecar), formula.ResizeKills)},
				claims.Death(sidecar, formula.Remainder), startsAgain(sidecar, 1), of(sidecar, counted(2)),
				[]trial.Claim{runsOn(trial.Main, trial.Started.Of(sidecar).Life(2), 2*time.Second)},
			),
		},
		{
			ID: "restarts/resize-policies",
			About: "Each resource has a policy of its own: a resize restarts only containers whose policy for it is " +
				"RestartContainer. Another container has no limits, so that no limit of the pod changes.",
			Pod: fixtures.Pod(3,
				fixtures.Victim(fixtures.Ignoring, usual.inPlace(), fixtures.RestartsFor(corev1.ResourceMemory)),
				fixtures.Named(byCPU, victim.Run{Term: victim.ExitNow}, usual.inPlace(),
					fixtures.RestartsFor(corev1.ResourceCPU)),
				fixtures.Named(calm, victim.Run{}, fixtures.Request(corev1.ResourceCPU, "10m"))),
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				resize(map[string]size{trial.Main: {30, 20}, byCPU: {30, 20}}),
				// A lower limit of a container that has restarted may fail (formula.LoweredAfterRestart).
				resize(map[string]size{trial.Main: {40, 30}, byCPU: {30, 30}}).At(trial.Started.Of(byCPU).Life(2),
					5*time.Second),
			},
			Needs: []formula.Change{formula.ResizesQueued},
			Lasts: 24 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{
					claims.Between(trial.Injected, trial.SIGTERM.Of(byCPU), formula.ResizeKills),
					runsOn(trial.Main, trial.Injected, 4*time.Second),
				},
				claims.Death(byCPU, formula.ObeyedSignal), startsAgain(byCPU, 1), of(byCPU, counted(2)),
				[]trial.Claim{claims.Between(trial.Injected.Number(2), trial.SIGTERM, formula.ResizeKills)},
				claims.Death(trial.Main, formula.Remainder), startsAgain(trial.Main, 1), counted(2),
				[]trial.Claim{
					completed(2), runsOn(calm, trial.Started.Life(2), 2*time.Second),
				},
			),
		},
		{
			ID:    "restarts/resize-of-waiting-sidecar",
			About: "Other resources start a waiting sidecar at once. Its pod's limits grow before it starts.",
			Pod: fixtures.With(
				fixtures.Pod(4, fixtures.Victim(victim.Run{}, usual.inPlace())),
				fixtures.Init(fixtures.Named(sidecar, crashing(1, 3), usual.inPlace(), fixtures.Sidecar())),
			),
			Labels: []string{"crash-loop"},
			// Without StartsResizePods, it can't start under cgroup v1.
			Needs: []formula.Change{
				formula.Sidecars, formula.BackOffByResources, formula.LongBackOff, formula.StartsResizePods,
			},
			Faults: []trial.Fault{
				resize(map[string]size{sidecar: {60, 60}}).At(trial.Gone.Of(sidecar).Life(2), 4*time.Second),
			},
			Lasts: 24 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.Started.Of(sidecar).Life(3), formula.AfterResize),
				runsOn(trial.Main, trial.Started.Of(sidecar).Life(3), 2*time.Second),
			},
		},
		{
			ID: "restarts/resize-of-pod",
			About: "Resizes of a pod as a whole change the limits of a container that has none of its own, and no " +
				"others. Nobody restarts for them. The fourth resize is of another pod, whose only container has " +
				"its own limits. A plain update is refused. The last resize is of an init container that has ended.",
			Pod: fixtures.With(
				fixtures.Pod(3,
					fixtures.Victim(victim.Run{}, size{10, 8}.inPlace()), fixtures.Named(calm, victim.Run{}),
					fixtures.Named(crashes, ending(1, 2*time.Second, livesOn))),
				fixtures.Init(fixtures.Named(prepare, victim.Run{ExitAfter: []time.Duration{time.Second}},
					size{10, 8}.inPlace())),
				fixtures.Resources(size{30, 30}.resources()),
			),
			Companions: []*corev1.Pod{whole},
			Faults: []trial.Fault{
				resize(map[string]size{"": {60, 30}}),
				resize(map[string]size{"": {60, 60}}).At(trial.Event("ResizeCompleted"), 2*time.Second),
				resize(map[string]size{"": {80, 80}, trial.Main: {20, 16}}).At(
					trial.Event("ResizeCompleted").Number(2), 2*time.Second),
				ofWhole, plain, resize(map[string]size{prepare: {15, 10}}).At(trial.Injected.Number(5), 2*time.Second),
			},
			Needs: []formula.Change{formula.PodLevelResizes},
			Lasts: 56 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone.Of(crashes), trial.Started.Of(crashes).Life(2), formula.FirstCrash),
				claims.Between(trial.Injected.Number(6), trial.Event("ResizeCompleted").Number(4),
					formula.ResizeCompleted),
				claims.Between(trial.Injected, trial.Event("ResizeCompleted"), formula.ResizeCompleted),
				claims.Between(trial.Injected.Number(2), trial.Event("ResizeCompleted").Number(2),
					formula.ResizeCompleted),
				claims.Between(trial.Injected.Number(3), trial.Event("ResizeCompleted").Number(3),
					formula.ResizeCompleted),
				runsOn(trial.Main, trial.Injected.Number(3), 4*time.Second),
				runsOn(calm, trial.Injected.Number(3), 4*time.Second),
				// Its condition may come and go between two writes of its status.
				claims.Between(trial.Injected.Number(4), trial.Event("ResizeCompleted").Of(other),
					formula.ResizeCompleted),
				runsOn(other, trial.Injected.Number(4), 4*time.Second),
				claims.New(trial.FaultStatus(5), formula.PlainResizeRefused),
			},
		},
		{
			ID: "restarts/resize-over-kubelet-restart",
			About: "A restarted kubelet knows the resources of its containers: it kills none again for an earlier " +
				"resize, and one for the next.",
			Pod: fixtures.Pod(3,
				fixtures.Victim(fixtures.Ignoring, usual.restarting()),
				fixtures.Named(calm, victim.Run{}, usual.inPlace())),
			Worker:    &trial.Worker{Name: "resize-kubelet-restart"},
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				resize(map[string]size{trial.Main: {30, 30}, calm: {30, 30}}),
				{Action: trial.RestartKubelet, When: trial.Started.Life(2), After: 4 * time.Second},
				resize(map[string]size{trial.Main: {40, 30}}).At(trial.FaultDone.Number(2), 8*time.Second),
			},
			Lasts: 36 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.Between(trial.Injected, trial.SIGTERM, formula.ResizeKills)},
				claims.Death(trial.Main, formula.Remainder), startsAgain(trial.Main, 1),
				[]trial.Claim{
					claims.Between(
						trial.Injected.Number(3), trial.SIGTERM.Life(2), formula.ResizeKills, formula.KillsAgain,
					),
					claims.New(trial.StopSignals().Life(2), formula.StopSignals),
				},
				startsAgain(trial.Main, 2), counted(3),
				[]trial.Claim{runsOn(calm, trial.Started.Life(3), time.Second)},
			),
		},
		{
			ID: "restarts/resize-lower-after-restart",
			About: "Three containers restart for a resize. Then each gets a lower memory limit, far above what it uses, " +
				"which needs no restart.",
			Pod: fixtures.Pod(3,
				fixtures.Victim(victim.Run{Term: victim.ExitNow}, usual.inPlace(),
					fixtures.RestartsFor(corev1.ResourceCPU)),
				fixtures.Named(byCPU, victim.Run{Term: victim.ExitNow}, usual.inPlace(),
					fixtures.RestartsFor(corev1.ResourceCPU)),
				fixtures.Named(other, victim.Run{Term: victim.ExitNow}, usual.inPlace(),
					fixtures.RestartsFor(corev1.ResourceCPU)),
				fixtures.Named(calm, victim.Run{}, usual.inPlace())),
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				resize(map[string]size{trial.Main: {30, 20}, byCPU: {30, 20}, other: {30, 20}}),
				resize(map[string]size{trial.Main: {30, 10}, byCPU: {30, 10}, other: {30, 10}, calm: {20, 10}}).At(
					trial.Started.Of(other).Life(2), 4*time.Second),
			},
			Needs: []formula.Change{formula.ResizesQueued}, // before, no memory limit could be lowered in place
			Lasts: 42 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.Between(trial.Injected, trial.SIGTERM, formula.ResizeKills)},
				claims.Death(trial.Main, formula.ObeyedSignal), startsAgain(trial.Main, 1), counted(2),
				[]trial.Claim{
					// An error shows within 20.3 s (formula.ResizeErrorShown).
					claims.New(
						trial.HasCondition(failing, trial.Injected.Number(2), 22*time.Second),
						formula.LoweredAfterRestart,
					),
					runsOn(calm, trial.Injected.Number(2), 22*time.Second),
				},
			),
		},
		{
			ID: "restarts/resize-while-terminating",
			About: "A resize of a pod that is being deleted changes nothing: the container is not killed again, and " +
				"does not restart.",
			Pod: fixtures.Single(7, fixtures.Ignoring, usual.restarting()),
			Faults: []trial.Fault{
				trial.Delete(), resize(map[string]size{trial.Main: {40, 30}}).At(trial.SIGTERM, 2*time.Second),
			},
			Lasts: 16 * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook, claims.DeletedGracefully, []trial.Claim{
				claims.New(trial.Starts(trial.Main, trial.Gone, 2*time.Second), formula.Starts),
			}),
		},
	}
}

// resizeOfOneAmount returns the trial of resizes that each change one amount. The last ones are below the least that a
// cgroup takes.
func resizeOfOneAmount() trial.Trial {
	const apart = 2 * time.Second // from the end of a resize to the next one
	t := trial.Trial{
		ID: "restarts/resize-of-one-amount",
		About: "Six resizes in place each change one amount of a container: a request or a limit of its CPU or its " +
			"memory. Its status shows the amounts that were asked for, even those below the least of a cgroup.",
		Pod:   fixtures.Single(3, victim.Run{}, usual.inPlace()),
		Needs: []formula.Change{formula.ResizesQueued},
		Lasts: 32 * time.Second,
	}
	resources := usual.resources()
	for i, change := range []func(){
		func() { resources.Requests[corev1.ResourceCPU] = resource.MustParse("30m") },
		func() { resources.Limits[corev1.ResourceCPU] = resource.MustParse("2500m") },
		func() { resources.Requests[corev1.ResourceMemory] = resource.MustParse("24Mi") },
		func() { resources.Limits[corev1.ResourceMemory] = resource.MustParse("200Mi") },
		func() { resources.Requests[corev1.ResourceCPU] = resource.MustParse("1m") },
		func() { resources.Limits[corev1.ResourceCPU] = resource.MustParse("5m") },
	} {
		change()
		fault := trial.Resize(map[string]corev1.ResourceRequirements{trial.Main: *resources.DeepCopy()})
		if i > 0 {
			fault = fault.At(trial.Event("ResizeCompleted").Number(i), apart)
		}
		t.Faults = append(t.Faults, fault)
		t.Claims = append(t.Claims,
			claims.New(trial.Losses(inProgress, trial.Injected.Number(i+1), apart),
				formula.ResizeShownForAMoment),
			claims.Between(trial.Injected.Number(i+1), trial.Event("ResizeCompleted").Number(i+1),
				formula.ResizeCompleted))
	}
	t.Claims = append(t.Claims, runsOn(trial.Main, trial.Injected.Number(6), 4*time.Second))
	return t
}

func ungrantedResizes() []trial.Trial {
	const rival, modest, gib = "rival", "modest", 1 << 10
	companion := func(name string, s fixtures.Option) *corev1.Pod {
		pod := fixtures.Pod(2, fixtures.Named(name, fixtures.Ignoring, s))
		pod.ObjectMeta = metav1.ObjectMeta{Name: name}
		return pod
	}
	of := func(pod string, s size) trial.Fault {
		fault := resize(map[string]size{pod: s})
		fault.Pod = pod
		return fault
	}
	started := []trial.Claim{claims.Between(trial.Gone, trial.Started.Life(2), formula.ResizeStarts)}
	beyond := resize(map[string]size{trial.Main: {10_000_000, 20}})
	beyond.Refused = true
	return []trial.Trial{
		{
			ID: "restarts/resize-beyond-node",
			About: "A resize to more than the node has kills nobody. The one after it fits, and restarts the " +
				"container though it succeeds and its pod restarts only failures.",
			Pod: fixtures.With(
				fixtures.Single(3, victim.Run{Term: victim.ExitNow}, usual.restarting()),
				fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
			),
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				beyond, resize(map[string]size{trial.Main: {40, 20}}).At(trial.Injected, 6*time.Second),
			},
			Lasts: 14 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{
					claims.New(trial.FaultStatus(1), formula.ResizeRefused),
					claims.New(
						trial.HasCondition(infeasible, trial.Injected, 4*time.Second), formula.ResizeInfeasible,
					),
					runsOn(trial.Main, trial.Injected, 5*time.Second),
					claims.Between(trial.Injected.Number(2), trial.SIGTERM, formula.ResizeKills),
				},
				claims.Death(trial.Main, formula.ObeyedSignal), started, counted(2),
			),
		},
		{
			ID: "restarts/resize-deferred",
			About: "Two resizes wait until another pod requests less. The pod of the higher priority is then " +
				"resized, and its container restarts. The other one, which wants only memory, waits on. Both were " +
				"resized before, in the other order.",
			// The node has 16 GiB of memory. Each of the two wants 8, beside a pod with 10 and then with 4.
			FillsNode: true,
			Pod: fixtures.With(
				fixtures.Single(3, fixtures.Ignoring, size{1000, 20}.restarting()),
				fixtures.Priority(fixtures.Important),
			),
			Companions: []*corev1.Pod{
				companion(rival, size{1000, 10 * gib}.inPlace()), companion(modest, size{1000, 20}.restarting()),
			},
			Needs:     []formula.Change{formula.ResizesQueued},
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				of(modest, size{1000, 24}),
				resize(map[string]size{trial.Main: {1000, 24}}).At(trial.Started.Of(modest).Life(2), 2*time.Second),
				of(modest, size{1000, 8 * gib}).At(trial.Started.Life(2), 3*time.Second),
				resize(map[string]size{trial.Main: {2000, 8 * gib}}).At(trial.Injected.Number(3), 2*time.Second),
				of(rival, size{1000, 4 * gib}).At(trial.Injected.Number(4), 8*time.Second),
			},
			Lasts: 42 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.Between(trial.Injected.Number(2), trial.SIGTERM, formula.ResizeKills)},
				claims.Death(trial.Main, formula.Remainder),
				started,
				[]trial.Claim{
					claims.Between(trial.Injected.Number(4), trial.Condition(deferred), formula.ResizeShown),
					claims.Between(
						trial.Injected.Number(5), trial.SIGTERM.Life(2), formula.ResizeRetried, formula.RetriedAtTicks,
					),
					claims.Between(trial.SIGTERM.Life(2), trial.Gone.Life(2), formula.Remainder),
					claims.Between(trial.Gone.Life(2), trial.Started.Life(3), formula.ResizeStarts),
					runsOn(rival, trial.Started.Life(3), 2*time.Second),
				},
			),
		},
		{
			ID:    "restarts/resize-deferred-over-kubelet-restart",
			About: "A restarted kubelet does not carry out a deferred resize before another pod requests less.",
			// The node has eight cores.
			FillsNode: true,
			Pod:       fixtures.Single(3, fixtures.Ignoring, size{1000, 20}.restarting()),
			Companions: []*corev1.Pod{
				companion(rival, size{6000, 20}.inPlace()),
			},
			Worker:    &trial.Worker{Name: "deferred-resize-kubelet-restart"},
			Needs:     []formula.Change{formula.ResizesQueued},
			KillCause: formula.ByChange,
			Faults: []trial.Fault{
				resize(map[string]size{trial.Main: {4000, 20}}),
				{Action: trial.RestartKubelet, When: trial.Condition(deferred), After: 4 * time.Second},
				of(rival, size{2000, 20}).At(trial.FaultDone.Number(2), 12*time.Second),
			},
			Lasts: 34 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{
					claims.Between(trial.Injected, trial.Condition(deferred), formula.ResizeShown),
					claims.Between(
						trial.Injected.Number(3), trial.SIGTERM, formula.ResizeRetried, formula.RetriedAtTicks,
					),
				},
				claims.Death(trial.Main, formula.Remainder), started,
				[]trial.Claim{runsOn(rival, trial.Started.Life(2), 2*time.Second)},
			),
		},
		{
			ID:    "restarts/resize-deferred-until-end",
			About: "A deferred resize is carried out when the pod that leaves no room has ended.",
			// The node has eight cores.
			FillsNode:  true,
			Pod:        fixtures.Single(2, fixtures.Ignoring, size{5000, 20}.inPlace()),
			Companions: []*corev1.Pod{companion(modest, size{1000, 20}.restarting())},
			Needs:      []formula.Change{formula.ResizesQueued},
			Faults:     []trial.Fault{of(modest, size{4000, 20}), trial.Delete().At(trial.Injected, 6*time.Second)},
			Lasts:      24 * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook[1:2], byChange(slices.Concat(
				[]trial.Claim{claims.Between(trial.Gone, trial.SIGTERM.Of(modest), formula.ResizeAfterEnd)},
				claims.Death(modest, formula.Remainder),
				[]trial.Claim{claims.Between(
					trial.Gone.Of(modest), trial.Started.Of(modest).Life(2), formula.ResizeStarts,
				)},
			))),
		},
		{
			ID: "restarts/resize-deferred-until-removal",
			About: "A deferred resize is carried out at once when the object of the pod that leaves no room is gone, " +
				"while its container still runs.",
			// The node has eight cores.
			FillsNode:  true,
			Pod:        fixtures.Single(2, fixtures.Ignoring, size{5000, 20}.inPlace()),
			Companions: []*corev1.Pod{companion(modest, size{1000, 20}.restarting())},
			Needs:      []formula.Change{formula.ResizesQueued},
			Faults: []trial.Fault{
				of(modest, size{4000, 20}), trial.DeleteWithin(0).At(trial.Injected, 6*time.Second),
			},
			Lasts: 24 * time.Second,
			Claims: byChange(slices.Concat(
				[]trial.Claim{claims.Between(
					trial.Injected.Number(2), trial.SIGTERM.Of(modest), formula.ResizeKills, formula.RetriedAtTicks,
				)},
				claims.Death(modest, formula.Remainder),
				[]trial.Claim{claims.Between(
					trial.Gone.Of(modest), trial.Started.Of(modest).Life(2), formula.ResizeStarts,
				)},
			)),
		},
		{
			ID: "restarts/resize-below-usage",
			About: "A container whose new memory limit is below what it uses is neither resized nor killed, until " +
				"the resize is taken back.",
			Pod:   fixtures.Single(3, holding(64), usual.inPlace()),
			Needs: []formula.Change{formula.ResizesQueued},
			Faults: []trial.Fault{
				resize(map[string]size{trial.Main: {30, 4}}),
				resize(map[string]size{trial.Main: usual}).At(trial.Condition(failing), 3*time.Second),
			},
			Lasts: 32 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.Condition(failing), formula.ResizeErrorShown),
				claims.Between(trial.Injected.Number(2), trial.NoCondition(failing), formula.ResizeShown),
				runsOn(trial.Main, trial.NoCondition(failing), 3*time.Second),
			},
		},
	}
}

// byChange returns the claims for containers that a change of their pod's spec kills, not the trial's delete.
func byChange(claims []trial.Claim) []trial.Claim {
	for i := range claims {
		claims[i].KillCause = formula.ByChange
	}
	return claims
}

// holding returns a main process that keeps so many MiB of memory.
func holding(mib int) victim.Run { return victim.Run{Term: victim.Ignore, Ballast: mib} }
