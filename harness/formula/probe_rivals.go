package formula

// Rivals of what a probe's result leads to. Those of counts and spacing are with their formulas.
var (
	// ExecTimeoutLost is an exec probe that can't time out: its timeout is not passed on, or what a timeout
	// ends in is a success, or an error that counts for nothing.
	ExecTimeoutLost = Rival{
		Name:      "an exec probe whose command outlasts timeoutSeconds has not failed",
		Reference: "kubernetes#50389, kubernetes#92464, kubernetes#94080, kubernetes#100198", Never: true,
	}
	// StartupWorkerEnds leaves the lives after a startup probe's success without one, as its worker is gone.
	StartupWorkerEnds = Rival{
		Name:      "the startup probe's worker ends with its success, and later lives have none",
		Reference: "kubernetes#101064",
		Never:     true,
	}
	// GoesOnWhileTerminating probes a main container until its death.
	GoesOnWhileTerminating = Rival{
		Name:      "a terminating pod's liveness and startup probes go on",
		Reference: "kubernetes#107473",
		Would:     Input.probedThroughout,
	}
)
