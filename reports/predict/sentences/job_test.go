package sentences

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/manifest"
)

// Each row is fields of a Job, and what is said of them.
func TestJobs(t *testing.T) {
	const replaced = "A new pod replaces a failed one after 10, 20, 40 s and so on up to 10 min, until more than "
	for name, c := range map[string]struct{ job, cron, policy, says, short string }{
		"defaults": {
			"", "", "Never", "A new pod replaces a failed one after 10, 20, 40, 80, 160, 320 s, until more than 6 " +
				"have failed (backoffLimit).",
			"failed pods are replaced, at most 6",
		},
		"many retries": {
			"backoffLimit: 7, ", "", "Never", replaced + "7 have failed (backoffLimit).",
			"failed pods are replaced, at most 7",
		},
		"restarted": {"", "", "OnFailure", "", ""},
		"deleted": {
			"ttlSecondsAfterFinished: 90, ", "", "OnFailure", "deleted 90 s after the Job has",
			"gone 90 s after its end",
		},
		"suspended": {
			"suspend: true, ", "", "OnFailure", "The Job is suspended: it has no pods",
			"suspended: no pods",
		},
		"not suspended": {"suspend: false, ", "", "OnFailure", "", ""},
		"a cron": {
			"", "suspend: true, ", "OnFailure", "The CronJob is suspended: it makes no Jobs",
			"suspended: no new Jobs",
		},
		"a cron replaces": {
			"", "concurrencyPolicy: Replace, ", "OnFailure", "The CronJob's next run deletes",
			"the next run deletes its pods",
		},
		"a suspended cron has no next run": {
			"", "suspend: true, concurrencyPolicy: Replace, ", "OnFailure",
			"The CronJob is suspended: it makes no Jobs, and those that run go on.", "suspended: no new Jobs",
		},
		"by index": {
			"completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 2, ", "", "Never",
			replaced + "1 of its index have failed (backoffLimitPerIndex). " +
				"The Job fails when more than 2 indexes have failed (maxFailedIndexes).",
			"failed pods are replaced, at most 1 of an index, until more than 2 indexes fail",
		},
		"by index and all": {
			"completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, backoffLimit: 4, ", "", "Never",
			replaced + "1 of its index have failed (backoffLimitPerIndex), or more than 4 of all (backoffLimit).",
			"failed pods are replaced, at most 1 of an index and 4 of all",
		},
		"no retry": {
			"backoffLimit: 0, ", "", "Never", "The first failed pod fails the Job (backoffLimit 0).",
			"failed pods are not replaced",
		},
		"a success policy": {
			"completionMode: Indexed, completions: 3, successPolicy: {rules: [{succeededCount: 1}]}, ", "", "OnFailure",
			"Not covered: successPolicy", "successPolicy is not covered",
		},
		"a failure policy": { // the documentation's example, and the other actions
			"completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, podFailurePolicy: {rules: [" +
				"{action: FailJob, onExitCodes: {containerName: main, operator: In, values: [42]}}, " +
				"{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}, " +
				"{action: FailIndex, onExitCodes: {operator: In, values: [3, 4]}}, " +
				"{action: Count, onExitCodes: {operator: NotIn, values: [0, 1]}}, " +
				"{action: Ignore, onPodConditions: [{type: ConfigIssue, status: 'False'}]}]}, ", "", "Never",
			"Of a failed pod, the first rule that matches decides (podFailurePolicy): " +
				"exit code 42 of container main fails the Job, which deletes its running pods; " +
				"a drain, an eviction or a preemption (condition DisruptionTarget) does not count, and the pod is " +
				"replaced; exit code 3, 4 fails the index; a failure with an exit code other than 0, 1 counts; " +
				"condition ConfigIssue False does not count, and the pod is replaced. Any other failure counts.",
			"failed pods are replaced, at most 1 of an index; rules of podFailurePolicy come first",
		},
		"a deadline": {
			"activeDeadlineSeconds: 600, ", "", "OnFailure", "deletes its pods 600 s after its start",
			"its pods are deleted 600 s after its start",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			job := "spec: {" + c.job + "template: {spec: {restartPolicy: " + c.policy +
				", containers: [{name: main, image: i}]}}}"
			text := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n" + job + "\n"
			if c.cron != "" {
				text = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\n" +
					"spec: {schedule: '* * * * *', " + c.cron + "jobTemplate: {" + job + "}}\n"
			}
			m, err := manifest.Read(strings.NewReader(text), "")
			g.Expect(err).NotTo(HaveOccurred())
			short, all := jobText(first(m))
			if c.says == "" {
				g.Expect(all).To(BeEmpty())
			}
			g.Expect(all).To(ContainSubstring(c.says))
			g.Expect(short).To(Equal(c.short))
		})
	}
}

// A Job's deadline ends its pods before a probe kills.
func TestDeadlineOfAJobBeforeAProbe(t *testing.T) {
	g := NewWithT(t)
	for seconds, says := range map[string]string{
		"10": "no restart: the deadline ends the pod first", "600": "restarted after 19 to 66 s",
	} {
		m, err := manifest.Read(strings.NewReader("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {"+
			"activeDeadlineSeconds: "+seconds+", template: {spec: {restartPolicy: OnFailure, containers: "+
			"[{name: main, image: i, livenessProbe: {tcpSocket: {port: 80}}}]}}}\n"), "")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(hungShort(first(m))).To(Equal(says), seconds)
	}
}
