package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
)

// spec is a pod with an init container, a sidecar and two containers.
func spec() *corev1.PodSpec {
	always := corev1.ContainerRestartPolicyAlways
	return &corev1.PodSpec{
		RestartPolicy:  corev1.RestartPolicyOnFailure,
		InitContainers: []corev1.Container{{Name: "init"}, {Name: "side", RestartPolicy: &always}},
		Containers: []corev1.Container{
			{
				Name: "b", Args: victim.Run{Log: "a line"}.Args(),
				TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			},
			{Name: "a", ReadinessProbe: &corev1.Probe{}},
		},
	}
}

func requests(memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
}

func second(n int) metav1.Time { return metav1.Unix(int64(1000+n), 0) }

func runs(name string, restarts int32) corev1.ContainerStatus {
	s := corev1.ContainerStatus{
		Name: name, Ready: true, Started: new(true), RestartCount: restarts, Image: "fault", ImageID: "sha256:1",
		ContainerID: "c://" + name + string('0'+restarts),
		State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: second(int(restarts))}},
	}
	if restarts > 0 {
		s.LastTerminationState.Terminated = ended(name, restarts-1, 1)
	}
	return s
}

func ended(name string, life, code int32) *corev1.ContainerStateTerminated {
	e := &corev1.ContainerStateTerminated{
		ContainerID: "c://" + name + string('0'+life), ExitCode: code, Reason: "Error",
		StartedAt: second(int(life)), FinishedAt: second(int(life) + 1),
	}
	switch {
	case code == 0:
		e.Reason = "Completed"
	case name == "b":
		e.Message = "a line\n"
	}
	return e
}

// running is a version in which all runs and is ready.
func running(at int) timeline.Version {
	start := second(0)
	init := runs("init", 0)
	init.State, init.Started = corev1.ContainerState{Terminated: ended("init", 0, 0)}, new(false)
	v := timeline.Version{
		At: timeline.Instant{At: second(at).UnixNano()}, Generation: 1, Ref: "pod_ns(uid)",
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, StartTime: &start, QOSClass: corev1.PodQOSBurstable, ObservedGeneration: 1,
			HostIP: "1.1.1.1", HostIPs: []corev1.HostIP{{IP: "1.1.1.1"}},
			PodIP: "2.2.2.2", PodIPs: []corev1.PodIP{{IP: "2.2.2.2"}},
			InitContainerStatuses: []corev1.ContainerStatus{init, runs("side", 0)},
			ContainerStatuses:     []corev1.ContainerStatus{runs("a", 0), runs("b", 0)},
		},
	}
	for _, kind := range append([]corev1.PodConditionType{"another"}, kubelets...) {
		v.Status.Conditions = append(v.Status.Conditions, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: second(2), ObservedGeneration: 1,
		})
	}
	return v
}

// Each change breaks one rule.
func TestCheck(t *testing.T) {
	type versions struct{ was, is *timeline.Version }
	status := func(v *timeline.Version, i int) *corev1.ContainerStatus { return &v.Status.ContainerStatuses[i] }
	set := func(v *timeline.Version, kind corev1.PodConditionType, is corev1.ConditionStatus, why string, at int) {
		c := conditionOf(v.Status, kind)
		c.Status, c.Reason, c.LastTransitionTime = is, why, second(at)
	}
	unready := func(v *timeline.Version, why string) {
		set(v, corev1.ContainersReady, corev1.ConditionFalse, why, 8)
		set(v, corev1.PodReady, corev1.ConditionFalse, why, 8)
	}
	say := func(v *timeline.Version, message string) {
		conditionOf(v.Status, corev1.ContainersReady).Message = message
		conditionOf(v.Status, corev1.PodReady).Message = message
	}
	waits := func(v *timeline.Version, reason, message string) {
		b := status(v, 1)
		b.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
		b.LastTerminationState.Terminated = ended("b", 0, 1)
		b.Ready, b.Started = false, new(false)
		unready(v, "ContainersNotReady")
		say(v, "containers with unready status: [b]")
	}
	fails := func(v *timeline.Version, reason, message string) {
		v.Status.Phase, v.Status.Reason, v.Status.Message = corev1.PodFailed, reason, message
		for i := range v.Status.ContainerStatuses {
			s := status(v, i)
			s.State, s.Ready, s.Started = corev1.ContainerState{Terminated: ended(s.Name, 0, 1)}, false, new(false)
		}
		unready(v, "PodFailed")
	}
	disrupted := func(v *timeline.Version, reason, message string) {
		v.Status.Conditions = append(v.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: message,
		})
	}
	again := func(v *timeline.Version) {
		set(v, corev1.ContainersReady, corev1.ConditionTrue, "", 9)
		set(v, corev1.PodReady, corev1.ConditionTrue, "", 9)
		say(v, "")
	}
	crashed := func(v *timeline.Version) {
		b := status(v, 1)
		b.State, b.Ready, b.Started = corev1.ContainerState{Terminated: ended("b", 0, 1)}, false, new(false)
		unready(v, "ContainersNotReady")
		say(v, "containers with unready status: [b]")
	}
	for name, c := range map[string]struct {
		change func(versions)
		report timeline.Report
		why    string
	}{
		"nothing":          {func(versions) {}, "", ""},
		"a restart":        {func(v versions) { crashed(v.was); *status(v.is, 1) = runs("b", 1); again(v.is) }, "", ""},
		"an announced end": {func(v versions) { unready(v.is, "PodFailed") }, "", ""},
		"without kubelet": {func(v versions) {
			v.is.Status = corev1.PodStatus{Phase: corev1.PodPending}
		}, "", ""},
		"sidecar left out": {func(v versions) {
			v.is.Status.InitContainerStatuses = v.is.Status.InitContainerStatuses[:1]
		}, Containers, "expected [init side]"},
		"order of the spec": {func(v versions) {
			s := v.is.Status.ContainerStatuses
			s[0], s[1] = s[1], s[0]
		}, Containers, "expected [a b]"},
		"no state": {func(v versions) {
			status(v.is, 0).State = corev1.ContainerState{}
		}, Containers, "has 0 states"},
		"no image": {func(v versions) { status(v.is, 0).ImageID = "" }, Containers, "without an ID"},
		"no start": {func(v versions) {
			status(v.is, 0).State.Running.StartedAt = metav1.Time{}
		}, Containers, "without startedAt"},
		"start to come": {func(v versions) {
			status(v.is, 0).State.Running.StartedAt = second(60)
		}, Containers, "starts only at"},
		"started unset": {func(v versions) { status(v.is, 0).Started = nil }, Containers, "started is unset"},
		"unready for nobody": {func(v versions) {
			status(v.is, 1).Ready = false
			unready(v.is, "ContainersNotReady")
		}, Containers, "no probe for that"},
		"ready when dead": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).Ready, status(v.is, 1).Started = true, nil
		}, Containers, "does not run"},
		"started when dead": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).Started = new(true)
		}, Containers, "has started, but does not run"},
		"init not ready": {func(v versions) {
			v.is.Status.InitContainerStatuses[0].Ready = false
		}, Containers, "succeeded is true"},
		"another's end": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.ContainerID = "c://x"
		}, Containers, "the one that ended is"},
		"end of success": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.Reason = "Completed"
		}, Containers, "ended with 1"},
		"end before start": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.FinishedAt = second(-2)
		}, Containers, "finished before"},
		"end without times": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.FinishedAt = metav1.Time{}
		}, Containers, "without startedAt or"},
		"no message": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.Message = ""
		}, Containers, `ended with the message "", expected "a line\n"`},
		"lastState at once": {func(v versions) {
			status(v.is, 1).LastTerminationState.Terminated = ended("b", 0, 1)
		}, Containers, "restartCount 0"},
		"lost end": {func(v versions) {
			crashed(v.was)
			*status(v.is, 1) = runs("b", 1)
			status(v.is, 1).LastTerminationState.Terminated = nil
		}, LastEnds, "is not its lastState"},
		"another exit code": {func(v versions) {
			crashed(v.was)
			*status(v.is, 1) = runs("b", 1)
			status(v.is, 1).LastTerminationState.Terminated.ExitCode = 2
		}, LastEnds, "is not its lastState"},
		"taken back": {func(v versions) {
			v.is.Status.InitContainerStatuses[0].State = corev1.ContainerState{
				Running: &corev1.ContainerStateRunning{StartedAt: second(1)},
			}
		}, LastEnds, "had ended with 0 for good"},
		"end of a sidecar made up": {func(v versions) {
			v.is.Status.InitContainerStatuses[1].State = corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{
					Reason: "Completed", Message: "Unable to get init container",
				},
			}
		}, Waits, "container side ended without an ID"},
		"restarts back": {func(v versions) {
			*status(v.was, 1) = runs("b", 1)
			*status(v.is, 1) = runs("b", 0)
		}, LastEnds, "went from 1 to 0"},
		"same container": {func(v versions) {
			*status(v.is, 1) = runs("b", 1)
			status(v.is, 1).ContainerID = status(v.was, 1).ContainerID
		}, LastEnds, "is the same"},
		"uncounted": {func(v versions) {
			status(v.is, 1).ContainerID = "c://b9"
		}, LastEnds, "restartCount is the same"},
		"another start": {func(v versions) {
			status(v.is, 1).State.Running.StartedAt = second(1)
		}, LastEnds, "startedAt of container b changed"},
		"ready at heart": {func(v versions) {
			crashed(v.is)
			set(v.is, corev1.PodReady, "True", "", 2)
		}, Conditions, "condition Ready is True"},
		"no condition": {func(v versions) {
			v.is.Status.Conditions = v.is.Status.Conditions[:5]
		}, Conditions, "condition Ready is missing"},
		"twice": {func(v versions) {
			v.is.Status.Conditions[0].Type = corev1.PodReady
		}, Conditions, "is there twice"},
		"unscheduled": {func(v versions) {
			set(v.is, corev1.PodScheduled, "False", "", 8)
		}, Conditions, "condition PodScheduled"},
		"not initialized": {func(v versions) {
			set(v.is, corev1.PodInitialized, "False", "ContainersNotInitialized", 8)
		}, Conditions, "condition Initialized"},
		"sandbox not ready": {func(v versions) {
			set(v.is, corev1.PodReadyToStartContainers, "False", "", 8)
		}, Conditions, "PodReadyToStartContainers is False"},
		"transition to come": {func(v versions) {
			set(v.is, corev1.PodReady, "True", "", 60)
		}, Transitions, "changed only at"},
		"transition back": {func(v versions) {
			set(v.is, corev1.PodReady, "True", "", 1)
		}, Transitions, "went back"},
		"transition again": {func(v versions) {
			set(v.is, corev1.PodScheduled, "True", "", 8)
		}, Transitions, "did not change, but"},
		"transition kept": {func(v versions) {
			v.was.At.At = second(6).UnixNano() // later than its status may be on its way
			crashed(v.is)
			set(v.is, corev1.PodReady, "False", "ContainersNotReady", 2)
		}, Transitions, "changed, but"},
		"pending": {func(v versions) {
			v.was.Status.Phase, v.is.Status.Phase = corev1.PodPending, corev1.PodPending
		}, Phases, "none is to start"},
		"back to pending": {func(v versions) {
			v.is.Status.Phase = corev1.PodPending
		}, Phases, "none is to start"},
		"running again": {func(v versions) {
			v.is.Status.InitContainerStatuses[0] = runs("init", 1)
			v.is.Status.InitContainerStatuses[0].LastTerminationState.Terminated = ended("init", 0, 0)
		}, PhasesAgain, "is Running, but container init has not run"},
		"failed alive": {func(v versions) {
			v.is.Status.Phase = corev1.PodFailed
			unready(v.is, "PodFailed")
		}, Phases, "is Failed, but a container runs"},
		"another end": {func(v versions) {
			unready(v.was, "PodCompleted")
			v.is.Status.Phase = corev1.PodFailed
			unready(v.is, "PodFailed")
		}, Phases, "the conditions before it said Succeeded"},
		"early": {func(v versions) {
			status(v.is, 1).State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "x"}}
			status(v.is, 1).Ready, status(v.is, 1).Started = false, new(false)
			unready(v.is, "ContainersNotReady")
		}, Phases, "container b has not run"},
		"two host IPs": {func(v versions) {
			v.is.Status.HostIPs = []corev1.HostIP{{IP: "3.3.3.3"}}
		}, Addresses, "hostIPs begin with"},
		"no host IP": {func(v versions) { v.is.Status.HostIP = "" }, Addresses, "hostIP is unset"},
		"no pod IP": {func(v versions) {
			v.is.Status.PodIP, v.is.Status.PodIPs = "", nil
		}, Addresses, "has no podIP"},
		"families": {func(v versions) {
			v.is.Status.PodIPs = []corev1.PodIP{{IP: "fd00::2"}, {IP: "2.2.2.2"}}
			v.is.Status.PodIP = "fd00::2"
		}, Addresses, "should have the family of hostIP"},
		"two pod IPs": {func(v versions) { v.is.Status.PodIPs = nil }, Addresses, "but podIPs are"},
		"moved": {func(v versions) {
			v.is.Status.PodIP, v.is.Status.PodIPs = "4.4.4.4", []corev1.PodIP{{IP: "4.4.4.4"}}
		}, Addresses, "podIP went from"},
		"best effort": {func(v versions) {
			v.is.Status.QOSClass = corev1.PodQOSBestEffort
		}, Class, "expected Burstable"},
		"next generation": {func(v versions) {
			v.is.Status.ObservedGeneration = 3
		}, Generations, "but the pod has 1"},
		"of a condition": {func(v versions) {
			conditionOf(v.is.Status, corev1.PodReady).ObservedGeneration = 3
		}, Generations, "condition Ready observed"},
		"of no condition": {func(v versions) {
			conditionOf(v.is.Status, corev1.PodReady).ObservedGeneration = 0
		}, Generations, "condition Ready observed no generation"},
		"generation again": {func(v versions) {
			v.was.Status.ObservedGeneration = 2
		}, Generations, "went from 2 to 1"},
		"second at once": {func(v versions) { v.was.Generation = 2 }, Server, "has generation 2"},
		"unready unnamed": {func(v versions) {
			crashed(v.is)
			say(v.is, "containers with unready status: [a b]")
		}, Conditions, "expected \"containers with unready status: [b]\""},
		"completed by half": {func(v versions) {
			unready(v.is, "PodCompleted")
		}, Conditions, "only one of the conditions"},
		"lost condition": {func(v versions) {
			v.is.Status.Conditions = slices.Delete(v.is.Status.Conditions, 2, 3)
		}, Conditions, "condition PodReadyToStartContainers is gone"},
		"no sandbox condition": {func(v versions) {
			v.is.Status.Conditions = slices.Delete(v.is.Status.Conditions, 2, 3)
		}, Sandboxes, "is missing"},
		"sandbox without message": {func(v versions) {
			set(v.is, corev1.PodReadyToStartContainers, "False", "PodSandboxNotReady", 8)
		}, Sandboxes, "with the message \"\""},
		"no rule to restart all": {func(v versions) {
			v.is.Status.Conditions[0].Type = corev1.AllContainersRestarting
		}, Conditions, "no rule restarts all containers"},
		"resize without message": {func(v versions) {
			v.is.Status.Conditions[0].Type, v.is.Status.Conditions[0].Reason = corev1.PodResizePending, "Deferred"
		}, Conditions, "has the reason \"Deferred\""},
		"started later": {func(v versions) {
			start := second(3)
			v.is.Status.StartTime = &start
		}, Transitions, "startTime went"},
		"sidecar yet to start": {func(v versions) {
			v.is.Status.InitContainerStatuses[1].Started, v.is.Status.InitContainerStatuses[1].Ready = new(false), false
			for i := range 2 {
				s := status(v.is, i)
				*s = corev1.ContainerStatus{Name: s.Name}
				s.State.Waiting, s.LastTerminationState.Terminated = &corev1.ContainerStateWaiting{}, ended("a", 0, 1)
			}
		}, Phases, "a sidecar has not started"},
		"back-off": {func(v versions) {
			waits(v.is, "CrashLoopBackOff", "back-off 20s restarting failed container=b pod=pod_ns(uid)")
		}, "", ""},
		"another's back-off": {func(v versions) {
			waits(v.is, "CrashLoopBackOff", "back-off 20s restarting failed container=a pod=pod_ns(uid)")
		}, Waits, "waits with CrashLoopBackOff"},
		"another pod's back-off": {func(v versions) {
			waits(v.is, "CrashLoopBackOff", "back-off 20s restarting failed container=b pod=pod_ns(other)")
		}, Waits, "waits with CrashLoopBackOff"},
		"back-off out of series": {func(v versions) {
			waits(v.was, "CrashLoopBackOff", "back-off 25s restarting failed container=b pod=pod_ns(uid)")
			waits(v.is, "CrashLoopBackOff", "back-off 40s restarting failed container=b pod=pod_ns(uid)")
		}, Waits, "back-off 40s"},
		"no init containers": {func(v versions) {
			waits(v.is, "ContainerCreating", "")
		}, Waits, "waits with ContainerCreating"},
		"pull of another image": {func(v versions) {
			waits(v.is, "ImagePullBackOff", `Back-off pulling image "x"`)
			status(v.is, 1).ContainerID = ""
		}, Waits, "waits with ImagePullBackOff"},
		"key of another namespace": {func(v versions) {
			waits(v.is, "CreateContainerConfigError", "couldn't find key k in Secret pod/ns")
		}, Waits, "waits with CreateContainerConfigError"},
		"hook of another": {func(v versions) {
			waits(v.is, "PostStartHookError",
				`Exec lifecycle hook ([x]) for Container "a" in Pod "pod_ns(uid)" failed - error: x`)
		}, Waits, "waits with PostStartHookError"},
		"error without message": {func(v versions) {
			waits(v.is, "CreateContainerError", "")
		}, Waits, "waits with CreateContainerError"},
		"end from nowhere": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.ContainerID = ""
		}, Waits, "ended without an ID"},
		"an eviction": {func(v versions) {
			low := "The node was low on resource: memory. Container a was using 6Mi, request is 0, " +
				"has larger consumption of memory. "
			fails(v.is, "Evicted", low)
			disrupted(v.is, "TerminationByKubelet", low)
		}, "", ""},
		"eviction without message": {func(v versions) {
			fails(v.is, "Evicted", "")
		}, Reasons, "but its message is \"\""},
		"message of another end": {func(v versions) {
			fails(v.is, "Evicted", deadlineMessage)
		}, Reasons, "the pod's reason is Evicted, but"},
		"evicted for another": {func(v versions) {
			fails(v.is, "Evicted", `Container x exceeded its local ephemeral storage limit "20Mi". `)
		}, Reasons, "which it does not have"},
		"refused without message": {func(v versions) {
			v.is.Status = corev1.PodStatus{
				Phase: corev1.PodFailed, Reason: "OutOfcpu", Message: "Pod was rejected: ",
				StartTime: v.is.Status.StartTime, QOSClass: v.is.Status.QOSClass,
			}
		}, Reasons, "the pod's reason is OutOfcpu, but"},
		"refused while it runs": {func(v versions) {
			v.is.Status = corev1.PodStatus{
				Phase: corev1.PodRunning, Reason: "OutOfcpu", Message: "Pod was rejected: no cpu",
				StartTime: v.is.Status.StartTime, QOSClass: v.is.Status.QOSClass,
				ObservedGeneration: v.is.Status.ObservedGeneration,
			}
		}, "", ""},
		"badly formatted": {func(v versions) {
			fails(v.is, "Evicted", "%!(EXTRA string=x)")
		}, Reasons, "the message of the pod is"},
		"reason of an end lost": {func(v versions) {
			fails(v.was, "DeadlineExceeded", deadlineMessage)
			fails(v.is, "", "")
		}, Reasons, "the pod's reason went"},
		"disruption of none": {func(v versions) {
			disrupted(v.is, "TerminationByKubelet", shutdownMessage)
		}, Disruptions, "but the phase is Running"},
		"shutdown without disruption": {func(v versions) {
			fails(v.is, "Terminated", shutdownMessage)
		}, Disruptions, "has no DisruptionTarget"},
		"preemption without message": {func(v versions) {
			fails(v.is, "Preempting", preemptMessage)
			disrupted(v.is, "TerminationByKubelet", "")
		}, Disruptions, "the message of DisruptionTarget is \"\""},
		"API eviction unsaid": {func(v versions) {
			disrupted(v.is, "EvictionByEvictionAPI", "")
		}, Server, "the message of DisruptionTarget is \"\""},
		"end of an init container lost": {func(v versions) {
			init := &v.is.Status.InitContainerStatuses[0]
			init.State, init.ContainerID = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, "c://init1"
		}, KeptEnds, "is not its lastState"},
		"another start of an end": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).State.Terminated.StartedAt = second(1)
		}, LastEnds, "changed with its end"},
		"resources unsaid": {func(v versions) {
			status(v.is, 1).AllocatedResources = requests("1Mi")
		}, Resources, "but no resources"},
		"resources of the dead": {func(v versions) {
			crashed(v.is)
			status(v.is, 1).AllocatedResources = requests("1Mi")
			status(v.is, 1).Resources = &corev1.ResourceRequirements{Requests: requests("2Mi")}
		}, Resources, "are not those allocated"},
		"resources without a resize": {func(v versions) {
			status(v.is, 1).Resources = &corev1.ResourceRequirements{Requests: requests("2Mi")}
		}, Resources, "changed without a resize"},
		"resources of before": {func(v versions) {
			v.is.Generation = 2
			for _, s := range []*corev1.ContainerStatus{status(v.was, 1), status(v.is, 1)} {
				s.AllocatedResources = requests("1Mi")
				s.Resources = &corev1.ResourceRequirements{Requests: requests("2Mi")}
			}
		}, Resources, "but 1Mi is allocated"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			was, is := running(5), running(10)
			c.change(versions{&was, &is})
			checked := timeline.NewChecked()
			Check(checked, spec(), []timeline.Version{was, is})
			if c.report == "" {
				g.Expect(checked.Wrong).To(BeEmpty())
				return
			}
			var why []string
			for _, wrong := range checked.Wrong[c.report] {
				g.Expect(wrong.At).To(BeElementOf(was.At.At, is.At.At))
				why = append(why, wrong.Why)
			}
			g.Expect(why).To(ContainElement(ContainSubstring(c.why)))
		})
	}
}

// A process that ends at once may end in the second before its runtime notes the start.
func TestEndAtOnce(t *testing.T) {
	for started, want := range map[int]int{2: 0, 3: 0, 4: 1} {
		is := running(5)
		is.Status.ContainerStatuses[1] = runs("b", 1)
		last := is.Status.ContainerStatuses[1].LastTerminationState.Terminated
		last.StartedAt, last.FinishedAt = second(started), second(2)
		checked := timeline.NewChecked()
		Check(checked, spec(), []timeline.Version{is})
		NewWithT(t).Expect(checked.Wrong[Containers]).To(HaveLen(want), "started at second %d", started)
	}
}

// A condition may have changed twice between two versions only if a container restarted, or probes had time for two
// results.
func TestFlickerOfReadiness(t *testing.T) {
	for c, want := range map[struct {
		apart    time.Duration
		restarts int32
	}]int{{500 * time.Millisecond, 0}: 1, {500 * time.Millisecond, 1}: 0, {5 * time.Second, 0}: 0} {
		was, is := running(5), running(10)
		is.At.At = was.At.At + int64(c.apart)
		is.Status.ContainerStatuses[0] = runs(is.Status.ContainerStatuses[0].Name, c.restarts)
		conditionOf(is.Status, corev1.PodReady).LastTransitionTime = second(5)
		checked := timeline.NewChecked()
		Check(checked, spec(), []timeline.Version{was, is})
		NewWithT(t).Expect(checked.Wrong[Transitions]).To(HaveLen(want), "%+v", c)
	}
}

// Between two versions in which a pod is not ready, the last container may become ready and another one end. A
// container that is unready in both, or a pod that is ready in both, allows no flicker.
func TestReadyMeanwhile(t *testing.T) {
	of := func(ready ...bool) (s corev1.PodStatus) {
		for _, is := range ready {
			s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{Ready: is})
		}
		return s
	}
	beside := func(s corev1.PodStatus) corev1.PodStatus {
		s.InitContainerStatuses = []corev1.ContainerStatus{{}}
		return s
	}
	unready := &corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionFalse}
	ready := &corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionTrue}
	sandbox := &corev1.PodCondition{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}
	for name, c := range map[string]struct {
		before, now corev1.PodStatus
		is          *corev1.PodCondition
		want        bool
	}{
		"one became ready, another ended": {of(true, false), of(false, true), unready, true},
		"one is unready in both":          {of(true, false), of(false, false), unready, false},
		"all are ready in both":           {of(true, true), of(true, true), ready, false},
		"the sandbox":                     {of(true, false), of(false, true), sandbox, false},
		"no containers yet":               {of(), of(), unready, false},
		"the first containers":            {of(), of(true), unready, false},
		"a sidecar is unready in both":    {beside(of(true, false)), beside(of(false, true)), unready, false},
	} {
		NewWithT(t).Expect(readyMeanwhile(c.before, c.now, c.is)).To(Equal(c.want), name)
	}
}

// The status manager may make both conditions of readiness false before it writes the worker's status, which did so
// earlier. No other condition goes back.
func TestReadinessOfATerminalPhase(t *testing.T) {
	at := func(second int) metav1.Time { return metav1.NewTime(time.Unix(int64(second), 0)) }
	for name, c := range map[string]struct {
		kind    corev1.PodConditionType
		was, is corev1.PodPhase
		status  corev1.ConditionStatus
		want    bool
	}{
		"written before the worker's own": {corev1.PodReady, corev1.PodFailed, corev1.PodFailed, corev1.ConditionFalse, true},
		"that of containers":              {corev1.ContainersReady, corev1.PodFailed, corev1.PodFailed, corev1.ConditionFalse, true},
		"of a pod that runs":              {corev1.PodReady, corev1.PodRunning, corev1.PodRunning, corev1.ConditionFalse, false},
		"of a pod that ends now":          {corev1.PodReady, corev1.PodRunning, corev1.PodFailed, corev1.ConditionFalse, false},
		"of another condition":            {corev1.PodInitialized, corev1.PodFailed, corev1.PodFailed, corev1.ConditionFalse, false},
		"that is true":                    {corev1.PodReady, corev1.PodFailed, corev1.PodFailed, corev1.ConditionTrue, false},
	} {
		was := corev1.PodCondition{Type: c.kind, Status: c.status, LastTransitionTime: at(9)}
		is := corev1.PodCondition{Type: c.kind, Status: c.status, LastTransitionTime: at(8)}
		now := corev1.PodStatus{Phase: c.is, ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{FinishedAt: at(7)},
		}}}}
		got := overtaken(corev1.PodStatus{Phase: c.was}, now, &was, &is)
		NewWithT(t).Expect(got).To(Equal(c.want), name)
		later := overtaken(corev1.PodStatus{Phase: c.was}, now, &is, &was)
		NewWithT(t).Expect(later).To(BeFalse(), name)
		now.ContainerStatuses[0].State.Terminated.FinishedAt = at(9)
		NewWithT(t).Expect(overtaken(corev1.PodStatus{Phase: c.was}, now, &was, &is)).To(BeFalse(), "before any end")
	}
}

// A static pod that returned may have another sandbox within one version, an ordinary pod may not.
func TestFlickerOfTheSandbox(t *testing.T) {
	for ref, want := range map[string]int{"": 0, "pod_ns(uid)": 1} {
		was, is := running(5), running(10)
		was.Ref, is.Ref = ref, ref
		conditionOf(is.Status, corev1.PodReadyToStartContainers).LastTransitionTime = second(5)
		checked := timeline.NewChecked()
		Check(checked, spec(), []timeline.Version{was, is})
		NewWithT(t).Expect(checked.Wrong[Transitions]).To(HaveLen(want), ref)
	}
}

// A static pod that returned may know nothing of its container before. It counts what it knows, as an ordinary pod
// does.
func TestStaticPodReturns(t *testing.T) {
	for name, c := range map[string]struct {
		ref      string
		restarts int32
		knows    bool
		wrong    int
	}{
		"static, all forgotten": {"", 0, false, 0}, "static, an end known": {"", 0, true, 1},
		"static, a restart known": {"", 1, false, 1}, "ordinary": {"pod_ns(uid)", 0, false, 1},
	} {
		was, is := running(5), running(10)
		was.Ref, is.Ref = c.ref, c.ref
		was.Status.ContainerStatuses[1].RestartCount = c.restarts
		b := &is.Status.ContainerStatuses[1]
		b.ContainerID, b.RestartCount = "c://other", c.restarts
		b.State.Running.StartedAt = second(9)
		if c.knows {
			b.LastTerminationState.Terminated = ended("b", 0, 1)
		}
		check := func(what string) {
			checked := timeline.NewChecked()
			Check(checked, spec(), []timeline.Version{was, is})
			NewWithT(t).Expect(checked.Wrong[LastEnds]).To(HaveLen(c.wrong), name+what)
		}
		check("")
		w := &was.Status.ContainerStatuses[1]
		w.State = corev1.ContainerState{Terminated: ended("b", 1, 1)}
		w.State.Terminated.ContainerID = w.ContainerID
		b.LastTerminationState.Terminated = nil
		if c.knows {
			b.LastTerminationState.Terminated = ended("b", 2, 1)
		}
		check(", whose end was shown")
	}
	was, is := running(5), running(10)
	was.Ref, is.Ref = "", ""
	is.Status.ContainerStatuses[1].State.Running.StartedAt = second(9)
	checked := timeline.NewChecked()
	Check(checked, spec(), []timeline.Version{was, is})
	NewWithT(t).Expect(checked.Wrong[LastEnds]).To(HaveLen(1), "the same container began earlier")
}

// An init container that has succeeded is ready while it waits for the restart of all containers, and for nothing else.
func TestReadyInitContainerWaits(t *testing.T) {
	for reason, right := range map[string]bool{"RestartingAllContainers": true, "PodInitializing": false} {
		v := running(10)
		init := &v.Status.InitContainerStatuses[0]
		init.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
		init.Ready = true
		checked := timeline.NewChecked()
		Check(checked, spec(), []timeline.Version{v})
		const why = "init container init has ready true"
		wrong := slices.ContainsFunc(checked.Wrong[Containers], func(m timeline.Misreport) bool {
			return strings.Contains(m.Why, why)
		})
		NewWithT(t).Expect(wrong).To(Equal(!right), reason)
	}
}

// Ready of a pod whose containers are ready names the gates that are not.
func TestGates(t *testing.T) {
	const first = `the status of pod readiness gate "first" is not "True", but False`
	const second = `corresponding condition of pod readiness gate "second" does not exist.`
	for message, right := range map[string]bool{
		first: true, second: true, first + ", " + second: true, second + ", " + first: false, "": false, "x": false,
	} {
		spec := spec()
		spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "first"}, {ConditionType: "second"}}
		is := running(5)
		ready := conditionOf(is.Status, corev1.PodReady)
		ready.Status, ready.Reason, ready.Message = corev1.ConditionFalse, "ReadinessGatesNotReady", message
		checked := timeline.NewChecked()
		Check(checked, spec, []timeline.Version{is})
		NewWithT(t).Expect(len(checked.Wrong[Conditions]) == 0).To(Equal(right), message)
	}
}

// A pod that can restart all its containers stays initialized.
func TestRestartInPlace(t *testing.T) {
	g := NewWithT(t)
	spec := spec()
	spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{
		{Action: corev1.ContainerRestartRuleActionRestartAllContainers},
	}
	was, is := running(5), running(10)
	for _, v := range []*timeline.Version{&was, &is} {
		v.Status.Conditions[0].Type = corev1.AllContainersRestarting
		v.Status.Conditions[0].Status = corev1.ConditionFalse
	}
	initialized := conditionOf(is.Status, corev1.PodInitialized)
	initialized.Status = corev1.ConditionFalse
	checked := timeline.NewChecked()
	Check(checked, spec, []timeline.Version{was, is})
	const why = "condition Initialized went from True to False"
	g.Expect(checked.Wrong[Conditions]).To(ContainElement(HaveField("Why", why)))
}

// The kubelet holds the phase back that ends a pod until its containers have ended. So a pod that it ends before it
// showed it as running stays Pending. A pod that it does not end, or that ran before, does not.
func TestPendingUntilItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		before   corev1.PodPhase
		reason   string
		deadline int64
		wrong    bool
	}{
		"ended by the kubelet":     {corev1.PodPending, "Evicted", 100, false},
		"its deadline has passed":  {corev1.PodPending, "", 5, false},
		"ended before a deadline":  {corev1.PodPending, "", 6, true},
		"ran until it was evicted": {corev1.PodRunning, "Evicted", 100, true},
		"ran until its deadline":   {corev1.PodRunning, "", 5, true},
	} {
		was, held, is := running(3), running(5), running(10)
		was.Status.Phase, held.Status.Phase, is.Status.Phase = c.before, corev1.PodPending, corev1.PodFailed
		is.Status.Reason = c.reason
		was.Status.ContainerStatuses[1].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
		pod, checked := spec(), timeline.NewChecked()
		pod.ActiveDeadlineSeconds = &c.deadline
		Check(checked, pod, []timeline.Version{was, held, is})
		found := slices.ContainsFunc(checked.Wrong[Phases], func(m timeline.Misreport) bool {
			return m.At == held.At.At && strings.Contains(m.Why, "none is to start")
		})
		NewWithT(t).Expect(found).To(Equal(c.wrong), "%s: %v", name, checked.Wrong[Phases])
	}
}
