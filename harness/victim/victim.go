// Package victim describes what a victim does: when it dies, and how its stop signal, hooks and probes end. The
// pod's spec carries the description as the arguments of the fault image, which executes it on a real node; a
// runtime in virtual time plays it.
//
// The package is pure: no process, no socket, no cluster.
package victim

import "time"

// Run is the behaviour of a container's main process. Lists have one entry per life; the last entry holds for all
// later lives.
type Run struct {
	// Term is what the stop signal does; empty is ExitNow.
	Term Term
	// TermDelay is how long after the first SIGTERM the process exits; only with Term == ExitAfter.
	TermDelay time.Duration
	// ExitAfter makes the process exit by itself this long after its start, with ExitCode. A negative entry means
	// never in this life.
	ExitAfter []time.Duration
	// ExitAfterProbes makes the process exit by itself, with ExitCode, AnswerSettle after it answered this many
	// liveness probes. 0 means never in this life.
	ExitAfterProbes []int
	// ExitCode is the exit code, 0 to 255, of an exit by itself or on SIGTERM.
	ExitCode int
	// ExitCodes replaces ExitCode.
	ExitCodes []int
	// OOMAfter makes the process allocate memory this long after its start. The container needs a memory limit;
	// without one the process exits with ExitNotKilled.
	OOMAfter time.Duration
	// Ballast is the memory in MiB that the process keeps resident from before its Started mark on.
	Ballast int
	// FillDir is a folder that the process makes and fills FillAfter after its start, with FillBytes bytes in one
	// file or with FillFiles empty files, as fast as it can. Every life replaces what an earlier one left. An
	// error, such as a full disk, is marked and ends only the filling.
	FillDir              string
	FillAfter            time.Duration
	FillBytes, FillFiles int64
	// Liveness, Readiness and Startup are the scripts of the probes. An empty script always answers S.
	Liveness, Readiness, Startup Scripts
	// Slow is how long an L (slow) answer takes.
	Slow time.Duration
	// HTTPPort, TCPPort and GRPCPort serve probes; 0 is not at all. HTTP serves /liveness, /readiness, /startup,
	// and /hook, which answers after HookSleep, or never with HookHang. gRPC serves the health service with the
	// probe's name as service. The TCP port answers for TCPFor: refused for F, no answer for H.
	HTTPPort, TCPPort, GRPCPort int
	TCPFor                      string
	// TCPTimeout is the timeout of the TCP port's prober, for which a probe without an answer blocks the port: it
	// cannot see the prober give up. A TCP script with H needs it.
	TCPTimeout time.Duration
	HookSleep  time.Duration
	HookHang   bool
}

type Term string

// The effects of the stop signal: none, exit at once, or exit after TermDelay.
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

// AnswerSettle is how long an exit after a number of probes waits for the last answer to reach the kubelet. It is
// far below any probe period, which is whole seconds.
const AnswerSettle = 200 * time.Millisecond

// Script returns the script of one kind of probe.
func (r Run) Script(probe string) Scripts {
	switch probe {
	case Readiness:
		return r.Readiness
	case Startup:
		return r.Startup
	}
	return r.Liveness
}

// ExitAfterIn returns when the process exits by itself in a life, from 1, or false for never.
func (r Run) ExitAfterIn(life int) (time.Duration, bool) {
	if len(r.ExitAfter) == 0 {
		return 0, false
	}
	after := atLife(r.ExitAfter, life)
	return after, after >= 0
}

// ExitAfterProbesIn returns after how many liveness probes the process exits in a life, from 1, or 0 for never.
func (r Run) ExitAfterProbesIn(life int) int {
	if len(r.ExitAfterProbes) == 0 {
		return 0
	}
	return atLife(r.ExitAfterProbes, life)
}

// ExitCodeIn returns the exit code of an exit by itself or on SIGTERM in a life, from 1.
func (r Run) ExitCodeIn(life int) int {
	if len(r.ExitCodes) == 0 {
		return r.ExitCode
	}
	return atLife(r.ExitCodes, life)
}

// Hook is the behaviour of an exec hook: a process of its own in the container.
type Hook struct {
	Sleep time.Duration
	Hang  bool
	// the exit code after Sleep, 0 to 255
	ExitCode int
	// PostStart makes it a postStart hook; otherwise it is a preStop hook.
	PostStart bool
}

// ExecProbe is an exec probe: a process that asks the main process for its script's answer.
type ExecProbe struct {
	// For is "liveness", "readiness" or "startup".
	For string
}
