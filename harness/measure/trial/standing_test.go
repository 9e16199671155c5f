package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// A pod's phase is claimed if its one container lives long enough to be shown, and runs without a hook before.
func TestRunningIsClaimed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Trial, *timeline.Timeline)
		want   int
	}{
		"it lives": {func(*Trial, *timeline.Timeline) {}, 1},
		"it dies at once": {
			func(_ *Trial, tl *timeline.Timeline) { tl.Life(Main, 1).Gone = at(4 * time.Second) }, 0,
		},
		"nothing is known of it yet": {
			func(_ *Trial, tl *timeline.Timeline) { tl.Known = zero + int64(4*time.Second) }, 0,
		},
		"it never started": {func(_ *Trial, tl *timeline.Timeline) { tl.Life(Main, 1).Started = nil }, 0},
		"another one":      {func(t *Trial, _ *timeline.Timeline) { add(t, corev1.Container{Name: "other"}) }, 0},
		"a postStart hook": {func(t *Trial, _ *timeline.Timeline) {
			t.Pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{}}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tr := Trial{Pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: Main}}}}}
			tl := withLives(probedLife("FF"))
			tl.Known, tl.API = zero+int64(time.Hour), []timeline.Change{{At: *at(0)}}
			c.change(&tr, tl)
			n := 0
			for _, claim := range tr.Standing(tl) {
				if claim.Formula.ID == formula.RunningShown.ID {
					n++
				}
			}
			gomega.NewWithT(t).Expect(n).To(gomega.Equal(c.want))
		})
	}
}

func add(t *Trial, c corev1.Container) { t.Pod.Spec.Containers = append(t.Pod.Spec.Containers, c) }
