package event

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

const end = 100

func at(second int) timeline.Instant { return timeline.Instant{At: int64(second) * 1e9} }

func event(second int, count int32, kind, path, reason, message string) timeline.Event {
	_, name, _ := strings.Cut(strings.TrimSuffix(path, "}"), "{")
	return timeline.Event{
		At: at(second), Container: name, Reason: reason, Message: message, Count: count, Type: kind, Source: "kubelet",
		Path: path, Recorded: int64(second),
	}
}

// probed is a pod whose container fails its liveness probe twice, starts again after a back-off, and is deleted.
func probed() Pod {
	const path = "spec.containers{a}"
	http := corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}}
	signal := []timeline.Instant{at(20), at(60)}
	fails := []timeline.Probe{{At: at(14), For: "liveness", Answer: "F"}, {At: at(19), For: "liveness", Answer: "F"}}
	started := []timeline.Instant{at(10), at(40)}
	lives := []*timeline.Life{
		{Number: 1, Started: &started[0], SIGTERMs: signal[:1], Probes: fails},
		{Number: 2, Started: &started[1], SIGTERMs: signal[1:]},
	}
	return Pod{
		Spec: &corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "first"}},
			Containers: []corev1.Container{
				{Name: "a", LivenessProbe: &corev1.Probe{ProbeHandler: http, FailureThreshold: 2}},
			},
		},
		Events: []timeline.Event{
			event(9, 1, normal, path, "Pulled", `Container image "fault:1" already present on machine`),
			event(9, 1, normal, path, "Created", "Container created"),
			event(10, 1, normal, path, "Started", "Container started"),
			event(14, 1, warning, path, "Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 503"),
			event(19, 2, warning, path, "Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 503"),
			event(19, 1, normal, path, "Killing", "Container a failed liveness probe, will be restarted"),
			event(30, 1, warning, path, "BackOff",
				"Back-off restarting failed container a in pod p_podclock(00ab-1)"),
			event(39, 2, normal, path, "Pulled", `Container image "fault:1" already present on machine`),
			event(39, 2, normal, path, "Created", "Container created"),
			event(40, 2, normal, path, "Started", "Container started"),
			event(60, 1, normal, path, "Killing", "Stopping container a"),
		},
		Versions: []timeline.Version{{At: at(31), Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "a", State: waits("CrashLoopBackOff")},
		}}}},
		Life: func(container string, number int) *timeline.Life {
			if container != "a" || number > len(lives) {
				return nil
			}
			return lives[number-1]
		},
		Known: at(end).At, Alone: true,
	}
}

func waits(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
}

// without drops the events of a reason whose message contains a text.
func without(reason, message string) func(*Pod) {
	return func(p *Pod) {
		p.Events = slices.DeleteFunc(p.Events, func(e timeline.Event) bool {
			return e.Reason == reason && strings.Contains(e.Message, message)
		})
	}
}

// changed changes the events of a reason.
func changed(reason string, change func(*timeline.Event)) func(*Pod) {
	return func(p *Pod) {
		for i := range p.Events {
			if p.Events[i].Reason == reason {
				change(&p.Events[i])
			}
		}
	}
}

func message(text string) func(*timeline.Event) {
	return func(e *timeline.Event) { e.Message = text }
}

func with(e ...timeline.Event) func(*Pod) { return func(p *Pod) { p.Events = append(p.Events, e...) } }

func shows(s corev1.PodStatus) func(*Pod) {
	return func(p *Pod) { p.Versions = append(p.Versions, timeline.Version{At: at(70), Status: s}) }
}

func state(s corev1.ContainerState) func(*Pod) {
	return shows(corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "a", State: s}}})
}

// Each case is one fault.
func TestCheckFindsOneFault(t *testing.T) {
	const path = "spec.containers{a}"
	failed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "StartError"}}
	evicted := corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node had condition: [X]. "}
	refused := corev1.PodStatus{Phase: corev1.PodFailed, Reason: "OutOfcpu", Message: "Pod was rejected: no cpu"}
	for name, c := range map[string]struct {
		change func(*Pod)
		of     timeline.Report
		why    string
	}{
		"another type": {
			changed("Pulled", func(e *timeline.Event) { e.Type = warning }), Forms, "event Pulled of type Warning",
		},
		"another list of containers": {
			changed("Started", func(e *timeline.Event) { e.Path = "spec.initContainers{a}" }), Forms,
			"is about spec.initContainers{a}, which the pod does not have",
		},
		"a container's event without container": {
			with(event(50, 1, warning, "", "Unhealthy", "Liveness probe failed: ")), Forms, "can't be about the pod",
		},
		"a pod's event of a container": {
			with(event(50, 1, normal, path, "SandboxChanged", "x")), Forms, "can't be about spec.containers{a}",
		},
		"a probe that the container lacks": {
			with(event(50, 1, warning, path, "Unhealthy", "Readiness probe failed: x")),
			Forms, "Readiness",
		},
		"a format as message": {
			with(event(50, 1, warning, path, "Failed", "Error: x%!(EXTRA string=y)")), Forms, "EXTRA",
		},
		"no message": {with(event(50, 1, normal, path, "Killing", "")), Forms, `message ""`},
		"an ID instead of a name": {
			with(event(50, 1, normal, path, "Killing", "Stopping container 0ab")), Forms, "0ab",
		},
		"another container's name": {
			with(event(50, 1, warning, path, "BackOff",
				"Back-off restarting failed container first in pod p_podclock(00ab-1)")), Forms, "container first",
		},
		"no word of the restart": {
			changed("Killing", func(e *timeline.Event) {
				e.Message = strings.TrimSuffix(e.Message, ", will be restarted")
			}), Forms, "failed liveness probe",
		},
		"another resource's eviction": {
			with(event(50, 1, warning, "", "Evicted", "The node was low on resource: . ")), Forms, "low on resource",
		},
		"an image without name":     {changed("Pulled", message(`Pulling image ""`)), Forms, "Pulling"},
		"a start of nothing":        {without("Created", ""), Order, "Started 1 times, but Created 0 times"},
		"a container without image": {without("Pulled", ""), Order, "Created 1 times, but Pulled 0 times"},
		"the pod's end instead of a probe": {
			changed("Killing", message("Stopping container a")), Order, "which says that its pod ends",
		},
		"a kill after one failed probe": {
			func(p *Pod) { p.Events = slices.Delete(p.Events, 4, 5); p.Life("a", 1).Probes = nil }, Order,
			"after 1 events Unhealthy",
		},
		"a resize without a start": {
			with(event(50, 1, normal, "", "ResizeCompleted", `Pod resize completed: {"containers":[],"generation":2}`)),
			Order, "before ResizeStarted",
		},
		"a start without event": {without("Started", ""), Lives, "life 1 of container a started"},
		"a restart without event": {
			changed("Started", func(e *timeline.Event) { e.Count = 1 }), Lives, "life 2 of container a started",
		},
		"a kill without event": {without("Killing", "Stopping"), Lives, "life 2 of container a was killed"},
		"a probe without event": {
			func(p *Pod) {
				p.Life("a", 2).Probes = []timeline.Probe{{At: at(50), For: "liveness", Answer: "F"}}
			}, Lives, "liveness probe 3 of container a failed",
		},
		"a back-off without event":  {without("BackOff", ""), States, "CrashLoopBackOff"},
		"a failed config":           {state(waits("CreateContainerConfigError")), States, "no event Failed"},
		"a failed start":            {state(failed), States, "no event Failed"},
		"a failed pull":             {state(waits("ErrImagePull")), States, "no event Pulling"},
		"a failed hook":             {state(waits("PostStartHookError")), States, "no event FailedPostStartHook"},
		"an eviction without event": {shows(evicted), States, "reason Evicted"},
		"a refusal without event":   {shows(refused), States, "reason OutOfcpu"},
		"a new sandbox without event": {
			func(p *Pod) {
				for _, is := range []corev1.ConditionStatus{"True", "False", "True"} {
					shows(corev1.PodStatus{Conditions: []corev1.PodCondition{
						{Type: corev1.PodReadyToStartContainers, Status: is},
					}})(p)
				}
			}, States, "no event SandboxChanged",
		},
		"an eviction for another cause": {
			func(p *Pod) {
				shows(evicted)(p)
				with(event(65, 1, warning, "", "Evicted", "The node had condition: [Y]. "))(p)
			}, States, "reason Evicted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := probed()
			c.change(&p)
			k := timeline.NewChecked()
			Check(k, p)
			g.Expect(k.Wrong).To(HaveKey(c.of))
			g.Expect(k.Wrong[c.of][0].Why).To(ContainSubstring(c.why))
		})
	}
}

// What a kubelet may do, or what the evidence does not show, is no fault.
func TestCheckHasNoFalseAlarm(t *testing.T) {
	for name, change := range map[string]func(*Pod){
		"nothing":     func(*Pod) {},
		"no events":   func(p *Pod) { p.Events = nil },
		"other names": changed("Created", message("Created container: a")),
		"an event of another component": func(p *Pod) {
			with(event(50, 1, warning, "", "Evicted", "x"))(p)
			p.Events[len(p.Events)-1].Source = "taint-eviction-controller"
		},
		"a container of the cluster's": func(p *Pod) {
			with(event(50, 1, normal, "spec.containers{proxy}", "Started", "Container started"))(p)
			shows(corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "proxy"}}})(p)
		},
		"a run of an earlier revision": func(p *Pod) {
			for i := range p.Events {
				p.Events[i].Type, p.Events[i].Source = "", ""
			}
			without("Started", "")(p)
		},
		"a restarted kubelet": func(p *Pod) {
			p.Alone = false
			without("Started", "")(p)
		},
		"an event on its way": func(p *Pod) {
			for i := range p.Events {
				p.Events[i].At.Late = 1
			}
			without("Killing", "Stopping")(p)
		},
		"dropped events": func(p *Pod) {
			p.Events[4].Count = spamBurst
			p.Events = slices.DeleteFunc(p.Events, func(e timeline.Event) bool { return e.Recorded > 19 })
		},
		"events that stand for others": func(p *Pod) {
			p.Events[5].Message = aggregated + p.Events[5].Message
			without("BackOff", "")(p)
		},
		"a kill that is tried again": func(p *Pod) {
			p.Events = slices.Insert(p.Events, 6,
				event(25, 2, normal, "spec.containers{a}", "Killing", p.Events[5].Message))
		},
		"a new sandbox": func(p *Pod) {
			changed("Killing", message("Stopping container a"))(p)
			with(event(18, 1, normal, "", "SandboxChanged",
				"Pod sandbox changed, it will be killed and re-created."))(p)
		},
		"a watch that began again": func(p *Pod) {
			p.Events = append(p.Events[:7], p.Events[9], p.Events[8], p.Events[7], p.Events[10])
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := probed()
			change(&p)
			k := timeline.NewChecked()
			Check(k, p)
			NewWithT(t).Expect(k.Wrong).To(BeEmpty())
		})
	}
}

// Two lives may each fail their probe within one second, which is all that events tell.
func TestTwoKillsOfOneSecond(t *testing.T) {
	g := NewWithT(t)
	const path = "spec.containers{a}"
	p := probed()
	p.Spec.Containers[0].LivenessProbe.FailureThreshold = 1
	p.Versions, p.Life = nil, func(string, int) *timeline.Life { return nil }
	p.Events = nil
	for life, second := range []int{10, 10, 11} {
		n := int32(life + 1)
		p.Events = append(p.Events,
			event(10, n, normal, path, "Pulled", `Container image "fault:1" already present on machine`),
			event(10, n, normal, path, "Created", "Container created"),
			event(10, n, normal, path, "Started", "Container started"),
			event(10, n, warning, path, "Unhealthy", "Liveness probe failed: x"),
			event(second, n, normal, path, "Killing", "Container a failed liveness probe, will be restarted"))
	}
	k := timeline.NewChecked()
	Check(k, p)
	g.Expect(k.Wrong[Order]).To(BeEmpty())
	p.Events = slices.Delete(p.Events, 13, 14) // the last failed probe
	k = timeline.NewChecked()
	Check(k, p)
	g.Expect(k.Wrong[Order]).To(HaveLen(1))
}
