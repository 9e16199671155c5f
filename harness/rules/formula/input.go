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
	// ByHardEviction is an eviction by a hard threshold.
	ByHardEviction Cause = "hard eviction"
	// BySoftEviction is an eviction by a soft threshold.
	BySoftEviction Cause = "soft eviction"
	// ByStorageLimit is an eviction for a limit of the pod's own.
	ByStorageLimit Cause = "storage limit"
	// ByPreemption makes room for a critical pod.
	ByPreemption Cause = "preemption"
	// ByDeadline is the end of activeDeadlineSeconds.
	ByDeadline Cause = "active deadline"
	// ByPostStart is a postStart hook that failed.
	ByPostStart Cause = "postStart"
	// ByChange is a change of the container's image, or of resources if they need a restart.
	ByChange Cause = "spec change"
	// ByCompletion ends the sidecars of a pod whose main containers have ended for good.
	ByCompletion Cause = "completion"
	// ByRemoval is the removal of a static pod's file.
	ByRemoval Cause = "removed manifest"
	// ByShutdown is a graceful shutdown of the node.
	ByShutdown Cause = "node shutdown"
	// ByOrphaning is a kubelet that finds containers whose pod is gone.
	ByOrphaning Cause = "orphaning"
	// ByRestartAll is another container's restart rule RestartAllContainers.
	ByRestartAll Cause = "restart all"
)

// HookKind is the handler of a preStop hook.
type HookKind string

// The handlers of a preStop hook, by the API's names. NoHook is a container without a hook.
const (
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
	// Priority is the pod's.
	Priority int32
	// GracePeriodSeconds is the delete request's option, nil for none.
	GracePeriodSeconds *int64
	// ProbeTerminationGracePeriodSeconds is the killing probe's own, nil for none.
	ProbeTerminationGracePeriodSeconds *int64
	// WholePod reports that a probe's kill ends the whole pod.
	WholePod bool
	// Hook is the container's preStop hook.
	Hook HookKind
	// HookElapsed is the range of the hook's duration that the kubelet can have measured; until SIGTERM if it still ran
	// then.
	HookElapsed Range
	// Ended reports that the pod had ended before its delete, or had no node yet.
	Ended bool
	// TolerationSeconds is how long the pod tolerates the taint that deletes it, nil for not.
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
	// Takes is how long a failing probe takes: 0, or timeoutSeconds for one without an answer.
	Takes time.Duration
}

// Life is what was measured of one life of a container.
type Life struct {
	// Started and Gone enclose the life. Gone is 0 for a life that has not ended.
	Started, Gone time.Duration
	// Signalled reports that a stop signal killed the life.
	Signalled bool
	// Signal is when the stop signal came, 0 for none.
	Signal time.Duration
	// Collected reports that the kubelet removed the dead container before the next life ended.
	Collected bool
	// ExitCode is the exit code, -1 if unknown. EndReason is the reason of the end in the API.
	ExitCode  int
	EndReason string
}

// Input is everything that a formula may depend on.
type Input struct {
	// Kubelet is the kubelet under test.
	Kubelet Kubelet
	Kill    Kill
	// Lives are the container's measured lives so far; Lives[0] is life 1.
	Lives []Life
	// Deletes are the delete requests in order, up to the one that the claim is about.
	Deletes []Delete
	// Restarts are the times at which the kubelet itself was restarted.
	Restarts []time.Duration
	// Tuned is how long a change of the kubelet's configuration took, from the stop of the kubelet until the new one
	// was found ready; 0 if unknown.
	Tuned time.Duration
	// Recreations are the times at which the pod was created again, Changes those of a new image or other resources.
	Recreations, Changes []time.Duration
	// ContainerStart is how long a slow container runtime takes to start a created container, 0 for an ordinary one.
	ContainerStart time.Duration
	// PostStart is how long the postStart hooks take that run in the sync that starts the container. Until that sync
	// ends, nothing sees the container (pkg/kubelet/kubelet.go SyncPod; kuberuntime_container.go startContainer).
	PostStart Range
	Probe     Probe
	// Probed reports that the container has a probe of any kind. Its results lead to syncs of the pod: one sets a
	// failure also when it finds a dead container (pkg/kubelet/prober/worker.go doProbe; pkg/kubelet/kubelet.go
	// syncLoopIteration).
	Probed bool
	// Neighbours is the number of other containers of the pod. Their ends cause syncs.
	Neighbours int
	// Life is the life that the claim is about, from 1.
	Life int
	// Attempt is the attempt to pull an image, from 1.
	Attempt int
	// CarriedFailures is how many failing probes in a row earlier lives saw that ended by themselves.
	CarriedFailures int
	// CarriedSuccesses is how many successful probes in a row earlier lives saw at their end. MetDead is how many
	// further probes may have met a dead container, before the kubelet noticed its end.
	CarriedSuccesses int
	MetDead          int
	// Startup is the startup probe, without Handler if there is none.
	Startup Probe
	// StartedUp is the time from this life's start to its first successful startup probe, 0 for none.
	StartedUp time.Duration
	// SinceStartup is the time from the last life's last startup probe to this life's start, 0 for none.
	SinceStartup time.Duration
	// Sidecar reports that the container is a restartable init container.
	Sidecar bool
	// SinceKill is the time from the first sign of the pod's kill to this life's stop signal. Survived is the time to
	// its death. Turn is the time to the last death that this container waits for, negative if one lives on. MainsTurn
	// is Turn for main containers only.
	SinceKill, Survived, Turn, MainsTurn time.Duration
	// LaterStopped reports that a sidecar that ends before this one did not run when the pod's kill began.
	LaterStopped bool
	// Restart is the time from the probe that killed the previous life to this life's start.
	Restart time.Duration
	// Watched is how long a life is watched after its start.
	Watched time.Duration
	// Delay is by how much the time between two marks may differ from the kubelet's time between what they show, and
	// how long one step may have been delayed. It is set only if a value is outside its window. The window is then the
	// union of the windows of all branches that such a delay allows.
	Delay time.Duration
	// AnswerDelay is how long one answer to a probe may have been delayed, set with Delay.
	AnswerDelay time.Duration
	// OwnDelay is how long the victim itself takes to exit on SIGTERM.
	OwnDelay time.Duration
	// OwnExitCode is the exit code of that exit.
	OwnExitCode int
	// Obeys reports that the victim exits on SIGTERM after OwnDelay.
	Obeys bool
	// wrong is the wrong rule of a known mistake.
	wrong wrongRule
}

// wrongRule is a rule of the kubelet that several formulas show.
type wrongRule int

const (
	noWrongRule wrongRule = iota
	noMinimum
	fullGraceAgain
	hookRoundedUp
	hookExact
	resultRunOne
	resultRunKept
)

func (w wrongRule) distort(in Input) Input {
	in.wrong = w
	return in
}
