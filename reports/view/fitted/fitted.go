// Package fitted is how long what a kubelet does to ordinary pods took in runs, for simulations of many nodes: as
// distributions, without what the pods' specifications demand. It knows no simulator.
package fitted

import (
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Times are the measured times of one subject.
type Times struct {
	Subject string
	// Starts are from the first version of a bound pod to its container's start.
	Starts Sample
	// Readies are from the start of a container without readiness and startup probes to the pod's condition Ready.
	Readies Sample
	// Ends are from a delete to the end of the object, less Terminated.
	Ends Sample
	// Restarts are from a container's end to its next start, less the back-off.
	Restarts Sample
	// BackOff is the back-off of crashed containers.
	BackOff formula.Growth
}

// Sample is a list of times, the shortest first. Rounding and the error of the observer can make one negative.
type Sample []time.Duration

// minimumGracePeriod is the shortest time from SIGTERM to SIGKILL (pkg/kubelet/kuberuntime/kuberuntime_manager.go
// minimumGracePeriodInSeconds).
const minimumGracePeriod = 2 * time.Second

// Terminated returns how long a deleted container lives, if nothing is late: its preStop hook runs, at most for the
// grace period, then SIGTERM comes. The process ends by itself after stops, or SIGKILL ends it when the rest of the
// grace period is over, but not within two seconds (kuberuntime_container.go killContainer).
func Terminated(grace, hook, stops time.Duration) time.Duration {
	signal := min(hook, grace)
	return signal + min(stops, max(grace-signal, minimumGracePeriod))
}

// Of returns the times of a subject in a run. find finds trials. It ignores inconclusive attempts, and trials whose
// pods are not ordinary.
func Of(r run.Run, subject string, find func(id string) (trial.Trial, bool)) Times {
	t := Times{Subject: subject, BackOff: r.Subject(subject).Kubelet.Growth()}
	for _, o := range r.Outcomes {
		tr, known := find(o.Trial)
		if o.Subject != subject || !known || !ordinary(tr) {
			continue
		}
		for _, a := range o.Attempts {
			if run.Conclusive(a.Result.Verdict) {
				t.add(tr, a, timeline.Build(a.Evidence, r.DelaysOf(r.RanOn(o, a))))
			}
		}
	}
	for _, s := range []Sample{t.Starts, t.Readies, t.Ends, t.Restarts} {
		slices.Sort(s)
	}
	return t
}

// ordinary reports whether a trial has one pod with one container, on a node that no trial configures, with a container
// runtime as fast as others, and whether nothing happens to it besides one delete.
func ordinary(t trial.Trial) bool {
	untouched := len(t.Faults) == 0 || len(t.Faults) == 1 && t.Faults[0].Action == trial.DeletePod
	return untouched && t.Pod != nil && len(t.Pod.Spec.Containers) == 1 && len(t.Pod.Spec.InitContainers) == 0 &&
		len(t.Companions) == 0 && t.Worker == nil && !t.Unscheduled && !t.Static && t.ContainerStart == 0 &&
		!t.FillsNode
}

func (t *Times) add(tr trial.Trial, a trial.Attempt, tl *timeline.Timeline) {
	c := tr.Pod.Spec.Containers[0]
	created, started := trial.Created("").In(tl), trial.Started.In(tl)
	if created == nil || started == nil || c.Image != "" || c.Lifecycle != nil && c.Lifecycle.PostStart != nil {
		return
	}
	t.Starts = append(t.Starts, time.Duration(started.At-created.At))
	if ready := firstReady(tl); ready != nil && c.ReadinessProbe == nil && c.StartupProbe == nil &&
		len(tr.Pod.Spec.ReadinessGates) == 0 {
		t.Readies = append(t.Readies, time.Duration(ready.At-started.At))
	}
	switch {
	case len(tr.Faults) == 0:
		t.restarts(a)
	case tr.KillCause == "":
		t.end(c, tl)
	}
}

func firstReady(tl *timeline.Timeline) *timeline.Instant {
	for i := range tl.API {
		if slices.Contains(tl.API[i].Conditions, string(corev1.PodReady)) {
			return &tl.API[i].At
		}
	}
	return nil
}

// crashed are the formulas of restarts after an end without a kill.
var crashed = []string{formula.RestartDelay.ID, formula.FirstCrash.ID}

func (t *Times) restarts(a trial.Attempt) {
	for _, f := range a.Result.Findings {
		_, number, is := f.Restart()
		if !is || f.Measured == nil || !slices.Contains(crashed, f.Formula) {
			continue
		}
		backOff := time.Duration(0)
		for range number - 1 {
			backOff = t.BackOff.After(backOff)
		}
		t.Restarts = append(t.Restarts, time.Duration(f.Measured.Value)-backOff)
	}
}

// end adds a deletion whose process got a signal. Its hook sleeps, or has marks, or there is none.
func (t *Times) end(c corev1.Container, tl *timeline.Timeline) {
	life := tl.Life(c.Name, 1)
	deleted, signal, gone := trial.Injected.In(tl), life.SIGTERM(), trial.ObjectDeleted.In(tl)
	grace := graceOf(tl)
	if deleted == nil || signal == nil || gone == nil || life.Gone == nil || grace == 0 {
		return
	}
	stops := time.Duration(math.MaxInt64)
	if life.OwnExitCode != nil {
		stops = time.Duration(life.Gone.At - signal.At)
	}
	hook := time.Duration(0)
	if kind, sleeps := podspec.Hook(&c); kind == formula.SleepHook {
		hook = sleeps.Low
	} else if len(life.Hooks) > 0 {
		if hook = grace; life.Hooks[0].Ended != nil {
			hook = time.Duration(life.Hooks[0].Ended.At - life.Hooks[0].Began.At)
		}
	}
	t.Ends = append(t.Ends, time.Duration(gone.At-deleted.At)-Terminated(grace, hook, stops))
}

// graceOf returns the grace period that the API shows with the deletion, 0 for none.
func graceOf(tl *timeline.Timeline) time.Duration {
	for _, c := range tl.API {
		if c.DeletionTimestamp != 0 && c.DeletionGracePeriodSeconds != nil {
			return time.Duration(*c.DeletionGracePeriodSeconds) * time.Second
		}
	}
	return 0
}

// Missing returns which times the run has none of, or "".
func (t Times) Missing() string {
	for _, part := range []struct {
		of   Sample
		what string
	}{
		{t.Starts, "no container's start"}, {t.Readies, "no pod that became ready without a probe"},
		{t.Ends, "no deleted pod"}, {t.Restarts, "no container that crashed and started again"},
	} {
		if len(part.of) == 0 {
			return part.what
		}
	}
	return ""
}

// Part is a piece of a distribution: values spread evenly from From to To. Weight is the number of equal shares that it
// has of all values, from 1.
type Part struct {
	From, To time.Duration
	Weight   int
}

// MostParts is the largest number of shares of a distribution.
const MostParts = 10

// Parts returns the sample's distribution: pieces between its quantiles, which it keeps. Negative times become zero.
func (s Sample) Parts() (parts []Part) {
	shares := min(MostParts, max(1, len(s)-1))
	for i := range shares {
		p := Part{max(0, s.Quantile(i, shares)), max(0, s.Quantile(i+1, shares)), 1}
		if n := len(parts); n > 0 && p.From == p.To && parts[n-1].From == parts[n-1].To && parts[n-1].To == p.From {
			parts[n-1].Weight++
			continue
		}
		parts = append(parts, p)
	}
	return parts
}

// Quantile returns the value that i of n equal shares of the sample are at most, between its neighbours in proportion.
// The sample must not be empty.
func (s Sample) Quantile(i, n int) time.Duration {
	at := float64(i) / float64(n) * float64(len(s)-1)
	below := int(at)
	if below+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[below] + time.Duration((at-float64(below))*float64(s[below+1]-s[below]))
}

// String returns the size of the sample and its range.
func (s Sample) String() string {
	return fmt.Sprintf("%s, %.3f to %.3f s, half at most %.3f s", run.Plural(len(s), "value"), s[0].Seconds(),
		s[len(s)-1].Seconds(), s.Quantile(1, 2).Seconds())
}
