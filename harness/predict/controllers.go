package predict

import (
	"math"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// ownerOf returns the kind of what makes a workload's pods again, or "Pod".
func ownerOf(w Workload) string {
	if made := metav1.GetControllerOf(w.Pod); made != nil {
		return made.Kind
	}
	return w.Kind
}

// lostNode reads the timeline of a lost node, which the pod's first container has.
func (p *Prediction) lostNode() *LostPod {
	var lost LostPod
	for i := range p.Containers[0].Timelines {
		if t := &p.Containers[0].Timelines[i]; t.Cause == LostNode {
			lost.Unready, lost.Deleted = t.find(lifecycle.Unready).At, overStep(nil, t, lifecycle.DeletionBegan)
		}
	}
	if lost.Replaced = NeverReplaced; lost.Deleted != nil {
		lost.Replaced = p.replacement()
	}
	return &lost
}

// replacement returns when a deleted pod is replaced whose kubelet does not confirm its end, or "" if podclock does
// not know its controller. A ReplicaSet does not count pods that are being deleted (pkg/controller/controller_utils.go
// IsPodActive; no release has a podReplacementPolicy of Deployments), a StatefulSet waits for the end of the object.
func (p *Prediction) replacement() Replacement {
	if p.Revision() {
		return ReplacedAtDelete // by the ReplicaSet of its Deployment
	}
	switch p.Owner {
	case "Deployment", "ReplicaSet", "ReplicationController", "Rollout":
		return ReplacedAtDelete
	case "StatefulSet":
		return ReplacedWhenGone
	case "Job", "CronJob":
		switch {
		case p.Job == nil:
			return ""
		case *p.Job.BackoffLimit == 0 && p.Job.BackoffLimitPerIndex == nil && p.Job.PodFailurePolicy == nil:
			return NeverReplaced // a deleted pod has failed (pkg/controller/job/job_controller.go isPodFailed)
		case *p.Job.PodReplacementPolicy == batchv1.Failed:
			return ReplacedWhenGone
		}
		return ReplacedAtDelete
	case "Pod":
		return NeverReplaced
	}
	return ""
}

// retries returns nil for pods that no Job replaces when they fail. With restartPolicy OnFailure, mostRestarts has the
// Job's limit (pkg/controller/job/job_controller.go syncJob; indexed_job_utils.go calculateFailedIndexes).
func (p *Prediction) retries() *Retries {
	// DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff of job_controller.go
	const first, longest = 10 * time.Second, 10 * time.Minute
	if p.Job == nil || p.Pod.Spec.RestartPolicy != corev1.RestartPolicyNever {
		return nil
	}
	r := &Retries{Longest: longest, PerIndex: p.Job.BackoffLimitPerIndex}
	if r.PerIndex == nil || *p.Job.BackoffLimit < math.MaxInt32 {
		r.Limit = p.Job.BackoffLimit
	}
	for wait := first; wait < longest; wait *= 2 {
		if r.PerIndex == nil && len(r.Waits) == int(*r.Limit) {
			break
		}
		r.Waits = append(r.Waits, wait)
	}
	return r
}

// drainFlags returns the flags without which kubectl drain refuses a node with the pod (k8s.io/kubectl
// pkg/drain/filters.go).
func (p *Prediction) drainFlags() (flags []string) {
	if p.Owner == "DaemonSet" {
		return []string{"--ignore-daemonsets"}
	}
	if p.Owner == "Pod" {
		flags = append(flags, "--force")
	}
	if slices.ContainsFunc(p.Pod.Spec.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil }) {
		flags = append(flags, "--delete-emptydir-data")
	}
	return flags
}
