package runner

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestWhenATrialHasBegun(t *testing.T) {
	started := &timeline.Container{Lives: []*timeline.Life{{Number: 1, Started: &timeline.Instant{At: 1}}}}
	status := func(s timeline.ContainerStatus) []timeline.Change {
		return []timeline.Change{{Phase: "Pending", Containers: []timeline.ContainerStatus{s}}}
	}
	injected, pointed := []trial.Fault{trial.Delete()}, []trial.Fault{trial.Delete().At(trial.HookBegan, 0)}
	containers := func(names ...string) timeline.Timeline {
		tl := timeline.Timeline{Containers: map[string]*timeline.Container{}}
		for _, name := range names {
			tl.Containers[name] = started
		}
		return tl
	}
	shown := func(changes ...timeline.Change) timeline.Timeline { return timeline.Timeline{API: changes} }
	waiting := func(reason string) timeline.Timeline {
		return shown(status(timeline.ContainerStatus{State: "waiting", Reason: reason})...)
	}
	const first, any = "the start of container victim", "the start of any container"
	for name, c := range map[string]struct {
		faults  []trial.Fault
		tl      timeline.Timeline
		missing string
		refused bool
	}{
		"no marks":               {faults: injected, missing: first},
		"one of two has started": {faults: injected, tl: containers("victim"), missing: "the start of container second"},
		"both have":              {faults: injected, tl: containers("victim", "second")},
		"one of two, and the fault has its own point": {faults: pointed, tl: containers("second")},
		"one of two, and there is no fault":           {tl: containers("second")},
		"none, and there is no fault":                 {missing: any},
		"it is being created, and there is no fault":  {tl: waiting("ContainerCreating"), missing: any},
		"it can't be pulled, and there is no fault":   {tl: waiting("ErrImagePull")},
		"an event says that a try failed, and there is no fault": {
			tl: timeline.Timeline{Events: []timeline.Event{{Reason: "Failed", Container: "victim"}}},
		},
		"it ended before a mark, and there is no fault": {
			tl: shown(status(timeline.ContainerStatus{State: "terminated"})...),
		},
		"the kubelet refuses it": {
			faults: injected, tl: shown(timeline.Change{Phase: "Pending"},
				timeline.Change{Phase: "Failed"}), refused: true,
		},
		"the kubelet refuses a companion": {
			faults: injected, tl: shown(timeline.Change{Pod: "other", Phase: "Failed"}), missing: first,
		},
	} {
		t.Run(name, func(t *testing.T) {
			pods := []Deployed{
				{Pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "victim"}}}}},
				{
					Pod:       &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "second"}}}},
					Companion: "other",
				},
			}
			missing, refused := ToBegin(trial.Trial{Faults: c.faults}, pods, &c.tl)
			NewWithT(t).Expect(missing).To(Equal(c.missing))
			NewWithT(t).Expect(refused).To(Equal(c.refused))
		})
	}
}
