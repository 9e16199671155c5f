// Package victim describes what a victim does: when it dies, how it takes SIGTERM, how its hooks behave and
// what its probes are told. One description serves every lane: the pod's spec carries it as the arguments
// of the fault image, the fault image executes it on a real node, and a runtime in virtual time can play
// it.
//
// The package is pure: no process, no socket, no cluster.
package victim

import "time"

// Run is the behaviour of a container's main process.
type Run struct {
	// Term says what the stop signal does; empty is ExitNow.
	Term Term
	// TermDelay is how long after the first SIGTERM the process exits; only with Term == ExitAfter.
	TermDelay time.Duration
	// ExitAfter, when set, makes the process exit by itself this long after its start, with ExitCode. One
	// entry per life; the last entry holds for all later lives; a negative entry means that this life does
	// not exit by itself.
	ExitAfter []time.Duration
	// ExitAfterProbes, when set, makes the process exit by itself, with ExitCode, AnswerSettle after it
	// answered this many liveness probes. One entry per life; the last entry holds for all later lives; 0
	// means never in this life.
	ExitAfterProbes []int
	// ExitCode is the exit code, 0 to 255, of an exit by itself or on SIGTERM.
	ExitCode int
	// ExitCodes, when set, stand in the place of ExitCode. One entry per life; the last entry holds for all
	// later lives.
	ExitCodes []int
	// OOMAfter, when set, makes the process allocate memory without bound this long after its start. The
	// container needs a memory limit: without one the process gives up with ExitNotKilled before it
	// endangers the node.
	OOMAfter time.Duration
	// Ballast, when set, is how many MiB of memory the process keeps resident from before its Started mark to its end.
	Ballast int
	// FillDir, when set, is a folder that the process fills, FillAfter its start: with FillBytes bytes in
	// one file, or with FillFiles empty files, as fast as it can. The folder is made where there is none.
	// Every life does so anew and over what a former one left, so that a folder that outlives the container
	// holds no more for it. What goes wrong, such as a full disk, is marked and ends the filling alone.
	FillDir              string
	FillAfter            time.Duration
	FillBytes, FillFiles int64
	// Liveness, Readiness and Startup are the scripts of the probes; an empty script answers S always.
	Liveness, Readiness, Startup Scripts
	// Slow is how long an L (slow) answer takes.
	Slow time.Duration
	// HTTPPort, TCPPort and GRPCPort are where the process serves probes; 0 is not at all. HTTP serves
	// /liveness, /readiness, /startup, and /hook, which answers after HookSleep (forever pending with
	// HookHang). gRPC serves the health service with the probe's name as service. The TCP port answers for
	// TCPFor: refused for F, unanswered for H.
	HTTPPort, TCPPort, GRPCPort int
	TCPFor                      string
	// TCPTimeout is how long the prober of the TCP port waits. The port can't see when it gives up, so an
	// unanswered probe holds the port for so long; a TCP script with H needs it.
	TCPTimeout time.Duration
	// HookSleep and HookHang are the behaviour of the HTTP hook.
	HookSleep time.Duration
	HookHang  bool
}

// Term is what a process does about the stop signal.
type Term string

// What a process does about the stop signal: ignore it, exit at once, or exit after TermDelay.
const (
	Ignore    Term = "ignore"
	ExitNow   Term = "exit"
	ExitAfter Term = "exit-after"
)

// The kinds of probes, as Run.TCPFor, ExecProbe.For and mark.ProbeDetail spell them.
const (
	Liveness  = "liveness"
	Readiness = "readiness"
	Startup   = "startup"
)

// AnswerSettle is how long a process that exits after a number of probes waits after the last answer: long
// enough for the answer to reach the kubelet before the container's death overtakes it, and far below any
// probe period, which is whole seconds.
const AnswerSettle = 200 * time.Millisecond

// Script is the script of one kind of probe.
func (r Run) Script(probe string) Scripts {
	switch probe {
	case Readiness:
		return r.Readiness
	case Startup:
		return r.Startup
	}
	return r.Liveness
}

// ExitAfterIn is when the process exits by itself in a life, from 1; false is never.
func (r Run) ExitAfterIn(life int) (time.Duration, bool) {
	if len(r.ExitAfter) == 0 {
		return 0, false
	}
	after := atLife(r.ExitAfter, life)
	return after, after >= 0
}

// ExitAfterProbesIn is after how many liveness probes the process exits by itself in a life, from 1; 0 is never.
func (r Run) ExitAfterProbesIn(life int) int {
	if len(r.ExitAfterProbes) == 0 {
		return 0
	}
	return atLife(r.ExitAfterProbes, life)
}

// ExitCodeIn is the exit code of an exit by itself or on SIGTERM in a life, from 1.
func (r Run) ExitCodeIn(life int) int {
	if len(r.ExitCodes) == 0 {
		return r.ExitCode
	}
	return atLife(r.ExitCodes, life)
}

// Hook is the behaviour of an exec hook: a process of its own in the container.
type Hook struct {
	// Sleep is how long the hook takes.
	Sleep time.Duration
	// Hang makes it never end.
	Hang bool
	// ExitCode is how it ends after Sleep, 0 to 255.
	ExitCode int
	// PostStart says that the hook is a postStart hook, which marks itself as one; else it is a preStop hook.
	PostStart bool
}

// ExecProbe is an exec probe: a process that asks the main process for the answer of its script.
type ExecProbe struct {
	// For is "liveness", "readiness" or "startup".
	For string
}
