package trial

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// First returns the names of the companions that no fault creates, after "" for the Pod.
func (t Trial) First() []string {
	names := []string{""}
	for _, p := range t.Companions {
		created := func(c Fault) bool { return c.Action.is(creations) && c.Pod == p.Name }
		if !slices.ContainsFunc(t.Faults, created) {
			names = append(names, p.Name)
		}
	}
	return names
}

// starts returns the claims that the first containers of the trial's pods start, or that the kubelet misses what they
// need. It leaves out a container for which the API shows something else: the runtime did not start it, or its
// process made no mark. It also leaves out one whose pod was deleted before it had to start.
func (t Trial) starts(tl *timeline.Timeline) (all []Claim) {
	for _, m := range t.firstStarts(tl) {
		due := m.From.In(tl).At + formula.PodStarts.Implemented(formula.Input{}).Latest
		deleted := slices.ContainsFunc(tl.API, func(c timeline.Change) bool {
			return c.Pod == m.From.Kind && (c.Deleted || c.DeletionTimestamp != 0) && c.At.At-c.At.Early <= due
		})
		if m.To.In(tl) != nil || !deleted && !explained(tl, m.To.Container) {
			all = append(all, Claim{Measure: m, Formula: formula.PodStarts})
		}
	}
	return all
}

// firstStarts returns the times from the creation of each pod to the starts of its first containers, or to the first
// signs that they cannot start. It leaves out pods that the API does not show.
func (t Trial) firstStarts(tl *timeline.Timeline) (all []Measure) {
	if t.Unscheduled {
		return nil
	}
	for _, companion := range t.First() {
		from := Created(companion)
		if from.In(tl) == nil {
			continue
		}
		pod := cmp.Or(t.Companion(companion), t.Pod)
		if lacksSandbox(pod) {
			all = append(all, Between(from, Event("FailedCreatePodSandBox")))
			continue
		}
		for _, c := range firstContainers(pod) {
			all = append(all, Between(from, firstSignOf(c)))
			if holds(c) {
				break
			}
		}
	}
	return all
}

// lacksSandbox reports whether no sandbox of a pod can be made: it has a sysctl, or a full name of more than 64
// characters, of which the node's domain is at least the end.
func lacksSandbox(pod *corev1.Pod) bool {
	security, full := pod.Spec.SecurityContext, pod.Spec.SetHostnameAsFQDN
	name := pod.Spec.Hostname + "." + pod.Spec.Subdomain + ".svc.cluster.local"
	return security != nil && len(security.Sysctls) > 0 || full != nil && *full && len(name) > 64
}

// firstSignOf returns a container's start, or the first sign that it cannot start.
func firstSignOf(c corev1.Container) Point {
	pulls := c.Image == victim.UnpullableImage || c.Image == victim.SlowImage
	security := c.SecurityContext
	switch {
	case pulls && c.ImagePullPolicy != corev1.PullNever:
		return PullAttempt(1).Of(c.Name)
	case pulls, c.Image == victim.InvalidImage, len(c.Command) > 0, refers(c),
		security != nil && security.SeccompProfile != nil:
		return Event("Failed").Of(c.Name)
	}
	return Started.Of(c.Name)
}

// refers reports whether the container's environment needs a ConfigMap or a Secret. No trial begins with one.
func refers(c corev1.Container) bool {
	must := func(optional *bool) bool { return optional == nil || !*optional }
	return slices.ContainsFunc(c.EnvFrom, func(from corev1.EnvFromSource) bool {
		return from.ConfigMapRef != nil && must(from.ConfigMapRef.Optional) ||
			from.SecretRef != nil && must(from.SecretRef.Optional)
	}) || slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool {
		from := v.ValueFrom
		return from != nil && (from.ConfigMapKeyRef != nil && must(from.ConfigMapKeyRef.Optional) ||
			from.SecretKeyRef != nil && must(from.SecretKeyRef.Optional))
	})
}

// holds reports whether the containers after this one start late: its image's pull or its postStart hook takes time, or
// the hook fails, and the kill of its container does.
func holds(c corev1.Container) bool {
	switch {
	case c.Image == victim.SlowImage:
		return true
	case c.Lifecycle == nil || c.Lifecycle.PostStart == nil:
		return false
	case c.Lifecycle.PostStart.Exec == nil:
		return true
	}
	hook, err := victim.ParseHook(c.Lifecycle.PostStart.Exec.Command[1:])
	return err != nil || hook.Sleep > 0 || hook.Hang || hook.ExitCode != 0
}

// firstContainers returns the containers that start without waiting for another one's end or startup probe.
func firstContainers(pod *corev1.Pod) []corev1.Container {
	waits := func(c corev1.Container) bool { return !podspec.IsSidecar(pod, c.Name) || c.StartupProbe != nil }
	if i := slices.IndexFunc(pod.Spec.InitContainers, waits); i >= 0 {
		return pod.Spec.InitContainers[:i+1]
	}
	return slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
}

// explained reports whether the API shows more of a container than that it is being created.
func explained(tl *timeline.Timeline, container string) bool {
	return slices.ContainsFunc(tl.API, func(c timeline.Change) bool {
		return slices.ContainsFunc(c.Containers, func(s timeline.ContainerStatus) bool {
			return s.Name == container && !s.Creating()
		})
	})
}

// Began returns when the last of the trial's first containers started, on the recorder's clock. It is the Pod's
// creation if none has to start, and false if one has not.
func (t Trial) Began(tl *timeline.Timeline) (int64, bool) {
	created := Created("").In(tl)
	if created == nil {
		return 0, false
	}
	began := created.At
	for _, m := range t.firstStarts(tl) {
		at := m.To.In(tl)
		if at == nil {
			return 0, false
		}
		began = max(began, at.At)
	}
	return began, true
}
