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
	// ExitAfter makes the process exit by itself this long after its start, with ExitCode. It has one entry per life;
	// the last entry holds for all later lives. In a life with a negative entry the process does not exit by itself.
	ExitAfter []time.Duration
	// ExitAfterProbes makes the process exit by itself, with ExitCode, AnswerSettle after it answered this many
	// liveness probes. It has one entry per life; the last entry holds for all later lives. 0 means never in this
	// life.
	ExitAfterProbes []int
	// ExitCode is the exit code, 0 to 255, of an exit by itself or on SIGTERM.
	ExitCode int
	// ExitCodes replaces ExitCode. It has one entry per life; the last entry holds for all later lives.
	ExitCodes []int
	// OOMAfter makes the process allocate memory without limit this long after its start. The container needs a
	// memory limit. Without one the process exits with ExitNotKilled before it endangers the node.
	OOMAfter time.Duration
	// Ballast is how many MiB of memory the process keeps resident from before its Started mark to its end.
	Ballast int
	// FillDir is a folder that the process fills FillAfter after its start, with FillBytes bytes in one file or with
	// FillFiles empty files, as fast as it can. It makes the folder if it is missing. Every life fills it again and
	// replaces what an earlier life left. An error, such as a full disk, is marked and ends only the filling.
	FillDir              string
	FillAfter            time.Duration
	FillBytes, FillFiles int64
	// Liveness, Readiness and Startup are the scripts of the probes. An empty script always answers S.
	Liveness, Readiness, Startup Scripts
	// Slow is how long an L (slow) answer takes.
	Slow time.Duration
	// HTTPPort, TCPPort and GRPCPort are where the process serves probes; 0 is not at all. HTTP serves /liveness,
	// /readiness, /startup, and /hook, which answers after HookSleep, or never with HookHang. gRPC serves the health
	// service with the probe's name as service. The TCP port answers for TCPFor: refused for F, no answer for H.
	HTTPPort, TCPPort, GRPCPort int
	TCPFor                      string
	// TCPTimeout is how long the prober of the TCP port waits. The port cannot see when the prober gives up, so a
	// probe without an answer blocks the port for so long. A TCP script with H needs it.
	TCPTimeout time.Duration
	// HookSleep and HookHang are the behaviour of the HTTP hook.
	HookSleep time.Duration
	HookHang  bool
}

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

// AnswerSettle is how long a process that exits after a number of probes waits after the last answer: the answer
// reaches the kubelet before the container's death. It is far below any probe period, which is whole seconds.
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

// ExitAfterProbesIn returns after how many liveness probes the process exits by itself in a life, from 1, or 0 for
// never.
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
	// Sleep is how long the hook takes.
	Sleep time.Duration
	// Hang makes it never end.
	Hang bool
	// ExitCode is how it ends after Sleep, 0 to 255.
	ExitCode int
	// PostStart makes it a postStart hook, which marks itself as one. Otherwise it is a preStop hook.
	PostStart bool
}

// ExecProbe is an exec probe: a process that asks the main process for its script's answer.
type ExecProbe struct {
	// For is "liveness", "readiness" or "startup".
	For string
}
