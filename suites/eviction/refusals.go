package eviction

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// enoughCPU is a limit that does not delay the start of a process by seconds.
const enoughCPU = "300m"

// needs gives the container a request of a resource and the same limit.
func needs(name corev1.ResourceName, quantity string) []fixtures.Option {
	return []fixtures.Option{fixtures.Request(name, quantity), fixtures.Limit(name, quantity)}
}

// onHostPort claims a port of the node, which only one pod can have.
func onHostPort(p *corev1.Pod) {
	p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports,
		corev1.ContainerPort{Name: "host", ContainerPort: 28711, HostPort: 28711})
}

// onWindows names another operating system. The API server allows no Linux settings beside it.
func onWindows(p *corev1.Pod) {
	p.Spec.OS, p.Spec.SecurityContext = &corev1.PodOS{Name: corev1.Windows}, nil
	for i := range p.Spec.Containers {
		p.Spec.Containers[i].SecurityContext = nil
	}
}

// labelled labels the pod as if it were for an operating system.
func labelled(system corev1.OSName) fixtures.PodOption {
	return func(p *corev1.Pod) {
		p.Labels = map[string]string{victim.PartOf: "podclock", corev1.LabelOSStable: string(system)}
	}
}

// refused returns the trial of pods that are bound to a node that they do not fit.
func refused() trial.Trial {
	const device, untolerant, taker, late = "device", "untolerant", "taker", "late"
	elsewhere := fixtures.NodeSelector("podclock.dev/no-such-node", "true")
	critical := fixtures.Priority(fixtures.NodeCritical)
	refusals := []struct {
		name, reason string
		needs        []fixtures.Option
		options      []fixtures.PodOption
	}{
		{"cpu", "OutOfcpu", needs(corev1.ResourceCPU, "10k"), nil},
		{"memory", "OutOfmemory", needs(corev1.ResourceMemory, "1Pi"), nil},
		{"storage", "OutOfephemeral-storage", needs(corev1.ResourceEphemeralStorage, "1Ei"), nil},
		{
			"hugepages", "OutOfhugepages-2Mi",
			slices.Concat(needs("hugepages-2Mi", "1Pi"), needs(corev1.ResourceMemory, "16Mi")), nil,
		},
		{"label", "PodOSSelectorNodeLabelDoesNotMatch", nil, []fixtures.PodOption{labelled(corev1.Windows)}},
		{"windows", "PodOSNotSupported", nil, []fixtures.PodOption{onWindows}},
		{"port", "NodePorts", nil, []fixtures.PodOption{onHostPort}},
		{"elsewhere", "NodeAffinity", nil, []fixtures.PodOption{elsewhere}},
		// Both reasons refuse the first. None of the others makes room, for either of them.
		{"critical-elsewhere", "NodeAffinity", needs(corev1.ResourceCPU, "10k"), []fixtures.PodOption{elsewhere, critical}},
		{"critical-large", "UnexpectedAdmissionError", needs(corev1.ResourceCPU, "10k"), []fixtures.PodOption{critical}},
	}
	t := trial.Trial{
		ID: "eviction/refused",
		About: "A kubelet refuses pods that do not fit its node: they fail with a reason and have no process. Nobody makes " +
			"room for a critical one that would not fit an empty node. An unknown device and a fitting label are no " +
			"reasons, but a device of the node that another pod has is one.",
		Pod: fixtures.With(
			fixtures.Single(3, fixtures.Ignoring, fixtures.Request(corev1.ResourceCPU, "10m")), onHostPort,
		),
		Worker: &trial.Worker{Name: "eviction-refused", Alone: true},
		Lasts:  30 * time.Second,
	}
	create := func(pod *corev1.Pod) int {
		t.Companions = append(t.Companions, pod)
		fault := trial.Fault{Action: trial.CreatePod, Pod: pod.Name, After: 3 * time.Second}
		if n := len(t.Faults); n > 0 {
			fault = fault.At(trial.Injected.Number(n), 500*time.Millisecond)
		}
		t.Faults = append(t.Faults, fault)
		return len(t.Faults)
	}
	refuse := func(n int, name, reason string) {
		failed := trial.Phase("Failed").Of(name)
		t.Claims = append(t.Claims,
			claims.Between(trial.Injected.Number(n), failed, formula.Refusal),
			claims.New(trial.HasReason(reason, failed, 2*time.Second), formula.RefusalFor),
			claims.New(trial.Starts(name, failed, 5*time.Second), formula.RefusedNever),
		)
	}
	for _, r := range refusals {
		refuse(create(companion(r.name, fixtures.With(
			fixtures.Pod(3, fixtures.Named(r.name, victim.Run{}, r.needs...)), r.options...))), r.name, r.reason)
	}
	n := create(companion(device, fixtures.With(
		fixtures.Pod(3, fixtures.Named(device, victim.Run{}, needs("podclock.dev/device", "1")...)),
		labelled(corev1.Linux))))
	t.Claims = append(t.Claims, claims.Between(trial.Injected.Number(n), trial.Started.Of(device), formula.PodStarts))
	offer := trial.Fault{Action: trial.OfferDevice}.At(trial.Injected.Number(n), 500*time.Millisecond)
	t.Faults = append(t.Faults, offer)
	offered := func(name string) *corev1.Pod {
		return companion(name, fixtures.Pod(3, fixtures.Named(name, victim.Run{}, needs(trial.Device, "1")...)))
	}
	n = create(offered(taker))
	t.Claims = append(t.Claims, claims.Between(trial.Injected.Number(n), trial.Started.Of(taker), formula.PodStarts))
	refuse(create(offered(late)), late, "OutOf"+trial.Device)
	n = len(t.Faults)
	t.Faults = append(t.Faults, trial.Fault{Action: trial.TaintNode}.At(trial.Injected.Number(n), 2*time.Second))
	// The taint deletes the pod, too, perhaps before the kubelet shows that it refused it.
	tainted := create(companion(untolerant, fixtures.With(
		fixtures.Pod(3, fixtures.Named(untolerant, victim.Run{})), fixtures.Tolerate("podclock.dev/other", nil))))
	t.Claims = append(t.Claims,
		claims.New(trial.Starts(untolerant, trial.Injected.Number(tainted), 5*time.Second), formula.RefusedNever),
		claims.New(trial.Ended(trial.Main, trial.Injected.Number(tainted), 5*time.Second), formula.NotEvicted),
	)
	return t
}

// preemptionOrder returns the trial of a critical pod for which five of seven pods make room.
func preemptionOrder() trial.Trial {
	const modest, guaranteed, critical = "best-effort", "guaranteed", "critical"
	storage := func(quantity string) fixtures.Option {
		return fixtures.Request(corev1.ResourceEphemeralStorage, quantity)
	}
	mem := func(quantity string) fixtures.Option { return fixtures.Request(corev1.ResourceMemory, quantity) }
	all := slices.Concat(needs(corev1.ResourceCPU, enoughCPU), needs(corev1.ResourceMemory, "64Mi"),
		[]fixtures.Option{storage("8Mi")})
	ignoring := func(name string, options ...fixtures.Option) *corev1.Pod {
		return companion(name, fixtures.Pod(2, fixtures.Named(name, fixtures.Ignoring, options...)))
	}
	t := trial.Trial{
		ID: "eviction/preemption-order",
		About: "If one pod is not enough, pods of several QoS classes make room for a critical one: one after " +
			"another, the best-effort one first, then of five burstable ones that fit equally well those with the " +
			"smallest requests.",
		Pod: fixtures.Single(5, fixtures.Ignoring, storage("15Mi"), mem("32Mi")),
		Companions: []*corev1.Pod{
			ignoring(modest, storage("15Mi")), ignoring(guaranteed, all...),
			companion(critical, fixtures.With(
				fixtures.Pod(1, fixtures.Named(critical, victim.Run{Term: victim.ExitNow}, storage("103Mi"))),
				fixtures.Priority(fixtures.NodeCritical),
			)),
		},
		Worker:    smallDisk,
		KillCause: formula.ByPreemption,
		Faults:    []trial.Fault{{Action: trial.CreatePod, Pod: critical, After: 3 * time.Second}},
		Lasts:     36 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Injected, trial.SIGTERM.Of(modest), formula.PreemptionStart),
			claims.Between(trial.Gone.Of(modest), trial.SIGTERM, formula.PreemptedNext),
		},
	}
	last := trial.Main
	for i, name := range []string{"larger", "still-larger", "very-large"} {
		t.Companions = append(t.Companions, ignoring(name, storage("15Mi"), mem(fmt.Sprintf("%dMi", 64+32*i))))
		t.Claims = append(t.Claims, claims.Between(trial.Gone.Of(last), trial.SIGTERM.Of(name), formula.PreemptedNext))
		last = name
	}
	t.Companions = append(t.Companions, ignoring("largest", storage("15Mi"), mem("160Mi")))
	for _, name := range []string{"largest", guaranteed} {
		t.Claims = append(t.Claims,
			claims.New(trial.Ended(name, trial.Gone.Of(last), 12*time.Second), formula.NotEvicted))
	}
	t.Claims = slices.Concat(t.Claims, []trial.Claim{
		claims.Between(trial.Gone.Of(last), trial.Started.Of(critical), formula.PreemptorStart, formula.PreemptorFirst),
	}, claims.Death(modest, formula.Remainder), claims.Death(trial.Main, formula.Remainder), endedForGood)
	return t
}

// preemptionOfGuaranteed returns the trial of a critical pod for which one of two guaranteed pods makes room.
func preemptionOfGuaranteed() trial.Trial {
	const larger, critical = "larger", "critical"
	sized := func(cpu string) []fixtures.Option {
		return slices.Concat(needs(corev1.ResourceCPU, cpu), needs(corev1.ResourceMemory, "64Mi"),
			[]fixtures.Option{fixtures.Request(corev1.ResourceEphemeralStorage, "40Mi")})
	}
	return trial.Trial{
		ID: "eviction/preemption-of-guaranteed",
		About: "A guaranteed pod makes room for a critical one if no other can: of two with the same memory, the one " +
			"that requests less CPU.",
		Pod: fixtures.Single(5, fixtures.Ignoring, sized(enoughCPU)...),
		Companions: []*corev1.Pod{
			companion(larger, fixtures.Pod(3, fixtures.Named(larger, fixtures.Ignoring, sized("400m")...))),
			companion(critical, fixtures.With(
				fixtures.Pod(1, fixtures.Named(critical, victim.Run{Term: victim.ExitNow},
					fixtures.Request(corev1.ResourceEphemeralStorage, "50Mi"))),
				fixtures.Priority(fixtures.NodeCritical),
			)),
		},
		Worker:    smallDisk,
		KillCause: formula.ByPreemption,
		Nightly:   true,
		Faults:    []trial.Fault{{Action: trial.CreatePod, Pod: critical, After: 3 * time.Second}},
		Lasts:     26 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.Between(trial.Injected, trial.SIGTERM, formula.PreemptionStart),
			claims.Between(trial.Gone, trial.Started.Of(critical), formula.PreemptorStart, formula.PreemptorFirst),
			claims.New(trial.Ended(larger, trial.Gone, 12*time.Second), formula.NotEvicted),
		}, claims.Death(trial.Main, formula.Remainder), endedForGood),
	}
}
