package predict

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// failsAt returns a Job that survives fewer failures than limit.
func failsAt(limit int32, deadline *int64) *manifest.Job {
	return &manifest.Job{JobSpec: batchv1.JobSpec{
		BackoffLimit: &limit, ActiveDeadlineSeconds: deadline, PodReplacementPolicy: new(batchv1.TerminatingOrFailed),
		Parallelism: new(int32(1)),
	}}
}

// ofPods returns a Job that runs so many pods at the same time, and needs so many.
func ofPods(parallelism, completions, limit int32) *manifest.Job {
	j := failsAt(limit, nil)
	j.Parallelism, j.Completions = &parallelism, &completions
	return j
}

// A crash loop ends with its Job or at a deadline, whatever the kubelet would go on to do.
func TestCrashLoopsEnd(t *testing.T) {
	seconds := func(n int64) *int64 { return &n }
	for name, c := range map[string]struct {
		policy    corev1.RestartPolicy
		deadline  *int64
		job       *manifest.Job
		restarted int
		says      string
	}{
		"no Job": {corev1.RestartPolicyOnFailure, nil, nil, 10, "each time"},
		"a Job's limit": {
			corev1.RestartPolicyOnFailure, nil, failsAt(2, nil), 2, "backoffLimit of 2",
		},
		"no failure allowed": {corev1.RestartPolicyOnFailure, nil, failsAt(0, nil), 1, "backoffLimit of 0"},
		"a limit beyond what is shown": {
			corev1.RestartPolicyOnFailure, nil, failsAt(50, nil), 10, "each time",
		},
		"two pods": {
			corev1.RestartPolicyOnFailure, nil, ofPods(2, 5, 3), 3, "if 2 crash alike, that is after 2 of each",
		},
		"more at once than needed": {
			corev1.RestartPolicyOnFailure, nil, ofPods(4, 1, 3), 3, "and deletes the pod",
		},
		"a limit that only many pods reach": {
			corev1.RestartPolicyOnFailure, nil, ofPods(5, 5, 50), 10, "if 5 crash alike, that is after 10 of each",
		},
		"never restarted":  {corev1.RestartPolicyNever, nil, failsAt(6, nil), 0, ""},
		"a pod's deadline": {corev1.RestartPolicyAlways, seconds(60), nil, 3, "after 60 s, the pod's deadline"},
		"a Job's deadline": {corev1.RestartPolicyOnFailure, nil,
			failsAt(6, seconds(20)), 2, "after 20 s, the Job's deadline"},
		"the earlier of two": {corev1.RestartPolicyOnFailure, seconds(20),
			failsAt(6, seconds(60)), 2, "after 20 s, the pod's deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
				s.RestartPolicy, s.ActiveDeadlineSeconds = c.policy, c.deadline
			})
			w.Job = c.job
			plain := pod(func(*corev1.PodSpec, *corev1.Container) {})
			p := All([]Workload{plain, w}, kubelet(formula.NewestKnown), Options{})
			got := p[1].Containers[0]
			g.Expect(got.Answers.CrashLoop).To(HaveLen(c.restarted))
			if c.restarted > 0 {
				loop := got.timeline(g, "crash")
				g.Expect(loop.Assumes.Description + "; " + loop.Ends).To(ContainSubstring(c.says))
			}
			g.Expect(p[0].Containers[0].Answers.CrashLoop).To(HaveLen(10), "an equal pod without a Job")
		})
	}
}

// A startup probe that gives up after the pod's deadline kills nothing.
func TestStartupKillsBeforeTheDeadlineOnly(t *testing.T) {
	for deadline, killed := range map[int64]bool{20: false, 600: true} {
		w := pod(func(s *corev1.PodSpec, c *corev1.Container) {
			s.ActiveDeadlineSeconds = &deadline
			c.StartupProbe = &corev1.Probe{
				ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"false"}}},
				PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 30,
			}
		})
		all := of(w, formula.NewestKnown, Options{}).Timelines
		has := slices.ContainsFunc(all, func(t Timeline) bool { return t.Cause == formula.ByStartup })
		NewWithT(t).Expect(has).To(Equal(killed), "%v", time.Duration(deadline)*time.Second)
	}
}
