package sentences

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
)

// Job says when the Job of a pod ends or replaces it, or "". The rules are those of the job controller of
// Kubernetes v1.37.2 (pkg/controller/job), whatever the kubelet's version.
func Job(w predict.Prediction) string {
	j := w.Job
	if j == nil {
		return ""
	}
	var says []string
	add := func(format string, args ...any) { says = append(says, fmt.Sprintf(format, args...)) }
	if j.CronSuspended {
		add("The CronJob is suspended: it makes no Jobs, and those that run go on.")
	}
	if j.Suspended {
		add("The Job is suspended: it has no pods until it is resumed. Suspending it deletes its running pods.")
	}
	if s := j.ActiveDeadlineSeconds; s != nil {
		add("The Job deletes its pods %s after its start (activeDeadlineSeconds).",
			effective.Words(effective.Seconds(*s)))
	}
	if w.Pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
		says = append(says, replacedSays(j)...)
	}
	if s := j.TTLSecondsAfterFinished; s != nil {
		add("The Job and its pods are deleted %s after the Job has finished (ttlSecondsAfterFinished).",
			effective.Words(effective.Seconds(*s)))
	}
	if j.HasSuccessPolicy {
		add("Not covered: successPolicy, which may end the Job and delete its running pods earlier.")
	}
	if j.Replaced {
		add("The CronJob's next run deletes the pods of the last one (concurrencyPolicy Replace).")
	}
	return strings.Join(says, " ")
}

// replacedSays says what follows a failed pod (job_controller.go syncJob, DefaultJobPodFailureBackOff,
// MaxJobPodFailureBackOff; indexed_job_utils.go calculateFailedIndexes; pod_failure_policy.go).
func replacedSays(j *manifest.Job) (says []string) {
	add := func(format string, args ...any) { says = append(says, fmt.Sprintf(format, args...)) }
	const replaced = "A new pod replaces a failed one after 10, 20, 40 s and so on up to 10 min"
	switch {
	case j.BackoffLimitPerIndex == nil:
		add(replaced+", until more than %d have failed (backoffLimit).", j.BackoffLimit)
	case j.BackoffLimit == math.MaxInt32:
		add(replaced+", until more than %d of its index have failed (backoffLimitPerIndex).", *j.BackoffLimitPerIndex)
	default:
		add(replaced+", until more than %d of its index have failed (backoffLimitPerIndex), or more than %d of all "+
			"(backoffLimit).", *j.BackoffLimitPerIndex, j.BackoffLimit)
	}
	if n := j.MaxFailedIndexes; n != nil {
		add("The Job fails when more than %d indexes have failed (maxFailedIndexes).", *n)
	}
	if j.PodFailurePolicy == nil {
		return says
	}
	var rules []string
	for _, r := range j.PodFailurePolicy.Rules {
		rules = append(rules, failureSays(r)+" "+actionSays[r.Action])
	}
	if len(rules) > 0 {
		add("Of a failed pod, the first rule that matches decides (podFailurePolicy): %s. Any other failure counts.",
			strings.Join(rules, "; "))
	}
	return says
}

// actionSays is what an action of a podFailurePolicy does.
var actionSays = map[batchv1.PodFailurePolicyAction]string{
	batchv1.PodFailurePolicyActionFailJob:   "fails the Job, which deletes its running pods",
	batchv1.PodFailurePolicyActionFailIndex: "fails the index",
	batchv1.PodFailurePolicyActionIgnore:    "does not count, and the pod is replaced",
	batchv1.PodFailurePolicyActionCount:     "counts",
}

// failureSays says which failures a rule matches.
func failureSays(r batchv1.PodFailurePolicyRule) string {
	var parts []string
	if r.OnExitCodes == nil {
		for _, c := range r.OnPodConditions {
			status := cmp.Or(c.Status, corev1.ConditionTrue) // the API's default
			says := fmt.Sprintf("condition %s %s", c.Type, status)
			if c.Type == corev1.DisruptionTarget && status == corev1.ConditionTrue {
				says = "a drain, an eviction or a preemption (condition DisruptionTarget)"
			}
			parts = append(parts, says)
		}
		return strings.Join(parts, " or ")
	}
	for _, code := range r.OnExitCodes.Values {
		parts = append(parts, fmt.Sprint(code))
	}
	says := "exit code " + strings.Join(parts, ", ")
	if r.OnExitCodes.Operator == batchv1.PodFailurePolicyOnExitCodesOpNotIn {
		says = "a failure with an exit code other than " + strings.Join(parts, ", ")
	}
	if name := r.OnExitCodes.ContainerName; name != nil {
		says += " of container " + *name
	}
	return says
}
