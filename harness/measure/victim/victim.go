// Package victim describes what a victim does: when it dies, and what its stop signal, hooks and probes do. The
// pod's spec carries the description as arguments of the fault image, which executes it on a real node; a runtime
// in virtual time plays it.
//
// The package is pure: no process, no socket, no cluster.
package victim

import "time"

// Run is the behaviour of a main process. The last entry of a list, which has one entry per life, holds for all
// later lives.
type Run struct {
	// Term is what the stop signal does; empty is ExitNow.
	Term Term
	// TermDelay is the time from the first SIGTERM to the exit, with ExitAfter only.
	TermDelay time.Duration
	// ExitAfter is the time from the start to the process' own exit. Negative means never in this life.
	ExitAfter []time.Duration
	// ExitAfterProbes makes the process exit AnswerSettle after it answered this many liveness probes. 0 means
	// never in this life.
	ExitAfterProbes []int
	// ExitCode, 0 to 255, is that of an exit by itself or on SIGTERM.
	ExitCode int
	// ExitCodes replaces ExitCode.
	ExitCodes []int
	// EndSandboxAfter is the time from the start to the end of the pod's sandbox, with ExitAfter's negative values. The
	// process sends SIGTERM to PID 1, the pause process of a pod whose containers share their processes. All
	// processes die with it.
	EndSandboxAfter []time.Duration
	// OOMAfter is the time from the start to allocating memory. Without a memory limit the process exits with
	// ExitNotKilled.
	OOMAfter time.Duration
	// Message is what the process writes to its termination message file, and Log is a line of its log. Both are there
	// before its Started mark.
	Message, Log string
	// Ballast is the memory in MiB that the process keeps resident from before its Started mark on.
	Ballast int
	// FillDir is a folder that the process makes and fills FillAfter after its start, with FillBytes bytes in one
	// file or FillFiles empty files. Every life replaces what an earlier one left. An error, such as a full disk,
	// is marked and ends only the filling.
	FillDir              string
	FillAfter            time.Duration
	FillBytes, FillFiles int64
	// An empty script always answers S. Slow is the duration of an L.
	Liveness, Readiness, Startup Scripts
	Slow                         time.Duration
	// The ports serve probes; 0 is not at all. HTTP serves RequestPath, /liveness, /readiness, /startup, and /hook,
	// which answers after HookSleep, or never with HookHang. gRPC serves the health service with the probe's name as
	// service. The TCP port answers for TCPFor: refused for F, no answer for H. With TLS, HTTP and gRPC are encrypted,
	// with a certificate that nobody has signed. With H2C, HTTP is version 2 in the clear, and no other version.
	HTTPPort, TCPPort, GRPCPort int
	TLS, H2C                    bool
	TCPFor                      string
	// TCPTimeout is the TCP prober's timeout, for which an H, which needs it, blocks the port: the port cannot see
	// the prober give up.
	TCPTimeout time.Duration
	HookSleep  time.Duration
	HookHang   bool
	// Calls makes the process a client: it opens a connection to EnvService every CallEvery, and requests RequestPath.
	Calls bool
}

// Term is an effect of the stop signal.
type Term string

// The effects of the stop signal. ExitAfter is an exit after Run.TermDelay.
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

// AnswerSettle is how long an exit after probes waits for the last answer to reach the kubelet, far below any probe
// period.
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
func (r Run) ExitAfterIn(life int) (time.Duration, bool) { return afterInLife(r.ExitAfter, life) }

// EndSandboxAfterIn returns when the process ends its pod's sandbox in a life, from 1, or false for never.
func (r Run) EndSandboxAfterIn(life int) (time.Duration, bool) {
	return afterInLife(r.EndSandboxAfter, life)
}

func afterInLife(perLife []time.Duration, life int) (time.Duration, bool) {
	if len(perLife) == 0 {
		return 0, false
	}
	after := atLife(perLife, life)
	return after, after >= 0
}

// ExitAfterProbesIn returns after how many liveness probes the process exits in a life, from 1, or 0.
func (r Run) ExitAfterProbesIn(life int) int {
	if len(r.ExitAfterProbes) == 0 {
		return 0
	}
	return atLife(r.ExitAfterProbes, life)
}

// ExitCodeIn returns the process' own exit code in a life, from 1.
func (r Run) ExitCodeIn(life int) int {
	if len(r.ExitCodes) == 0 {
		return r.ExitCode
	}
	return atLife(r.ExitCodes, life)
}

// Hook is the behaviour of an exec hook, a process of its own.
type Hook struct {
	Sleep time.Duration
	Hang  bool
	// ExitCode is the exit code after Sleep, 0 to 255.
	ExitCode int
	// PostStart makes it a postStart hook; otherwise it is a preStop hook.
	PostStart bool
}

// ExecProbe is an exec probe: a process that asks the main process for its script's answer.
type ExecProbe struct {
	// For is "liveness", "readiness" or "startup".
	For string
}
