package timeline

import (
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The API counts restarts from 0 and shows the end of the life before. Lives count from 1.
func TestContainerStatusNamesTheLifeThatEnded(t *testing.T) {
	ended := corev1.ContainerStateTerminated{
		ExitCode:   137,
		Reason:     "Error",
		FinishedAt: metav1.NewTime(time.Unix(100, 0)),
	}
	end := func(life int) *End {
		return &End{Life: life, ExitCode: 137, Reason: "Error", FinishedAt: 100}
	}
	for name, c := range map[string]struct {
		status corev1.ContainerStatus
		want   ContainerStatus
	}{
		"its first life runs": {
			corev1.ContainerStatus{
				ContainerID: "containerd://3502ed59015a22d8b01d",
				State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
			},
			ContainerStatus{State: "running", ContainerID: "3502ed59015a"},
		},
		"its first life ended": {
			corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &ended}},
			ContainerStatus{State: "terminated", Reason: "Error", Ended: end(1)},
		},
		"it waits for its second": {
			corev1.ContainerStatus{
				State: corev1.ContainerState{
					Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"},
				},
				LastTerminationState: corev1.ContainerState{Terminated: &ended},
			},
			ContainerStatus{State: "waiting", Reason: "CrashLoopBackOff", Ended: end(1)},
		},
		"its second life runs": {
			corev1.ContainerStatus{
				RestartCount: 1, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
				LastTerminationState: corev1.ContainerState{Terminated: &ended},
			},
			ContainerStatus{RestartCount: 1, State: "running", Ended: end(1)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(statusOf(c.status, 0)).To(Equal(c.want))
		})
	}
}

// Two conditions say by their reasons what becomes of a resize.
func TestConditionsOfAResizeHaveTheirReasons(t *testing.T) {
	p := &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, Reason: "Unimportant"},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse},
		{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred},
		{Type: corev1.PodResizeInProgress, Status: corev1.ConditionTrue},
	}}}
	NewWithT(t).Expect(VersionOf(p, false, Instant{}).Change().Conditions).
		To(Equal([]string{"Ready", "PodResizePending-Deferred", "PodResizeInProgress"}))
}

// A mirror has another UID than its static pod.
func TestRefs(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns", UID: "uid"}}
	NewWithT(t).Expect(VersionOf(p, false, Instant{}).Ref).To(Equal("pod_ns(uid)"))
	p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
	NewWithT(t).Expect(VersionOf(p, false, Instant{}).Ref).To(BeEmpty())
}

// Runs of earlier revisions saved changes. Versions of them say the same.
func TestVersionsOfASavedChange(t *testing.T) {
	g := NewWithT(t)
	grace := int64(3)
	end := &End{Life: 1, ContainerID: "3502ed59015a", ExitCode: 137, Reason: "Error", StartedAt: 90, FinishedAt: 100}
	third := *end
	third.Life = 3
	all := []Change{
		{Phase: "Running", StartTime: 80, Conditions: []string{"Ready"}, Containers: []ContainerStatus{
			{Name: "a", State: "running", ContainerID: "a1", Ready: true},
			{Name: "b", State: "running", RestartCount: 1, Ended: end},
			{Name: "c", State: "waiting", Reason: "CrashLoopBackOff", Ended: end},
			{Name: "d", State: "terminated", Reason: "Error", Ended: end},
			{Name: "again", State: "terminated", Reason: "Error", Ended: &third},
		}},
		{
			At: Instant{At: 7, Early: 1}, Pod: "other", Phase: "Failed", Reason: "Evicted",
			Conditions: []string{"DisruptionTarget"},
			Disruption: "EvictionByEvictionAPI: evicting", DeletionTimestamp: 99, DeletionGracePeriodSeconds: &grace,
		},
		{Deleted: true},
	}
	text, err := json.Marshal(all)
	g.Expect(err).NotTo(HaveOccurred())
	var loaded []Version
	g.Expect(json.Unmarshal(text, &loaded)).To(Succeed())
	g.Expect(Evidence{API: loaded}.Changes()).To(Equal(all))
	text, err = json.Marshal(loaded)
	g.Expect(err).NotTo(HaveOccurred())
	var again []Version
	g.Expect(json.Unmarshal(text, &again)).To(Succeed())
	g.Expect(Evidence{API: again}.Changes()).To(Equal(all))
}
