package observe

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

// watched is a pod and what was seen of it.
type watched struct {
	Pod
	now *corev1.Pod
	// first is when the pod was seen first. The pod may have lived long before that.
	first Seen
	// requested is the first delete request, with its grace period in seconds.
	requested *Instant
	grace     int64
	// gone is when the object was removed, or the kubelet had ended the pod for good.
	gone     *Instant
	departed bool
	// removed is when the object's removal was seen.
	removed time.Time
	// known are the IDs of containers whose end is reported, or was before the observation, running those that run.
	known   map[string]bool
	running map[string]process
	kills   map[string][]kill
	// announced is the cause that an event about the whole pod names.
	announced ended
	// starting is set if a container was starting when the pod was deleted, again if a second delete changed the grace
	// period. waited are containers whose start waited for more than a back-off.
	starting, again bool
	waited          map[string]bool
	// byOwner is set if the pod's controller says that it deleted the pod.
	byOwner string
	// dead are the deaths of containers that are not ready again.
	dead map[string]*Death
	// ready is when the pod was ready for the first time.
	ready *Instant
	// replaced is set if the pod has a successor.
	replaced bool
}

// process is a container that runs.
type process struct {
	id      string
	life    int
	started time.Time
}

// kill is an event Killing of the kubelet about a container.
type kill struct {
	at      Instant
	message string
}

// end is a container's end as the API shows it. terminated is nil if the object was removed before.
type end struct {
	name, id   string
	life       int
	terminated *corev1.ContainerStateTerminated
	started    time.Time
	seen       Seen
	// asked is set if the pod was being deleted when the end was seen.
	asked bool
}

func statuses(p *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}

// update takes the next version of the pod, and returns the containers that have ended since the last one.
func (w *watched) update(p *corev1.Pod, s Seen) (ends []end) {
	w.now, w.Pod = p, PodOf(p)
	if p.DeletionTimestamp != nil && w.requested == nil {
		w.request(p, s)
	} else if g := p.DeletionGracePeriodSeconds; g != nil && *g != w.grace && len(w.running) > 0 {
		w.again = true
	}
	for _, c := range statuses(p) {
		if waits := c.State.Waiting; waits != nil && !slices.Contains(usualWaits, waits.Reason) {
			w.waited[c.Name] = true
		}
		for _, state := range []struct {
			corev1.ContainerState
			life int
		}{{c.LastTerminationState, int(c.RestartCount)}, {c.State, int(c.RestartCount) + 1}} {
			t := state.Terminated
			if t == nil {
				continue
			}
			id, started := idOf(t.ContainerID), t.StartedAt.Time
			if ran := w.running[c.Name]; id == "" && ran.life == state.life { // its end is lost
				id, started = ran.id, ran.started
			}
			if id == "" || w.known[id] {
				continue
			}
			w.known[id] = true
			delete(w.running, c.Name)
			if !s.Before {
				ends = append(ends, end{c.Name, id, state.life, t, started, s, w.requested != nil})
			}
		}
		if c.State.Running != nil {
			w.running[c.Name] = process{idOf(c.ContainerID), int(c.RestartCount) + 1,
				c.State.Running.StartedAt.Time}
		}
	}
	if w.ready == nil && isReady(p) {
		w.ready = new(s.arrived(readySince(p)))
	}
	return ends
}

// usualWaits are the reasons of containers that wait for nothing but the kubelet and their back-off.
var usualWaits = []string{"", "CrashLoopBackOff", "ContainerCreating", "PodInitializing"}

// request notes a delete request (k8s.io/apiserver pkg/registry/rest/delete.go BeforeDelete: the API server adds the
// grace period to the time of the request).
func (w *watched) request(p *corev1.Pod, s Seen) {
	if g := p.DeletionGracePeriodSeconds; g != nil {
		w.grace = *g
	}
	w.starting = len(p.Status.ContainerStatuses) < len(p.Spec.Containers)
	for _, c := range statuses(p) {
		waits := c.State.Waiting
		w.starting = w.starting || waits != nil && waits.Reason != "CrashLoopBackOff"
	}
	at := metav1.NewTime(p.DeletionTimestamp.Add(-time.Duration(w.grace) * time.Second))
	w.requested = new(s.arrived(at))
}

// remove notes that the object is removed, and returns the containers that ran until then.
func (w *watched) remove(s Seen) (ends []end) {
	w.removed = s.At
	for _, c := range statuses(w.now) {
		if r := c.State.Running; r != nil && !w.known[idOf(c.ContainerID)] {
			w.known[idOf(c.ContainerID)] = true
			life := int(c.RestartCount) + 1
			ends = append(ends, end{c.Name, idOf(c.ContainerID), life, nil, r.StartedAt.Time, s, true})
		}
	}
	return ends
}

// killOf returns the last event of a kill between a container's start and its death, or nil. One that names a cause
// comes before others.
func (w *watched) killOf(container string, started time.Time, death Instant) (found *kill) {
	for i := range w.kills[container] {
		k := &w.kills[container][i]
		if k.at.Latest.Before(started) || k.at.Earliest.After(death.Latest) {
			continue
		}
		if found == nil || killed(k.message) != "" || killed(found.message) == "" {
			found = k
		}
	}
	return found
}

// graceOf returns the grace period of a kill by a probe or for a change.
func (w *watched) graceOf(name string, cause formula.Cause) time.Duration {
	seconds := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if g := w.now.Spec.TerminationGracePeriodSeconds; g != nil {
		seconds = *g
	}
	for _, c := range slices.Concat(w.now.Spec.InitContainers, w.now.Spec.Containers) {
		if c.Name != name {
			continue
		}
		probe := map[formula.Cause]*corev1.Probe{
			formula.ByLiveness: c.LivenessProbe, formula.ByStartup: c.StartupProbe,
		}[cause]
		if probe != nil && probe.TerminationGracePeriodSeconds != nil {
			seconds = *probe.TerminationGracePeriodSeconds
		}
	}
	return time.Duration(seconds) * time.Second
}

// idOf returns a container's ID without its runtime's name.
func idOf(id string) string { return id[strings.LastIndex(id, "/")+1:] }

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func readySince(p *corev1.Pod) (t metav1.Time) {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			t = c.LastTransitionTime
		}
	}
	return t
}

// lastTransition returns when a condition of the pod changed last.
func lastTransition(p *corev1.Pod) (last metav1.Time) {
	for _, c := range p.Status.Conditions {
		if c.LastTransitionTime.After(last.Time) {
			last = c.LastTransitionTime
		}
	}
	return last
}

// otherKill reports whether the kubelet killed another container of the pod between two times. A sync waits for the
// kills that it began (pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod).
func (w *watched) otherKill(container string, from, to time.Time) bool {
	for name, all := range w.kills {
		for _, k := range all {
			if name != container && killed(k.message) != "" && k.at.Latest.After(from) && k.at.Earliest.Before(to) {
				return true
			}
		}
	}
	return false
}

func mirrors(p *corev1.Pod) bool { return p.Annotations[corev1.MirrorPodAnnotationKey] != "" }

func pullsAlways(p *corev1.Pod, container string) bool {
	return slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c corev1.Container) bool {
		return c.Name == container && c.ImagePullPolicy == corev1.PullAlways
	})
}

// restartsAll reports whether the end of a container may restart all others (k8s.io/api/core/v1
// AllContainersRestarting).
func restartsAll(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == "AllContainersRestarting"
	})
}
