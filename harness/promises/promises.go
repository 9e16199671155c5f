// Package promises has the trials of what a manifest promises: for each answer of a prediction, a pod of the manifest
// whose containers are victims, a fault, and claims whose windows are the prediction's. The package must not know how a
// trial is played or reported.
package promises

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// NodeBound and VirtualBound are how long a trial takes at most in each lane, in the lane's time.
const (
	NodeBound    = 5 * time.Minute
	VirtualBound = 3 * time.Hour
)

// Of returns the trials of workloads, and what a run of them saves. Kubelet k decides which answers there are. The
// windows of claims are those of the kubelet that plays them.
func Of(workloads []predict.Workload, k formula.Kubelet) (trials []trial.Trial, all run.Promises, err error) {
	var kept []workload
	for _, w := range workloads {
		p := predict.All([]predict.Workload{w}, k, predict.Options{})[0]
		own := workload{ID: idOf(w, kept), Kubelet: k, Object: reduced(w.Object)}
		why := cmp.Or(p.NotCovered, unstaged(&w.Pod.Spec))
		if w.Revision() {
			why = cmp.Or(why,
				"Knative's queue-proxy, which the manifest does not show, carries out the readiness probe")
		}
		if why != "" {
			all.Unplayed = append(all.Unplayed, run.Unplayed{Workload: own.ID, Why: why})
			continue
		}
		kept = append(kept, own)
		played, unplayed := own.trials(predict.All)
		trials, all.Unplayed = append(trials, played...), append(all.Unplayed, unplayed...)
	}
	all.Workloads, err = json.Marshal(kept)
	return trials, all, err
}

// Load returns the trials of a saved run.
func Load(saved run.Promises) (all []trial.Trial, err error) {
	var kept []workload
	if err := json.Unmarshal(saved.Workloads, &kept); err != nil {
		return nil, fmt.Errorf("read the workloads that the run saved: %w", err)
	}
	for _, w := range kept {
		trials, _ := w.trials(predict.All)
		all = append(all, trials...)
	}
	return all, nil
}

// workload is what decides the trials of one object of a manifest.
type workload struct {
	ID      string
	Kubelet formula.Kubelet
	Object  manifest.Object
}

type predictor = func([]predict.Workload, formula.Kubelet, predict.Options) []predict.Prediction

func (w workload) trials(all predictor) ([]trial.Trial, []run.Unplayed) {
	f := forecast{workload: predict.Workload{Object: w.Object}, all: all, known: &sync.Map{}}
	p := player{forecast: f, id: w.ID, prediction: f.of(w.Kubelet), played: map[answer]bool{}}
	p.play()
	unplayed := w.unplayed(p)
	var trials []trial.Trial
	for _, t := range p.trials {
		if why := tooLong(t); why != "" {
			answer := strings.TrimPrefix(t.ID, w.ID+"/")
			unplayed = append(unplayed, run.Unplayed{Workload: w.ID, Answer: answer, Why: why})
			continue
		}
		trials = append(trials, t)
	}
	return trials, unplayed
}

// tooLong returns why a trial takes too long to be played, or "".
func tooLong(t trial.Trial) string {
	if t.Lasts > VirtualBound {
		return fmt.Sprintf("it takes more than the %v of any trial", VirtualBound)
	}
	deadline := t.Pod.Spec.ActiveDeadlineSeconds
	if deadline != nil && t.KillCause != formula.ByDeadline && t.Lasts > seconds(int(*deadline)) {
		return "the pod's activeDeadlineSeconds may end it before"
	}
	return ""
}

// unplayed returns the answers that no trial measures, each with the reason.
func (w workload) unplayed(p player) (all []run.Unplayed) {
	for _, g := range groups(p.prediction) {
		var names []string
		for _, c := range p.prediction.Containers {
			for _, l := range g.of(c) {
				if !p.played[answer{c.Name, l.ID}] && !slices.Contains(names, c.Name) {
					names = append(names, c.Name)
				}
			}
		}
		if len(names) == 0 {
			continue
		}
		one := run.Unplayed{Workload: w.ID, Answer: strings.TrimSpace(string(g.cause) + " " + g.variant), Why: why(g)}
		if len(names) < len(p.prediction.Containers) {
			one.Containers = names
		}
		all = append(all, one)
	}
	return all
}

// why returns why no trial plays a cause.
func why(g group) string {
	const node = "it happens to a node, which the trials share; the area eviction of podclock catalogue plays it"
	switch g.cause {
	case formula.ByHardEviction, formula.BySoftEviction, formula.ByStorageLimit:
		return "victims have neither the volumes nor the load that fill a node; the area eviction of podclock " +
			"catalogue plays it"
	case formula.ByPreemption, formula.ByShutdown, predict.ByTaint:
		return node
	case predict.LostNode:
		return "the node would have to be lost, and every trial with it"
	case formula.ByChange:
		return "the trials change no image; " + "the area restarts of podclock catalogue does"
	case formula.ByPostStart:
		return "the victim's postStart hook fails only as an exec one"
	case formula.ByRestartAll:
		return "an init container that restarts all is not played, " +
			"nor is a rule without a code that the victim can have"
	case formula.ByLiveness:
		return "containers fail together only by chance: their probes are not in step"
	}
	return "the trials do not play it"
}

// reduced returns an object with what predictions and trials read, and nothing else: a run that is saved must not
// contain what the manifest's authors keep to themselves. A hook's command becomes one that takes as long.
func reduced(o manifest.Object) manifest.Object {
	spec := &o.Pod.Spec
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		RestartPolicy:                 spec.RestartPolicy,
		TerminationGracePeriodSeconds: spec.TerminationGracePeriodSeconds,
		ActiveDeadlineSeconds:         spec.ActiveDeadlineSeconds,
		ShareProcessNamespace:         spec.ShareProcessNamespace,
		PriorityClassName:             spec.PriorityClassName,
		Priority:                      spec.Priority,
		Tolerations:                   spec.Tolerations,
		Containers:                    reducedContainers(spec.Containers),
		InitContainers:                reducedContainers(spec.InitContainers),
	}}
	for _, v := range spec.Volumes {
		if v.EmptyDir != nil {
			pod.Spec.Volumes = append(pod.Spec.Volumes,
				corev1.Volume{VolumeSource: corev1.VolumeSource{EmptyDir: v.EmptyDir}})
		}
	}
	return manifest.Object{
		APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Pod: pod, Job: o.Job,
	}
}

func reducedContainers(all []corev1.Container) (kept []corev1.Container) {
	for _, c := range all {
		own := corev1.Container{
			Name: c.Name, RestartPolicy: c.RestartPolicy, RestartPolicyRules: c.RestartPolicyRules,
			LivenessProbe: reducedProbe(c.LivenessProbe), ReadinessProbe: reducedProbe(c.ReadinessProbe),
			StartupProbe: reducedProbe(c.StartupProbe),
		}
		for _, p := range c.Ports {
			own.Ports = append(own.Ports, corev1.ContainerPort{Name: p.Name, ContainerPort: p.ContainerPort})
		}
		if l := c.Lifecycle; l != nil {
			own.Lifecycle = &corev1.Lifecycle{
				PreStop: reducedHook(l.PreStop), PostStart: reducedHook(l.PostStart), StopSignal: l.StopSignal,
			}
		}
		if limit, is := c.Resources.Limits[corev1.ResourceEphemeralStorage]; is {
			own.Resources.Limits = corev1.ResourceList{corev1.ResourceEphemeralStorage: limit}
		}
		kept = append(kept, own)
	}
	return kept
}

// idOf returns the first part of a workload's trials' IDs, which no other workload has.
func idOf(w predict.Workload, others []workload) string {
	const longest = 60 // a pod's name has at most 253 characters
	id := slug(w.Kind + "-" + w.Name)
	id = strings.TrimRight(id[:min(len(id), longest)], "-")
	taken := func(id string) bool {
		return slices.ContainsFunc(others, func(o workload) bool { return o.ID == id })
	}
	if !taken(id) {
		return id
	}
	for n := 2; ; n++ {
		if next := fmt.Sprintf("%s-%d", id, n); !taken(next) {
			return next
		}
	}
}
