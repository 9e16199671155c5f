package timeline

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Version is one version of a pod's object as a watch delivered it.
type Version struct {
	At Instant `json:"at"`
	// Pod is the name of a companion, empty for the trial's Pod.
	Pod     string `json:"pod,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Ref is how the kubelet's messages name the pod. It is empty for a mirror, whose static pod they name.
	Ref string `json:"ref,omitempty"`
	// Before is how many lives each container had in earlier pods of this name. Without any it is nil.
	Before     map[string]int `json:"before,omitempty"`
	Generation int64          `json:"generation,omitempty"`
	// DeletionTimestamp is in seconds since 1970, 0 if unset.
	DeletionTimestamp          int64            `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64           `json:"deletionGracePeriodSeconds,omitempty"`
	Status                     corev1.PodStatus `json:"status"`
}

// VersionOf returns one version of a pod's object, or its disappearance.
func VersionOf(p *corev1.Pod, deleted bool, at Instant) Version {
	v := Version{
		At: at, Deleted: deleted, Generation: p.Generation,
		DeletionGracePeriodSeconds: p.DeletionGracePeriodSeconds, Status: p.Status,
	}
	if p.DeletionTimestamp != nil {
		v.DeletionTimestamp = p.DeletionTimestamp.Unix()
	}
	if p.UID != "" && p.Annotations[corev1.MirrorPodAnnotationKey] == "" {
		v.Ref = fmt.Sprintf("%s_%s(%s)", p.Name, p.Namespace, p.UID)
	}
	return v
}

// Change is what a version says about the lives of the pod's containers. Its times are in seconds since 1970, 0 if
// unset. Runs of earlier revisions saved it instead of the version.
type Change struct {
	At      Instant `json:"at"`
	Pod     string  `json:"pod"`
	Deleted bool    `json:"deleted"`
	Phase   string  `json:"phase"`
	Reason  string  `json:"reason"`
	// Conditions are the types of those that are true.
	Conditions []string `json:"conditions"`
	// Disruption is the reason and message of the condition DisruptionTarget, if it is true.
	Disruption                 string `json:"disruption"`
	StartTime                  int64  `json:"startTime"`
	DeletionTimestamp          int64  `json:"deletionTimestamp"`
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds"`
	// Containers include init containers.
	Containers []ContainerStatus `json:"containers"`
}

// ContainerStatus is a container's status in the API.
type ContainerStatus struct {
	Name         string `json:"name"`
	RestartCount int32  `json:"restartCount"`
	Ready        bool   `json:"ready"`
	// State is "waiting", "running" or "terminated".
	State       string `json:"state"`
	Reason      string `json:"reason"`
	ContainerID string `json:"containerID"`
	// Ended is the newest end: of the present state if terminated, else of the last one.
	Ended *End `json:"ended"`
}

// End is a container's end in the API. Times are in seconds since 1970.
type End struct {
	// Life counts from 1.
	Life        int    `json:"life"`
	ContainerID string `json:"containerID"`
	ExitCode    int32  `json:"exitCode"`
	Reason      string `json:"reason"`
	StartedAt   int64  `json:"startedAt"`
	FinishedAt  int64  `json:"finishedAt"`
}

// AtOnce reports whether the container started, and ended within a second.
func (e End) AtOnce() bool { return e.StartedAt > 0 && e.FinishedAt-e.StartedAt <= 1 }

// Creating reports whether the container waits for nothing but its creation.
func (s ContainerStatus) Creating() bool {
	return s.State == "waiting" && (s.Reason == "" || s.Reason == "ContainerCreating" || s.Reason == "PodInitializing")
}

// Change returns what the version says about the lives.
func (v Version) Change() Change {
	c := Change{
		At: v.At, Pod: v.Pod, Deleted: v.Deleted, Phase: string(v.Status.Phase), Reason: v.Status.Reason,
		DeletionTimestamp: v.DeletionTimestamp, DeletionGracePeriodSeconds: v.DeletionGracePeriodSeconds,
	}
	if v.Status.StartTime != nil {
		c.StartTime = v.Status.StartTime.Unix()
	}
	for _, condition := range v.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		c.Conditions = append(c.Conditions, conditionName(condition))
		if condition.Type == corev1.DisruptionTarget {
			c.Disruption = condition.Reason + ": " + condition.Message
		}
	}
	for _, all := range [][]corev1.ContainerStatus{v.Status.ContainerStatuses, v.Status.InitContainerStatuses} {
		for _, s := range all {
			c.Containers = append(c.Containers, statusOf(s, v.Before[s.Name]))
		}
	}
	return c
}

// conditionName returns a condition's type. Those of a resize that waits or fails also have their reason: it decides
// what becomes of the resize.
func conditionName(c corev1.PodCondition) string {
	name := string(c.Type)
	switch c.Type {
	case corev1.PodResizePending, corev1.PodResizeInProgress:
		if c.Reason != "" {
			name += "-" + c.Reason
		}
	}
	return name
}

func statusOf(s corev1.ContainerStatus, before int) ContainerStatus {
	status := ContainerStatus{Name: s.Name, RestartCount: s.RestartCount, Ready: s.Ready}
	switch {
	case s.State.Running != nil:
		status.State, status.ContainerID = "running", shortID(s.ContainerID)
	case s.State.Terminated != nil:
		status.State, status.Reason = "terminated", s.State.Terminated.Reason
	case s.State.Waiting != nil:
		status.State, status.Reason = "waiting", s.State.Waiting.Reason
	}
	// A waiting container has the restartCount of the life that ended last, a running one that of the next life.
	life := before + int(s.RestartCount)
	switch {
	case s.State.Terminated != nil:
		status.Ended = endOf(*s.State.Terminated, life+1)
	case s.LastTerminationState.Terminated != nil && s.State.Running != nil:
		status.Ended = endOf(*s.LastTerminationState.Terminated, life)
	case s.LastTerminationState.Terminated != nil:
		status.Ended = endOf(*s.LastTerminationState.Terminated, life+1)
	}
	return status
}

func shortID(containerID string) string {
	_, id, _ := strings.Cut(containerID, "://")
	return id[:min(len(id), 12)]
}

func endOf(t corev1.ContainerStateTerminated, life int) *End {
	return &End{
		Life: life, ContainerID: shortID(t.ContainerID), ExitCode: t.ExitCode, Reason: t.Reason,
		StartedAt: seconds(t.StartedAt), FinishedAt: seconds(t.FinishedAt),
	}
}

// seconds returns a time in seconds since 1970, 0 if it is unset.
func seconds(t metav1.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// UnmarshalJSON reads a version, or a change of a run of an earlier revision.
func (v *Version) UnmarshalJSON(text []byte) error {
	type plain Version
	var is struct{ Status json.RawMessage }
	if err := json.Unmarshal(text, &is); err != nil {
		return err
	}
	if is.Status != nil {
		return json.Unmarshal(text, (*plain)(v))
	}
	var saved Change
	if err := json.Unmarshal(text, &saved); err != nil {
		return err
	}
	*v = Shown(saved)[0]
	return nil
}

// Shown returns versions that say no more than these changes.
func Shown(changes ...Change) (versions []Version) {
	for _, c := range changes {
		v := Version{
			At: c.At, Pod: c.Pod, Deleted: c.Deleted, DeletionTimestamp: c.DeletionTimestamp,
			DeletionGracePeriodSeconds: c.DeletionGracePeriodSeconds,
			Status:                     corev1.PodStatus{Phase: corev1.PodPhase(c.Phase), Reason: c.Reason},
		}
		if c.StartTime != 0 {
			start := timeAt(c.StartTime)
			v.Status.StartTime = &start
		}
		for _, is := range c.Conditions {
			condition := corev1.PodCondition{Type: corev1.PodConditionType(is), Status: corev1.ConditionTrue}
			if condition.Type == corev1.DisruptionTarget {
				condition.Reason, condition.Message, _ = strings.Cut(c.Disruption, ": ")
			}
			v.Status.Conditions = append(v.Status.Conditions, condition)
		}
		for _, s := range c.Containers {
			shown, before := s.shown()
			v.Status.ContainerStatuses = append(v.Status.ContainerStatuses, shown)
			if before > 0 {
				if v.Before == nil {
					v.Before = map[string]int{}
				}
				v.Before[s.Name] = before
			}
		}
		versions = append(versions, v)
	}
	return versions
}

// shown returns a status that says no more than this one, and how many lives an earlier pod had.
func (s ContainerStatus) shown() (shown corev1.ContainerStatus, before int) {
	shown = corev1.ContainerStatus{
		Name: s.Name, RestartCount: s.RestartCount, Ready: s.Ready, ContainerID: "://" + s.ContainerID,
	}
	var ended *corev1.ContainerStateTerminated
	if e := s.Ended; e != nil {
		ended = &corev1.ContainerStateTerminated{
			ContainerID: "://" + e.ContainerID, ExitCode: e.ExitCode, Reason: e.Reason,
			StartedAt: timeAt(e.StartedAt), FinishedAt: timeAt(e.FinishedAt),
		}
		before = e.Life - int(s.RestartCount)
		if s.State != "running" {
			before--
		}
	}
	shown.LastTerminationState.Terminated = ended
	switch s.State {
	case "running":
		shown.State.Running = &corev1.ContainerStateRunning{}
	case "waiting":
		shown.State.Waiting = &corev1.ContainerStateWaiting{Reason: s.Reason}
	case "terminated":
		shown.LastTerminationState.Terminated, shown.State.Terminated = nil, ended
	}
	return shown, before
}

func timeAt(seconds int64) metav1.Time {
	if seconds == 0 {
		return metav1.Time{}
	}
	return metav1.Unix(seconds, 0)
}
