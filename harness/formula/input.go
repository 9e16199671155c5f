package formula

import "time"

// Cause is why a container is killed.
type Cause string

const (
	// ByDelete is a DELETE of the pod through the API.
	ByDelete Cause = "delete"
	// ByLiveness is a liveness probe that failed failureThreshold times.
	ByLiveness Cause = "liveness"
	// ByStartup is a startup probe that did.
	ByStartup Cause = "startup"
	// ByHardEviction is a node-pressure eviction by a hard threshold.
	ByHardEviction Cause = "hard eviction"
	// BySoftEviction is one by a soft threshold.
	BySoftEviction Cause = "soft eviction"
	// ByStorageLimit is the eviction of a pod that exceeds a limit of its own: an emptyDir's sizeLimit, or
	// ephemeral-storage.
	ByStorageLimit Cause = "storage limit"
	// ByPreemption makes room on the node for a critical pod (kubelet admission).
	ByPreemption Cause = "preemption"
	// ByDeadline is activeDeadlineSeconds that ran out.
	ByDeadline Cause = "active deadline"
	// ByPostStart is a postStart hook that failed.
	ByPostStart Cause = "postStart"
	// ByChange is a container whose spec changed: another image.
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
	NoHook    HookKind = ""
	ExecHook  HookKind = "exec"
	HTTPHook  HookKind = "http"
	SleepHook HookKind = "sleep"
)

// Kill holds what decides how a container is killed.
type Kill struct {
	Cause Cause
	// TerminationGracePeriodSeconds of the pod's spec.
	TerminationGracePeriodSeconds int64
	// GracePeriodSeconds is the option of the delete request; nil when it gave none.
	GracePeriodSeconds *int64
	// ProbeTerminationGracePeriodSeconds is that of the probe that kills; nil when it has none.
	ProbeTerminationGracePeriodSeconds *int64
	// WholePod says that a probe's kill takes the whole pod: no main container of it is kept or restarted.
	WholePod bool
	// Hook is the container's preStop hook.
	Hook HookKind
	// HookElapsed bounds what the kubelet can have measured as the hook's duration. Without a hook both are
	// 0; of a hook that was running still at SIGTERM both are the time until then.
	HookElapsed Range
	// Ended says that the pod had ended when it was deleted, or had no node yet: there was nothing to be killed.
	Ended bool
	// TolerationSeconds is how long the pod tolerates the taint that deletes it, nil for a pod that does not.
	TolerationSeconds *int64
	// ActiveDeadlineSeconds of the pod's spec, 0 for none.
	ActiveDeadlineSeconds int64
}

// Delete is a request to delete the pod: a DELETE or an Eviction.
type Delete struct {
	// GracePeriodSeconds is its option; nil when it gave none.
	GracePeriodSeconds *int64
	// At is when it was sent, on the clock of Input.Lives.
	At time.Duration
}

// Range is an inclusive range of durations.
type Range struct{ Low, High time.Duration }

// Probe is a probe's spec, defaults filled in.
type Probe struct {
	Handler             string
	InitialDelaySeconds int
	PeriodSeconds       int
	TimeoutSeconds      int
	FailureThreshold    int
	SuccessThreshold    int
	// Kind is "liveness", "readiness" or "startup".
	Kind string
	// Takes is how long one failing probe takes: nothing, or timeoutSeconds for a probe that is never answered.
	Takes time.Duration
}

// Life is what was measured of one life of a container, on one clock with the other lives.
type Life struct {
	// Started and Gone enclose it; Gone is 0 for a life that goes on.
	Started, Gone time.Duration
	// Signalled says that the kubelet killed it: a stop signal came. Otherwise it ended by itself.
	Signalled bool
	// Signal is when the stop signal came, 0 where none did.
	Signal time.Duration
	// ExitCode is how it ended, -1 where that is not known.
	ExitCode int
}

// Input is everything a formula may look at.
type Input struct {
	// Kubelet is the kubelet that is measured.
	Kubelet Kubelet
	Kill    Kill
	// Lives are the container's lives as they were measured so far, Lives[0] being life 1.
	Lives []Life
	// Deletes are the requests that deleted the pod, in order, up to the one that the claim speaks of; all
	// where it speaks of none.
	Deletes []Delete
	// Restarts are the times, on the clock of Lives, at which the kubelet itself was restarted.
	Restarts []time.Duration
	// Recreations are the times at which the pod was created again under its name, Changes those at which
	// the container's image was changed.
	Recreations, Changes []time.Duration
	Probe                Probe
	// Neighbours are the other containers of the pod, whose ends make the kubelet sync it, too.
	Neighbours int
	// Life is the life the claim speaks of, from 1.
	Life int
	// Attempt is the attempt to pull an image that the claim speaks of, from 1.
	Attempt int
	// CarriedFailures is how many failing probes in a row were seen by the lives before this one that ended
	// by themselves.
	CarriedFailures int
	// CarriedSuccesses is how many successful probes in a row the lives before this one saw at their end,
	// whatever ended them.
	CarriedSuccesses int
	// Startup is the container's startup probe, without a Handler where it has none.
	Startup Probe
	// StartedUp is the measured time from this life's start to its first successful startup probe, 0 where none came.
	StartedUp time.Duration
	// SinceStartup is the measured time from the last startup probe of the life before to this life's
	// start, 0 where none came.
	SinceStartup time.Duration
	// Sidecar says that the container is a restartable init container.
	Sidecar bool
	// SinceKill is the measured time from the first sign of the pod's kill in any of its containers, their
	// hook or stop signal, to this life's stop signal; Survived the time to its death; Turn the time to the
	// death of the last container that this one waits for, negative where one of them lives on; MainsTurn
	// the same of those among them that are main containers.
	SinceKill, Survived, Turn, MainsTurn time.Duration
	// Restart is the measured time from the arrival of the previous life's last probe, which killed it, to
	// this life's start: the probe itself, the sync, the grace that was used, and the start of the new
	// container.
	Restart time.Duration
	// Watched is how long after its start a life is watched, for what is counted in a span.
	Watched time.Duration
	// Kept is by how much a busy node may have made a process' first mark, or the answer to a probe, come
	// later: such a delay moves what is counted in whole ticks by one of them or more. It is 0 at first,
	// and put in where a value lies outside its window.
	Kept time.Duration
	// OwnDelay is how long the victim itself takes to exit on SIGTERM.
	OwnDelay time.Duration
	// OwnExitCode is the exit code it then ends with.
	OwnExitCode int
	// Obeys says that the victim exits on SIGTERM after OwnDelay; otherwise it ignores the signal.
	Obeys bool
}
