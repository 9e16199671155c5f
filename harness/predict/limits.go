package predict

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// RestartsShown is how many restarts of a loop are predicted.
const RestartsShown = 10

// mostRestarts returns after how many restarts the pod ends, and why, or RestartsShown. A Job with restartPolicy
// OnFailure fails at that many restarts, and deletes its pods. It adds those of all containers of all pods that run or
// wait (pkg/controller/job/job_controller.go pastBackoffLimitOnFailure).
func (p *podPredictor) mostRestarts() (n int, why string) {
	if p.job == nil || p.pod.Spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		return RestartsShown, ""
	}
	limit := max(1, int(*p.job.BackoffLimit)) // with a limit of 0, the first restart is one too many
	pods := p.job.AtOnce()
	each := (limit + pods - 1) / pods
	if each > RestartsShown {
		return RestartsShown, ""
	}
	why = fmt.Sprintf("then the Job has reached its backoffLimit of %d, and deletes the pod", *p.job.BackoffLimit)
	switch {
	case pods > 1:
		const others = "; it counts the restarts of all its pods, so if %d crash alike, that is after %d of each"
		why += fmt.Sprintf(others, pods, each)
	case len(p.pod.All()) > 1:
		why += "; it counts the restarts of all containers"
	}
	return min(limit, RestartsShown), why
}

// deadline returns when the pod surely ends, counted from its start, and whose deadline that is, or "". The Job's
// counts from the Job's start, which comes before.
func (p *podPredictor) deadline() (after time.Duration, whose string) {
	if s := p.pod.Spec.ActiveDeadlineSeconds; s != nil {
		after, whose = effective.Seconds(*s), "pod"
	}
	if p.job != nil && p.job.ActiveDeadlineSeconds != nil {
		if d := effective.Seconds(*p.job.ActiveDeadlineSeconds); whose == "" || d < after {
			after, whose = d, "Job"
		}
	}
	return after, whose
}

// pastEnd reports whether a timeline of a probe that fails has its kill after the pod's deadline. Its container has
// started when the probe begins to fail.
func (p *podPredictor) pastEnd(t *Timeline) bool {
	signal := t.find(lifecycle.SIGTERM)
	after, whose := p.deadline()
	return whose != "" && (t.Cause == formula.ByLiveness || t.Cause == formula.ByStartup) &&
		signal != nil && signal.At.Earliest > after
}

// again draws the restarts of a container that ends in every life, until the pod ends: restart n by these rules, then
// the end of the life that it begins.
func (p predictor) again(d *draft, rules func(n int) []*formula.Formula, end func(life int)) {
	most, why := p.mostRestarts()
	d.Ends = why
	for n := 1; n <= most; n++ {
		d.restart(n, rules(n)...)
		if after, whose := p.deadline(); whose != "" && d.at(inLife(lifecycle.Started, n+1)).Earliest > after {
			d.Steps = d.Steps[:len(d.Steps)-1]
			d.Ends = fmt.Sprintf("after %s, the %s's deadline has ended the pod", effective.Words(after), whose)
			most = n - 1
			break
		}
		if n == most {
			break
		}
		end(n + 1)
	}
	d.value("restart-count", "restartCount after these", most+1, &formula.RestartCount)
}
