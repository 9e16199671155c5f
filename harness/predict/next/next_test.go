package next

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// now is the time of all readings. The pods of these tests started an hour before.
var now = time.Date(2026, 11, 24, 15, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// pod is a running pod of one container, which is ready.
func pod(change func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: corev1.PodSpec{
			NodeName: "node-a", RestartPolicy: corev1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: new(int64(30)),
			Containers:                    []corev1.Container{{Name: "app"}},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, StartTime: new(ago(time.Hour)),
			Conditions: []corev1.PodCondition{{
				Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: ago(time.Minute),
			}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "app", Ready: true, Started: new(true),
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: ago(time.Minute)}},
			}},
		},
	}
	change(p, &p.Spec.Containers[0], &p.Status.ContainerStatuses[0])
	return p
}

func ended(code int32, started, finished time.Duration) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, StartedAt: ago(started), FinishedAt: ago(finished),
	}}
}

func waits(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func probe(period, failures int32) *corev1.Probe {
	return &corev1.Probe{PeriodSeconds: period, FailureThreshold: failures, TimeoutSeconds: 1,
		ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{}}}
}

// unready makes the pod of [pod] not ready.
func unready(p *corev1.Pod, s *corev1.ContainerStatus) {
	p.Status.Conditions[0].Status, s.Ready = corev1.ConditionFalse, false
}

// says writes a pod's state and events, with times in seconds from now: "is ready; a thing [1, 2.5]".
func says(p Pod) string {
	parts := []string{p.State}
	for _, e := range p.Events {
		part := e.What
		if !e.Earliest.IsZero() {
			latest := "..."
			if !e.Latest.IsZero() {
				latest = fmt.Sprintf("%.4g", e.Latest.Sub(now).Seconds())
			}
			part += fmt.Sprintf(" [%.4g, %s]", e.Earliest.Sub(now).Seconds(), latest)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// next returns what happens next to a pod on a node.
func nextOf(t *testing.T, p *corev1.Pod, n Node, jobs ...batchv1.Job) Pod {
	t.Helper()
	c := Cluster{
		Now: now, Version: formula.NewestKnown, Nodes: map[string]Node{"node-a": n},
		Workloads: []Workload{{
			Workload: predict.Workload{Object: manifest.Object{Kind: "Pod", Name: "web", Pod: p}},
			Pods:     []corev1.Pod{*p}, Jobs: jobs,
		}},
	}
	groups, err := c.Groups(func(version string, _ []byte) (formula.Kubelet, error) {
		return formula.Kubelet{Version: version, Gates: map[string]bool{}}, nil
	}, predict.Options{})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(groups).To(HaveExactElements(HaveField("Pods", HaveLen(1))))
	return groups[0].Pods[0]
}

type podCase struct {
	change func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus)
	node   Node
	says   string
}

func check(t *testing.T, cases map[string]podCase) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(says(nextOf(t, pod(c.change), c.node))).To(Equal(c.says))
		})
	}
}

// The API cuts the end of a life to whole seconds, so that a restart may come a second later than its window says:
// the back-off + half of it, at most 30 s, as jitter + 1 s of the work queue + 2 s to start + 1 s. A forgotten one ends
// 600 s after the last start, at most 3 s earlier, and is seen by the next sync, up to 91 s later.
func TestRestarts(t *testing.T) {
	crash := func(restarts int32, message string) func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus) {
		return func(_ *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			s.RestartCount, s.State = restarts, waits("CrashLoopBackOff", message)
			s.LastTerminationState = ended(1, 31*time.Second, 30*time.Second)
		}
	}
	const message = "back-off 1m20s restarting failed container=app pod=web_shop(1)"
	check(t, map[string]podCase{
		"the kubelet's own number": {crash(9, message), Node{},
			"is in CrashLoopBackOff; container app is restarted after its back-off of 80 s [50, 84]"},
		"by the number of restarts, in a young pod": {
			func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
				crash(3, "")(p, c, s)
				p.Status.StartTime = new(ago(5 * time.Minute))
			}, Node{}, "is in CrashLoopBackOff; container app is restarted after its back-off of 40 s [10, 34]",
		},
		"perhaps forgotten in an old pod, but the shorter ones have passed": {crash(5, ""), Node{},
			"is in CrashLoopBackOff; container app is restarted after a back-off of at most 160 s [-10, 164]"},
		"of unknown end": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			crash(5, "")(p, c, s)
			s.LastTerminationState = corev1.ContainerState{}
		}, Node{}, "is in CrashLoopBackOff; container app is restarted at an unknown time: the status does not show " +
			"when it ended"},
		"shown as ended": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			s.State, p.Status.StartTime = ended(1, 2*time.Second, time.Second), new(ago(2*time.Second))
		}, Node{}, "is not ready; container app is restarted at once, without a back-off [-1, 3.3]"},
		"forgotten ten minutes after the start": {
			func(_ *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
				s.RestartCount, s.State = 8, waits("CrashLoopBackOff", strings.Replace(message, "1m20s", "5m0s", 1))
				s.LastTerminationState = ended(1, 410*time.Second, 10*time.Second)
			}, Node{}, "is in CrashLoopBackOff; container app is restarted after its back-off of 300 s [187, 287]",
		},
		"with all containers, never backed off": {
			func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
				unready(p, s)
				c.RestartPolicy = new(corev1.ContainerRestartPolicyNever)
				c.RestartPolicyRules = []corev1.ContainerRestartRule{{
					Action: corev1.ContainerRestartRuleActionRestartAllContainers,
					ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
						Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{88},
					}}}
				s.RestartCount, s.State = 5, ended(88, 2*time.Second, time.Second)
			}, Node{}, "is not ready; all containers are restarted, without a back-off, because container app ended " +
				"with exit code 88 [-1, 9.4]"},
		"never again": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			p.Spec.RestartPolicy, s.State = corev1.RestartPolicyOnFailure, ended(0, 9*time.Second, 3*time.Second)
		}, Node{}, "is ready; container app has ended with exit code 0 and is not restarted"},
	})
}

// The restart that reaches a Job's backoffLimit is the last.
func TestRestartsOfAJob(t *testing.T) {
	g := NewWithT(t)
	p := pod(func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
		p.Spec.RestartPolicy, s.RestartCount = corev1.RestartPolicyOnFailure, 1
		s.State = ended(1, 2*time.Second, time.Second)
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", UID: "1", Controller: new(true)}}
	})
	for limit, last := range map[int32]bool{2: true, 3: false} {
		job := batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "1"}, Spec: batchv1.JobSpec{BackoffLimit: &limit}}
		says := says(nextOf(t, p, Node{}, job))
		g.Expect(strings.HasSuffix(says, "its Job has reached its backoffLimit of 2, and deletes the "+
			"pod")).To(Equal(last))
		g.Expect(says).To(ContainSubstring("container app is restarted"))
	}
}

func TestRestartRules(t *testing.T) {
	g := NewWithT(t)
	always, never := corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever
	rules := []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestart,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42},
		}}}
	for _, c := range []struct {
		pod   corev1.RestartPolicy
		own   *corev1.ContainerRestartPolicy
		rules []corev1.ContainerRestartRule
		code  int32
		again bool
	}{
		{corev1.RestartPolicyAlways, nil, nil, 0, true},
		{corev1.RestartPolicyOnFailure, nil, nil, 1, true},
		{corev1.RestartPolicyNever, nil, nil, 1, false},
		{corev1.RestartPolicyNever, &always, nil, 0, true},
		{corev1.RestartPolicyAlways, &never, rules, 1, false},
		{corev1.RestartPolicyAlways, &never, rules, 42, true},
	} {
		p := pod(func(p *corev1.Pod, spec *corev1.Container, _ *corev1.ContainerStatus) {
			p.Spec.RestartPolicy, spec.RestartPolicy, spec.RestartPolicyRules = c.pod, c.own, c.rules
		})
		l := living{Pod: p, kubelet: formula.Kubelet{Version: formula.NewestKnown}}
		g.Expect(l.restarts(l.containers()[0], c.code)).To(Equal(c.again), "%+v", c)
	}
}

func TestRunning(t *testing.T) {
	check(t, map[string]podCase{
		"ready": {func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus) {}, Node{}, "is ready"},
		"not started up": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			c.StartupProbe, s.Started = probe(10, 30), new(false)
		}, Node{}, "is not ready; container app gets SIGTERM if its startup probe does not succeed before [230, " +
			"244.7]"},
		"perhaps hung": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			c.LivenessProbe = probe(10, 3)
		}, Node{}, "is not ready; container app gets SIGTERM if its liveness probe keeps failing from now on, or " +
			"already fails: the status does not count failures [0, 32.75]"},
		"too young to hang": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			c.LivenessProbe, s.State.Running.StartedAt = probe(10, 3), ago(time.Second)
		}, Node{}, "is not ready; container app gets SIGTERM if its liveness probe keeps failing from now on, or " +
			"already fails: the status does not count failures [19, 32.75]"},
		"before its initial delay": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			c.LivenessProbe, s.State.Running.StartedAt = probe(10, 3), ago(time.Second)
			c.LivenessProbe.InitialDelaySeconds = 60
		}, Node{}, "is not ready; container app gets SIGTERM if its liveness probe keeps failing from now on, or " +
			"already fails: the status does not count failures [77.75, 91.5]"},
		"only unready": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			c.ReadinessProbe = probe(10, 3)
		}, Node{}, "is not ready; container app waits for its readiness probe to succeed; nothing kills it for that"},
		"without its image": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			p.Status.Phase, s.State = corev1.PodPending, waits("ImagePullBackOff", "")
		}, Node{}, "is starting; the image of container app is pulled again: the status does not show the last try, " +
			"after " +
			"which the longest back-off is 300 s [0, 316.8]"},
		"without its ConfigMap": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			unready(p, s)
			p.Status.Phase, s.State = corev1.PodPending, waits("CreateContainerConfigError", "no such ConfigMap")
		}, Node{}, "is starting; container app is tried again: no such ConfigMap [0, 16.5]"},
		"at a deadline": {func(p *corev1.Pod, _ *corev1.Container, _ *corev1.ContainerStatus) {
			p.Spec.ActiveDeadlineSeconds = new(int64(3605))
		}, Node{}, "is ready; the pod's containers get SIGTERM at its activeDeadlineSeconds of 3605 s [5, 7.55]"},
	})
}

func TestNodes(t *testing.T) {
	tolerates := func(p *corev1.Pod, _ *corev1.Container, _ *corev1.ContainerStatus) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))}}
	}
	forever := func(p *corev1.Pod, _ *corev1.Container, _ *corev1.ContainerStatus) {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	ready := &corev1.NodeCondition{Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown",
		LastTransitionTime: ago(time.Minute)}
	lost := Node{Ready: ready, Taints: []corev1.Taint{{Key: corev1.TaintNodeUnreachable,
		Effect: corev1.TaintEffectNoExecute, TimeAdded: new(ago(time.Minute))}}}
	const is = "is on node node-a, which is not ready (NodeStatusUnknown); "
	const stays = "; its object then stays until the node answers or is removed, because only its kubelet can " +
		"confirm the end"
	check(t, map[string]podCase{
		"lost": {tolerates, lost, is + "the pod is deleted, because it tolerates the node's taint " +
			"node.kubernetes.io/unreachable for 300 s only [240, 244]" + stays},
		"lost, not tolerated": {func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus) {}, lost, is +
			"the pod is deleted, because it does not tolerate the node's taint node.kubernetes.io/unreachable " +
			"[-60, -56]" + stays},
		"lost, tolerated": {forever, lost, is + "no taint of the node deletes the pod: it tolerates all of them for " +
			"ever"},
		"lost, not tainted yet": {tolerates, Node{Ready: ready}, is +
			"the node has no taint yet, from which the pod's tolerationSeconds would count"},
		"tainted again, for less time": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			tolerates(p, c, s)
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "example.com/repair",
				Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(60))})
		}, Node{Taints: []corev1.Taint{
			{Key: "example.com/repair", Effect: corev1.TaintEffectNoExecute, TimeAdded: new(ago(time.Second))},
			lost.Taints[0],
		}}, "is ready; the pod is deleted, because it tolerates the node's taint node.kubernetes.io/unreachable for " +
			"300 s only [240, 244]"},
		"tolerated for no time": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			tolerates(p, c, s)
			*p.Spec.Tolerations[0].TolerationSeconds = -5
		}, Node{Taints: lost.Taints}, "is ready; the pod is deleted, because it does not tolerate the node's taint " +
			"node.kubernetes.io/unreachable [-60, -56]"},
		"gone": {tolerates, Node{Gone: true}, "was on node node-a, which no longer exists; the pod garbage " +
			"collection deletes the pod [0, 80]"},
	})
}

func TestTerminating(t *testing.T) {
	deleted := func(in time.Duration, grace int64) func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus) {
		return func(p *corev1.Pod, _ *corev1.Container, _ *corev1.ContainerStatus) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = new(ago(-in)), &grace
		}
	}
	check(t, map[string]podCase{
		"just now": {deleted(30*time.Second, 30), Node{}, "is being deleted, with a grace period of 30 s; SIGTERM " +
			"to app [0, 3.55]; SIGKILL to app, if a process still runs [30, 33.55]; the pod's object is removed " +
			"[0, 37.55]"},
		"with less than its own": {deleted(-15*time.Second, 5), Node{}, "is being deleted, with a grace period of 5 " +
			"s; SIGKILL to app, if a process still runs [-15, -11.45]; or SIGKILL, if a first delete had the pod's " +
			"own 30 s: a second one does not shorten them for processes that are already being stopped [10, 13.55]; " +
			"the pod's object is removed [-20, 17.55]"},
		"with a finalizer": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			deleted(10*time.Second, 30)(p, c, s)
			p.Finalizers = []string{"example.com/backup"}
			s.State = ended(0, time.Minute, time.Second)
		}, Node{}, "is being deleted, with a grace period of 30 s; the pod's object stays until its finalizers are " +
			"removed: example.com/backup"},
		"dead": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			deleted(10*time.Second, 30)(p, c, s)
			s.State = ended(0, time.Minute, time.Second)
		}, Node{}, "is being deleted, with a grace period of 30 s; the pod's object is removed, because no " +
			"container runs [-1, 6.55]"},
		"starting": {func(p *corev1.Pod, c *corev1.Container, s *corev1.ContainerStatus) {
			deleted(10*time.Second, 30)(p, c, s)
			s.State = waits("ContainerCreating", "")
		}, Node{}, "is being deleted, with a grace period of 30 s; no container runs yet: the kubelet first ends " +
			"what it does for the pod, such as the pull of an image"},
		"on a lost node": {deleted(10*time.Second, 30), Node{Gone: true}, "is being deleted, with a grace period of " +
			"30 s; node node-a does not answer: when its processes end is unknown, and the object stays until the " +
			"node answers or is removed"},
	})
}

func TestEnded(t *testing.T) {
	g := NewWithT(t)
	done := pod(func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
		p.Status.Phase, s.State = corev1.PodSucceeded, ended(0, time.Minute, 10*time.Second)
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", UID: "1", Controller: new(true)}}
	})
	job := batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "1"}}
	g.Expect(says(nextOf(t, done, Node{}))).To(Equal("has ended (Succeeded); its Job could not be read: whether that " +
		"deletes the pod is unknown"))
	g.Expect(says(nextOf(t, done, Node{}, job))).To(HaveSuffix("no ttlSecondsAfterFinished: both stay until " +
		"something deletes the Job"))
	job.Spec.TTLSecondsAfterFinished = new(int32(100))
	g.Expect(says(nextOf(t, done, Node{}, job))).To(HaveSuffix("; its Job has not finished; 100 s after that both " +
		"are deleted (ttlSecondsAfterFinished)"))
	job.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: ago(8 * time.Second)},
	}
	g.Expect(says(nextOf(t, done, Node{}, job))).To(HaveSuffix("; its Job and the pod are deleted by " +
		"ttlSecondsAfterFinished of 100 s [92, ...]"))
	done.OwnerReferences[0].Kind = "StatefulSet"
	g.Expect(says(nextOf(t, done, Node{}))).To(HaveSuffix("; its StatefulSet deletes it and makes another"))
	done.OwnerReferences, done.Status.Phase, done.Status.Reason = nil, corev1.PodFailed, "Evicted"
	p := nextOf(t, done, Node{})
	g.Expect(says(p)).To(HavePrefix("has ended (Failed, Evicted); no container runs again, and nothing deletes"))
	g.Expect(p.Since).To(Equal(now.Add(-10 * time.Second)))
}

func TestWithoutANode(t *testing.T) {
	unbound := func(p *corev1.Pod, _ *corev1.ContainerStatus) {
		p.Spec.NodeName, p.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	}
	const last = "; a delete removes it at once, because no container runs"
	check(t, map[string]podCase{
		"it fits none": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			unbound(p, s)
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available."}}
		}, Node{}, "has no node; the scheduler tries again, earlier if something changes in the cluster: 0/3 nodes " +
			"are available [0, 330]" + last},
		"it has gates": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			unbound(p, s)
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
		}, Node{}, "has no node; it waits until its scheduling gates are removed: example.com/quota" + last},
		"room is being made": {func(p *corev1.Pod, _ *corev1.Container, s *corev1.ContainerStatus) {
			unbound(p, s)
			p.Status.NominatedNodeName = "node-b"
		}, Node{}, "has no node; the scheduler deletes pods of node node-b to make room: it can be bound when they " +
			"have ended" + last},
	})
}

// Windows and mirrors of static pods are not covered, whatever they do.
func TestNotCovered(t *testing.T) {
	p := pod(func(p *corev1.Pod, _ *corev1.Container, _ *corev1.ContainerStatus) {
		p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "1"}
	})
	NewWithT(t).Expect(says(nextOf(t, p, Node{}))).To(HavePrefix("is not covered; it mirrors a static pod"))
}

// A workload is predicted once for each kind of kubelet.
func TestGroups(t *testing.T) {
	g := NewWithT(t)
	w := Workload{Workload: predict.Workload{Object: manifest.Object{Kind: "DaemonSet", Name: "web",
		Pod: pod(func(*corev1.Pod, *corev1.Container, *corev1.ContainerStatus) {})}}}
	c := Cluster{Now: now, Version: "v1.37.2", Nodes: map[string]Node{}}
	for i, version := range []string{"v1.36.3", "v1.34.4", "v1.36.3", "", "v1.36.3", "v1.36.3"} {
		p := w.Pod.DeepCopy()
		p.Spec.NodeName = fmt.Sprint("node-", i)
		c.Nodes[p.Spec.NodeName] = Node{Version: version}
		w.Pods = append(w.Pods, *p)
	}
	c.Nodes["node-2"] = Node{Version: "v1.36.3", Configz: []byte("slow")}
	w.Pods = append(w.Pods, *pod(func(p *corev1.Pod, _ *corev1.Container, _ *corev1.ContainerStatus) {
		p.Spec.NodeName = ""
	}))
	c.Workloads = []Workload{w, {Workload: w.Workload}}
	groups, err := c.Groups(func(version string, configz []byte) (formula.Kubelet, error) {
		return formula.Kubelet{Version: version, SyncFrequency: time.Duration(len(configz))}, nil
	}, predict.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	var where []string
	for _, group := range groups {
		where = append(where, fmt.Sprintf("%s: %d", group.Where, len(group.Pods)))
		g.Expect(group.Containers).To(HaveLen(1))
	}
	g.Expect(where).To(Equal([]string{
		"kubelet v1.36.3 on node-0, node-4, node-5: 3", "kubelet v1.34.4 on node-1: 1", "kubelet v1.36.3 on node-2: 1",
		"kubelet v1.37.2 on node-3: 2", "kubelet v1.37.2: 0",
	}))
}
