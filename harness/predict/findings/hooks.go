package findings

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
)

var hookRules = []Rule{
	{
		ID: "hook-equals-grace", Level: Warning, DocumentedAt: terminationPage,
		Description: "A preStop hook that takes all of the grace period leaves its process only the kubelet's minimum.",
		Fix:         raiseGrace,
		Example:     example("terminationGracePeriodSeconds: 30", "lifecycle: {preStop: {sleep: {seconds: 30}}}"),
		container: onHook(func(h hook) []found {
			if h.takes != h.grace || !h.kill.CountsHook() {
				return nil
			}
			return h.longerGrace(report(h.field, "the hook takes %s, all of the grace period of %s: "+
				"SIGTERM comes at its end, and SIGKILL %s later", h.atLeast(), h.grace, left(h.kill)))
		}),
	},
	{
		ID: "hook-outlasts-grace", Level: Error, DocumentedAt: terminationPage,
		Description: "A preStop hook that takes longer than the grace period is stopped at the end of it.",
		Fix:         raiseGrace,
		Example: example("terminationGracePeriodSeconds: 30",
			"lifecycle: {preStop: {exec: {command: [sleep, \"40\"]}}}"),
		container: onHook(func(h hook) []found {
			if h.takes <= h.grace {
				return nil
			}
			return h.longerGrace(report(h.field, "the hook takes %s, more than the grace period of %s: "+
				"the kubelet stops it after %s, sends SIGTERM, and SIGKILL %s later",
				h.atLeast(), h.grace, h.grace, left(h.kill)))
		}),
	},
	{
		ID: "hook-leaves-the-least", Level: Warning, DocumentedAt: terminationPage,
		Description: "A preStop hook leaves so little of the grace period that the process gets only the kubelet's " +
			"minimum.",
		Fix:     raiseGrace,
		Example: example("terminationGracePeriodSeconds: 30", "lifecycle: {preStop: {sleep: {seconds: 29}}}"),
		container: onHook(func(h hook) []found {
			rest := h.grace - h.takes
			whole := h.grace - h.takes.Truncate(time.Second) // the kubelet subtracts whole seconds
			if h.takes == 0 || rest <= 0 || h.kill.Left().High <= whole || !h.kill.CountsHook() {
				return nil
			}
			return h.longerGrace(report(h.field, "the hook takes %s and leaves %s of the grace period of %s: "+
				"the process gets the kubelet's minimum, %s from SIGTERM to SIGKILL",
				h.atLeast(), rest, h.grace, left(h.kill)))
		}),
	},
	{
		ID: "hook-may-outlast-grace", Level: Note, DocumentedAt: terminationPage,
		Description: "A manifest does not contain the duration of a command or a request; " +
			"the grace period is all the time that it has.",
		Fix: "set terminationGracePeriodSeconds above the hook's longest duration, and tell podclock with " +
			"--hook-takes",
		Example: example("terminationGracePeriodSeconds: 30", "lifecycle: {preStop: {exec: {command: [drain]}}}"),
		container: onHook(func(h hook) []found {
			if h.exact || h.takes >= h.grace {
				return nil
			}
			has := "its time is taken from"
			if !h.kill.CountsHook() {
				has = "it has"
			}
			return report(h.field, "the hook's duration is not known: %s the grace period of %s, "+
				"and the kubelet stops it after %s; SIGKILL then comes %s after SIGTERM",
				has, h.grace, h.grace, left(given(h.kill, h.grace)))
		}),
	},
	{
		ID: "hook-without-handler", Level: Error, DocumentedAt: hooksPage,
		Description: "A hook cannot open a TCP connection: the API accepts tcpSocket for old manifests only, " +
			"and a kubelet fails it at once.",
		Fix:     "write the hook as exec, httpGet or sleep",
		Example: example("", "lifecycle: {preStop: {tcpSocket: {port: 80}}}"),
		container: func(t target) []found {
			l := t.container.Lifecycle
			if l == nil {
				return nil
			}
			var all []found
			if h := l.PreStop; h != nil && h.TCPSocket != nil {
				all = report("lifecycle.preStop.tcpSocket",
					"a preStop hook of tcpSocket fails at once: SIGTERM comes without any delay")
			}
			if h := l.PostStart; h != nil && h.TCPSocket != nil {
				all = append(all, report("lifecycle.postStart.tcpSocket",
					"a postStart hook of tcpSocket fails at once: the container is killed after every start")...)
			}
			return all
		},
	},
	{
		ID: "stop-signal-dropped", Level: Warning, DocumentedAt: stopSignalKEP,
		Description: "By default, the API server drops a container's stopSignal: its feature gate ContainerStopSignals " +
			"is alpha.",
		Fix: "set STOPSIGNAL in the image; or turn on the feature gate ContainerStopSignals of API servers and " +
			"kubelets, and set spec.os.name, which it asks for",
		Example: example("", "lifecycle: {stopSignal: SIGINT}"),
		container: func(t target) []found {
			if !slices.Contains(t.StopSignals, t.container.Name) {
				return nil
			}
			return report("lifecycle.stopSignal", "the API server drops the field: the process gets the STOPSIGNAL of "+
				"its image, or SIGTERM")
		},
	},
}

const stopSignalKEP = "https://kep.k8s.io/4960"

type hook struct {
	field string
	takes time.Duration
	exact bool
	// of a plain delete
	grace time.Duration
	kill  formula.Input
}

func onHook(look func(hook) []found) func(target) []found {
	return func(t target) []found {
		in := t.killed(formula.ByDelete)
		if !in.RunsHook() {
			return nil
		}
		h := hook{field: "lifecycle.preStop." + handlerFields[in.Kill.Hook], grace: in.GracePeriod()}
		h.takes, h.exact = t.hookTakes(t.container)
		h.kill = given(in, h.takes)
		return look(h)
	}
}

// longerGrace adds the shortest grace period that leaves the process two seconds after the hook.
func (h hook) longerGrace(all []found) []found {
	return fixed(all, "set terminationGracePeriodSeconds to %d or more", graceFor(h.takes))
}

func (h hook) atLeast() string {
	if h.exact {
		return effective.Words(h.takes)
	}
	return "at least " + effective.Words(h.takes)
}

var handlerFields = map[formula.HookKind]string{
	formula.ExecHook:  "exec",
	formula.HTTPHook:  "httpGet",
	formula.SleepHook: "sleep",
}
