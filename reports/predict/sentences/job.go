package sentences

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
)

// jobText says when the Job of a pod ends or replaces it, or nothing. The rules are those of the job controller of
// Kubernetes v1.37.2 (pkg/controller/job), whatever the kubelet's version.
func jobText(w predict.Prediction) (short, all string) {
	j := w.Job
	if j == nil {
		return "", ""
	}
	var few, says []string
	add := func(brief, format string, args ...any) {
		few, says = append(few, brief), append(says, fmt.Sprintf(format, args...))
	}
	if j.CronSuspended {
		add("suspended: no new Jobs", "The CronJob is suspended: it makes no Jobs, and those that run go on.")
	}
	if j.Suspend != nil && *j.Suspend {
		add("suspended: no pods",
			"The Job is suspended: it has no pods until it is resumed. Suspending it deletes its running pods.")
	}
	if s := j.ActiveDeadlineSeconds; s != nil {
		after := effective.Words(effective.Seconds(*s))
		add("its pods are deleted "+after+" after its start",
			"The Job deletes its pods %s after its start (activeDeadlineSeconds).", after)
	}
	if w.Retries != nil {
		brief, replaced := retriesSay(j, *w.Retries)
		few, says = append(few, brief), append(says, replaced...)
	}
	if s := j.TTLSecondsAfterFinished; s != nil {
		after := effective.Words(effective.Seconds(*s))
		add("gone "+after+" after its end",
			"The Job and its pods are deleted %s after the Job has finished (ttlSecondsAfterFinished).", after)
	}
	if j.SuccessPolicy != nil {
		add("successPolicy is not covered",
			"Not covered: successPolicy, which may end the Job and delete its running pods earlier.")
	}
	if j.Replaced && !j.CronSuspended {
		add("the next run deletes its pods",
			"The CronJob's next run deletes the pods of the last one (concurrencyPolicy Replace).")
	}
	return listed(few...), strings.Join(says, " ")
}

// retriesSay says what follows a failed pod.
func retriesSay(j *manifest.Job, r predict.Retries) (short string, all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	short = "failed pods are replaced, at most "
	var waits []string
	for _, wait := range r.Waits {
		waits = append(waits, number(wait, time.Second))
	}
	replaced := "A new pod replaces a failed one after "
	if r.PerIndex == nil && len(waits) == int(*r.Limit) {
		replaced += strings.Join(waits, ", ") + " s"
	} else {
		replaced += strings.Join(waits[:3], ", ") + " s and so on up to " + number(r.Longest, time.Minute) + " min"
	}
	switch {
	case r.PerIndex == nil && *r.Limit == 0:
		short = "failed pods are not replaced"
		add("The first failed pod fails the Job (backoffLimit 0).")
	case r.PerIndex == nil:
		short += fmt.Sprint(*r.Limit)
		add(replaced+", until more than %d have failed (backoffLimit).", *r.Limit)
	case r.Limit == nil:
		short += fmt.Sprintf("%d of an index", *r.PerIndex)
		add(replaced+", until more than %d of its index have failed (backoffLimitPerIndex).", *r.PerIndex)
	default:
		short += fmt.Sprintf("%d of an index and %d of all", *r.PerIndex, *r.Limit)
		add(replaced+", until more than %d of its index have failed (backoffLimitPerIndex), or more than %d of all "+
			"(backoffLimit).", *r.PerIndex, *r.Limit)
	}
	if n := j.MaxFailedIndexes; n != nil {
		short += fmt.Sprintf(", until more than %d indexes fail", *n)
		add("The Job fails when more than %d indexes have failed (maxFailedIndexes).", *n)
	}
	if j.PodFailurePolicy == nil {
		return short, all
	}
	var rules []string
	for _, r := range j.PodFailurePolicy.Rules {
		rules = append(rules, failureText(r)+" "+actionText[r.Action])
	}
	if len(rules) > 0 {
		short += "; rules of podFailurePolicy come first"
		add("Of a failed pod, the first rule that matches decides (podFailurePolicy): %s. Any other failure counts.",
			strings.Join(rules, "; "))
	}
	return short, all
}

// actionText is what an action of a podFailurePolicy does.
var actionText = map[batchv1.PodFailurePolicyAction]string{
	batchv1.PodFailurePolicyActionFailJob:   "fails the Job, which deletes its running pods",
	batchv1.PodFailurePolicyActionFailIndex: "fails the index",
	batchv1.PodFailurePolicyActionIgnore:    "does not count, and the pod is replaced",
	batchv1.PodFailurePolicyActionCount:     "counts",
}

// failureText says which failures a rule matches.
func failureText(r batchv1.PodFailurePolicyRule) string {
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
