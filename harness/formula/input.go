package formula

import "time"

// Cause is why a container is killed.
type Cause string

const (
	// ByDelete is a DELETE of the pod through the API.
	ByDelete Cause = "delete"
	// ByLiveness is a liveness probe that failed failureThreshold times.
	ByLiveness Cause = "liveness"
	// ByStartup is a startup probe that failed failureThreshold times.
	ByStartup Cause = "startup"
	// ByHardEviction is a node-pressure eviction by a hard threshold.
	ByHardEviction Cause = "hard eviction"
	// BySoftEviction is a node-pressure eviction by a soft threshold.
	BySoftEviction Cause = "soft eviction"
	// ByStorageLimit is the eviction of a pod that exceeds a limit of its own: an emptyDir's sizeLimit, or
	// ephemeral-storage.
	ByStorageLimit Cause = "storage limit"
	// ByPreemption makes room on the node for a critical pod (kubelet admission).
	ByPreemption Cause = "preemption"
	// ByDeadline is the end of activeDeadlineSeconds.
	ByDeadline Cause = "active deadline"
	// ByPostStart is a postStart hook that failed.
	ByPostStart Cause = "postStart"
	// ByChange is a change of the container's image.
	ByChange Cause = "spec change"
	// ByCompletion is the end of a pod whose main containers have ended for good: its sidecars are killed.
	ByCompletion Cause = "completion"
	// ByRestartAll is the action RestartAllContainers of another container's restart rule.
	ByRestartAll Cause = "restart all"
)

// HookKind is the handler of a preStop hook.
type HookKind string

// The handlers of a preStop hook, by the API's names; NoHook is a container without one.
const (
	// The handlers of a preStop hook, by the API's names. NoHook is a container without a hook.
	NoHook    HookKind = ""
	ExecHook  HookKind = "exec"
	HTTPHook  HookKind = "http"
	SleepHook HookKind = "sleep"
)

// Kill holds what decides how a container is killed.
type Kill struct {
	Cause Cause
	// TerminationGracePeriodSeconds is the pod's.
	TerminationGracePeriodSeconds int64
	// GracePeriodSeconds is the option of the delete request, nil if it has none.
	GracePeriodSeconds *int64
	// ProbeTerminationGracePeriodSeconds is the killing probe's own, nil if it has none.
	ProbeTerminationGracePeriodSeconds *int64
	// WholePod reports that a probe's kill ends the whole pod: no main container keeps running or restarts.
	WholePod bool
	// Hook is the container's preStop hook.
	Hook HookKind
	// HookElapsed is the range of the hook's duration that the kubelet can have measured. Without a hook both ends
	// are 0. For a hook that still ran at SIGTERM both are the time until then.
	HookElapsed Range
	// Ended reports that the pod had ended before its delete, or had no node yet: there was nothing to kill.
	Ended bool
	// TolerationSeconds is how long the pod tolerates the taint that deletes it, nil if it does not tolerate it.
	TolerationSeconds *int64
	// ActiveDeadlineSeconds is the pod's, 0 for none.
	ActiveDeadlineSeconds int64
}

// Delete is a request to delete the pod: a DELETE or an Eviction.
type Delete struct {
	// GracePeriodSeconds is its option, nil if it has none.
	GracePeriodSeconds *int64
	// At is when it was sent, on the clock of Input.Lives.
	At time.Duration
}

// Range is an inclusive range of durations.
type Range struct{ Low, High time.Duration }

// Probe is a probe's spec with all defaults filled in.
type Probe struct {
	Handler             string
	InitialDelaySeconds int
	PeriodSeconds       int
	TimeoutSeconds      int
	FailureThreshold    int
	SuccessThreshold    int
	// Kind is "liveness", "readiness" or "startup".
	Kind string
	// Takes is how long one failing probe takes: 0, or timeoutSeconds for a probe without an answer.
	Takes time.Duration
}

// Life is what was measured of one life of a container, on the same clock as the other lives.
type Life struct {
	// Started and Gone enclose the life. Gone is 0 for a life that has not ended.
	Started, Gone time.Duration
	// Signalled reports that the kubelet killed the life with a stop signal. Otherwise it ended by itself.
	Signalled bool
	// Signal is when the stop signal came, 0 for none.
	Signal time.Duration
	// ExitCode is the exit code, -1 if unknown.
	ExitCode int
}

// Input is everything that a formula may depend on.
type Input struct {
	// Kubelet is the kubelet under test.
	Kubelet Kubelet
	Kill    Kill
	// Lives are the container's measured lives so far; Lives[0] is life 1.
	Lives []Life
	// Deletes are the requests that deleted the pod, in order, up to the one that the claim is about, or all.
	Deletes []Delete
	// Restarts are the times, on the clock of Lives, at which the kubelet itself was restarted.
	Restarts []time.Duration
	// Recreations are the times at which the pod was created again under its name, Changes those at which the
	// container's image was changed.
	Recreations, Changes []time.Duration
	Probe                Probe
	// Neighbours is the number of other containers of the pod. Their ends make the kubelet sync the pod.
	Neighbours int
	// Life is the life that the claim is about, from 1.
	Life int
	// Attempt is the attempt to pull an image that the claim is about, from 1.
	Attempt int
	// CarriedFailures is how many failing probes in a row the earlier lives saw that ended by themselves.
	CarriedFailures int
	// CarriedSuccesses is how many successful probes in a row the earlier lives saw at their end, whatever ended
	// them.
	CarriedSuccesses int
	// Startup is the container's startup probe. It has no Handler if the container has none.
	Startup Probe
	// StartedUp is the measured time from this life's start to its first successful startup probe, 0 for none.
	StartedUp time.Duration
	// SinceStartup is the measured time from the last startup probe of the life before to this life's start, 0 for
	// none.
	SinceStartup time.Duration
	// Sidecar reports that the container is a restartable init container.
	Sidecar bool
	// SinceKill is the measured time from the first sign of the pod's kill in any of its containers (hook or stop
	// signal) to this life's stop signal. Survived is the time to its death. Turn is the time to the death of the
	// last container that this one waits for, negative if one of them lives on. MainsTurn is Turn for main containers
	// only.
	SinceKill, Survived, Turn, MainsTurn time.Duration
	// Restart is the measured time from the arrival of the probe that killed the previous life to this life's start:
	// the probe, the sync, the used grace period and the start of the new container.
	Restart time.Duration
	// Watched is how long after its start a life is watched, for counts in a span of time.
	Watched time.Duration
	// MarkDelay is by how much the node's delay may have made a process' first mark, or a probe's answer, later. Such a
	// delay shifts counts of ticks by one or more. It is 0 at first, and set if a value is outside its window.
	MarkDelay time.Duration
	// OwnDelay is how long the victim itself takes to exit on SIGTERM.
	OwnDelay time.Duration
	// OwnExitCode is the exit code of that exit.
	OwnExitCode int
	// Obeys reports that the victim exits on SIGTERM after OwnDelay. Otherwise it ignores the signal.
	Obeys bool
}
