package trial

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Each case is a pod of one container that the kubelet treats well or badly.
func TestUncaused(t *testing.T) {
	at := func(n int64) *timeline.Instant { return &timeline.Instant{At: n} }
	zero, one := 0, 1
	killed := []*timeline.Life{{Number: 1, Connected: at(10), SIGTERMs: []timeline.Instant{*at(20)}, Gone: at(30)}}
	again := func(code *int) []*timeline.Life {
		return []*timeline.Life{
			{Number: 1, Connected: at(10), Exiting: at(20), OwnExitCode: code, Gone: at(20)},
			{Number: 2, Connected: at(30)},
		}
	}
	probed := func(tr *Trial) { tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{} }
	policy := func(p corev1.RestartPolicy) func(*Trial) { return func(tr *Trial) { tr.Pod.Spec.RestartPolicy = p } }
	always := corev1.ContainerRestartPolicyAlways
	by := func(cause formula.Cause) func(*Trial) { return func(tr *Trial) { tr.KillCause = cause } }
	never, onFailure := policy(corev1.RestartPolicyNever), policy(corev1.RestartPolicyOnFailure)
	hook := []*timeline.Life{{Hooks: []timeline.Hook{{Began: *at(20)}}}}
	sidecar := func(tr *Trial) {
		never(tr)
		tr.Pod.Spec.Containers[0].RestartPolicy = &always
	}
	injected := func(what Action, at int64) timeline.Timeline {
		return timeline.Timeline{Faults: []timeline.Fault{{What: string(what), At: timeline.Instant{At: at}}}}
	}
	// Both lives of changed are killed.
	changed := slices.Concat(killed, []*timeline.Life{
		{Number: 2, Connected: at(40), SIGTERMs: []timeline.Instant{*at(50)}, Gone: at(60)},
	})
	removal := func(container string) func(*Trial) {
		return func(tr *Trial) {
			never(tr)
			tr.Faults = []Fault{{Action: RemoveContainer, Container: container}}
		}
	}
	beside := func(action corev1.ContainerRestartRuleAction) func(*Trial) {
		return func(tr *Trial) {
			never(tr)
			tr.Pod.Spec.Containers = append(tr.Pod.Spec.Containers, corev1.Container{
				Name: "other", RestartPolicyRules: []corev1.ContainerRestartRule{{Action: action}},
			})
		}
	}
	resizable := func(policy corev1.ResourceResizeRestartPolicy) func(*Trial) {
		return func(tr *Trial) {
			tr.Pod.Spec.Containers[0].ResizePolicy = []corev1.ContainerResizePolicy{
				{ResourceName: corev1.ResourceCPU, RestartPolicy: corev1.NotRequired},
				{ResourceName: corev1.ResourceMemory, RestartPolicy: policy},
			}
		}
	}
	inAJob := func(tr *Trial) { tr.Job = &batchv1.JobSpec{} }
	besideInAJob := func(tr *Trial) {
		inAJob(tr)
		tr.Companions = []*corev1.Pod{tr.Pod}
		tr.Pod = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "other"}}}}
	}
	evicted := timeline.Timeline{Events: []timeline.Event{{Reason: "Evicted", Message: "low on memory"}}}
	for name, c := range map[string]struct {
		lives  []*timeline.Life
		change func(*Trial)
		tl     timeline.Timeline
		want   string
	}{
		"a kill":                        {lives: killed, want: "kills"},
		"a hook":                        {lives: hook, want: "kills"},
		"a death of another cause":      {lives: []*timeline.Life{{Number: 1, Connected: at(10), Gone: at(20)}}},
		"a kill after a delete":         {lives: killed, tl: injected(DeletePod, 15)},
		"a kill before a delete":        {lives: killed, tl: injected(DeletePod, 25), want: "kills"},
		"a kill that a probe may cause": {lives: killed, change: probed},
		"a kill in a Job that failed":   {lives: killed, change: inAJob, want: "kills"},
		"a kill beside it":              {lives: killed, change: besideInAJob},
		"a kill by an eviction":         {lives: killed, change: by(formula.ByHardEviction)},
		"a kill for a resize": {
			lives: killed, change: resizable(corev1.RestartContainer), tl: injected(ResizePod, 15),
		},
		"a kill before a resize": {
			lives: killed, change: resizable(corev1.RestartContainer), tl: injected(ResizePod, 25), want: "kills",
		},
		"a kill for a resize in place": {
			lives: killed, change: resizable(corev1.NotRequired), tl: injected(ResizePod, 15), want: "kills",
		},
		"a restart":                    {lives: again(&zero), change: policy(corev1.RestartPolicyAlways)},
		"a restart in spite of Never":  {lives: again(&one), change: never, want: "restarts"},
		"a restart after a failure":    {lives: again(&one), change: onFailure},
		"a restart after a success":    {lives: again(&zero), change: onFailure, want: "restarts"},
		"a sidecar's restart":          {lives: again(&zero), change: sidecar},
		"a restart with another image": {lives: changed, change: never, tl: injected(SetImage, 15)},
		"a second restart with it": {
			lives: append(changed, &timeline.Life{Number: 3, Connected: at(70)}), change: never,
			tl: injected(SetImage, 15), want: "restarts",
		},
		"another image after an end": {
			lives: again(&one), change: never, tl: injected(SetImage, 15), want: "restarts",
		},
		"a restart of an init container in a new sandbox": {
			lives: again(&zero), change: func(tr *Trial) {
				never(tr)
				tr.Pod.Spec.InitContainers = tr.Pod.Spec.Containers
				tr.Pod.Spec.Containers = []corev1.Container{{
					Name: "other", Args: victim.Run{EndSandboxAfter: []time.Duration{time.Second}}.Args(),
				}}
			},
		},
		"a restart after a removal": {
			lives: again(&one), change: removal(Main), tl: injected(RemoveContainer, 25),
		},
		"a restart before a removal": {
			lives: again(&one), change: removal(Main), tl: injected(RemoveContainer, 35), want: "restarts",
		},
		"a restart after another's removal": {
			lives: again(&one), change: removal("other"), tl: injected(RemoveContainer, 25), want: "restarts",
		},
		"a restart beside a rule for all": {
			lives: again(&one), change: beside(corev1.ContainerRestartRuleActionRestartAllContainers),
		},
		"a restart beside a rule for one": {
			lives: again(&one), change: beside(corev1.ContainerRestartRuleActionRestart), want: "restarts",
		},
		"an event":                        {tl: evicted, want: "evictions"},
		"an event of a trial that evicts": {tl: evicted, change: by(formula.ByStorageLimit)},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			tr := Trial{Pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: Main}}}}}
			if c.change != nil {
				c.change(&tr)
			}
			tl := c.tl
			tl.API = []timeline.Change{{}}
			tl.Containers = map[string]*timeline.Container{Main: {Name: Main, Lives: c.lives}}
			claims := tr.uncaused(&tl)
			g.Expect(claims).To(HaveLen(3))
			for _, claim := range claims {
				m, _ := claim.Measure.Read(&tl)
				g.Expect(claim.ID()).To(Equal(claim.Measure.kind + "-uncaused"))
				g.Expect(m.Value == 1).To(Equal(claim.Measure.kind == c.want), claim.ID())
				g.Expect(claim.Measure.Misreport(&tl) != "").To(Equal(m.Value == 1))
			}
		})
	}
	g := NewWithT(t)
	g.Expect(Trial{}.uncaused(&timeline.Timeline{})).To(BeEmpty(), "nothing was seen of the pod")
}
