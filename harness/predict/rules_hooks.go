package predict

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
)

var hookRules = []Rule{
	{
		ID:           "hook-equals-grace",
		Level:        Error,
		DocumentedAt: terminationPage,
		Says:         "A preStop hook that takes all of the grace period leaves its process nothing but the least that a kubelet gives.",
		container: onHook(func(h hook) []found {
			if h.takes != h.grace || !h.kill.CountsHook() {
				return nil
			}
			return []found{
				{
					field: h.field,
					says: fmt.Sprintf(
						"the hook takes %s, all of the grace period of %s: SIGTERM comes at its end, and SIGKILL %s later",
						h.atLeast(),
						short(h.grace),
						left(h.kill),
					),
				},
			}
		}),
	},
	{
		ID: "hook-outlasts-grace", Level: Error, DocumentedAt: terminationPage,
		Says: "A preStop hook that takes longer than the grace period is given up at its end.",
		container: onHook(func(h hook) []found {
			if h.takes <= h.grace {
				return nil
			}
			return []found{
				{
					field: h.field,
					says: fmt.Sprintf(
						"the hook takes %s, more than the grace period of %s: the kubelet gives it up after %s, sends SIGTERM, and SIGKILL %s later",
						h.atLeast(),
						short(h.grace),
						short(h.grace),
						left(h.kill),
					),
				},
			}
		}),
	},
	{
		ID: "hook-leaves-the-least", Level: Warning, DocumentedAt: terminationPage,
		Says: "What a preStop hook leaves of the grace period is too little for a process to end well.",
		container: onHook(func(h hook) []found {
			rest := h.grace - h.takes
			if h.takes == 0 || rest <= 0 || h.kill.Left().High <= rest || !h.kill.CountsHook() {
				return nil
			}
			return []found{
				{
					field: h.field,
					says: fmt.Sprintf(
						"the hook takes %s and leaves %s of the grace period of %s: the process has the least that a kubelet gives, %s from SIGTERM to SIGKILL",
						h.atLeast(),
						short(rest),
						short(h.grace),
						left(h.kill),
					),
				},
			}
		}),
	},
	{
		ID:           "hook-may-outlast-grace",
		Level:        Note,
		DocumentedAt: terminationPage,
		Says:         "How long a command or a request takes can't be read from a manifest; the grace period is all that it has.",
		container: onHook(func(h hook) []found {
			if h.told || h.takes >= h.grace {
				return nil
			}
			has := "its time is taken from"
			if !h.kill.CountsHook() {
				has = "it has"
			}
			return []found{
				{
					field: h.field,
					says: fmt.Sprintf(
						"nothing tells how long the hook takes: %s the grace period of %s, and after %s it is given up; "+
							"SIGKILL then comes %s after SIGTERM",
						has,
						short(h.grace),
						short(h.grace),
						left(given(h.kill, h.grace)),
					),
				},
			}
		}),
	},
	{
		ID:           "hook-without-handler",
		Level:        Error,
		DocumentedAt: hooksPage,
		Says:         "A hook cannot open a TCP connection: the API takes tcpSocket for the sake of old manifests, and a kubelet fails it at once.",
		container: func(c checked) []found {
			var all []found
			l := c.container.Lifecycle
			if l == nil {
				return nil
			}
			if h := l.PreStop; h != nil && h.TCPSocket != nil {
				all = append(
					all,
					found{
						field: "lifecycle.preStop.tcpSocket",
						says:  "a preStop hook of tcpSocket fails at once: SIGTERM comes without any delay",
					},
				)
			}
			if h := l.PostStart; h != nil && h.TCPSocket != nil {
				all = append(
					all,
					found{
						field: "lifecycle.postStart.tcpSocket",
						says:  "a postStart hook of tcpSocket fails at once: the container is killed after every start",
					},
				)
			}
			return all
		},
	},
}

// hook is a preStop hook that a delete of its pod runs.
type hook struct {
	// field is its handler's, below the container.
	field string
	// takes is how long it takes at least, told whether that is all that it takes.
	takes time.Duration
	told  bool
	// grace is the grace period of a plain delete, kill what formulas may know of that kill.
	grace time.Duration
	kill  formula.Input
}

// onHook makes a rule about hooks that are run.
func onHook(look func(hook) []found) func(checked) []found {
	return func(c checked) []found {
		in := c.killed(formula.ByDelete)
		if !in.RunsHook() {
			return nil
		}
		h := hook{field: "lifecycle.preStop." + handlerFields[in.Kill.Hook], grace: in.GracePeriod()}
		h.takes, h.told = hookTakes(c.container)
		h.kill = given(in, h.takes)
		return look(h)
	}
}

// given is a kill whose hook takes so long.
func given(in formula.Input, takes time.Duration) formula.Input {
	in.Kill.HookElapsed = formula.Range{Low: takes, High: takes}
	return in
}

// atLeast says how long the hook takes.
func (h hook) atLeast() string {
	if h.told {
		return short(h.takes)
	}
	return "at least " + short(h.takes)
}

// handlerFields are the fields of hooks' handlers.
var handlerFields = map[formula.HookKind]string{
	formula.ExecHook:  "exec",
	formula.HTTPHook:  "httpGet",
	formula.SleepHook: "sleep",
}
