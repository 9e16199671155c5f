package predict

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
)

const (
	probesPage          = "https://kubernetes.io/docs/concepts/workloads/pods/probes/"
	configureProbesPage = "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes"
	probeGracePage      = "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#probe-level-terminationgraceperiodseconds"
)

// killing are the probes whose failure kills.
var killing = []struct {
	kind, field string
	cause       formula.Cause
	of          func(*corev1.Container) *corev1.Probe
}{
	{"liveness", "livenessProbe", formula.ByLiveness, func(c *corev1.Container) *corev1.Probe { return c.LivenessProbe }},
	{"startup", "startupProbe", formula.ByStartup, func(c *corev1.Container) *corev1.Probe { return c.StartupProbe }},
}

var probeGraceRules = []Rule{
	{
		ID: "probe-grace-never-counts", Level: Warning, DocumentedAt: probeGracePage,
		Says: "A probe whose failure ends the pod, as no main container of it is restarted, kills it with the pod's own grace period.",
		container: onProbeGrace(func(_ checked, kind string, in formula.Input, own, pod time.Duration) *found {
			if !in.Kill.WholePod || own == pod {
				return nil
			}
			return &found{says: fmt.Sprintf("a failing %s probe ends the pod, which is never restarted: it gets the pod's grace period of %s, not the probe's of %s", kind, short(pod), short(own))}
		}),
	},
	{
		ID: "probe-grace-longer", Level: Warning, DocumentedAt: probeGracePage,
		Says: "A probe's own grace period is there to restart a container that hangs sooner than a delete would end it; a longer one keeps it waiting.",
		container: onProbeGrace(func(_ checked, kind string, in formula.Input, own, pod time.Duration) *found {
			if in.Kill.WholePod || own <= pod {
				return nil
			}
			return &found{says: fmt.Sprintf("a container that fails its %s probe is left %s until SIGKILL, %s longer than the pod's grace period of %s leaves it", kind,
				short(own), short(own-pod), short(pod))}
		}),
	},
	{
		ID: "probe-grace-cuts-hook", Level: Warning, DocumentedAt: probeGracePage,
		Says: "A probe's own grace period holds for the preStop hook, too.",
		container: onProbeGrace(func(c checked, kind string, in formula.Input, own, pod time.Duration) *found {
			takes, told := hookTakes(c.container)
			switch {
			case in.Kill.WholePod || own >= pod || !in.RunsHook():
			case takes >= own && takes < pod:
				return &found{says: fmt.Sprintf("a failing %s probe gives the container %s, and gives up its preStop hook, which takes %s: SIGKILL comes %s after SIGTERM", kind,
					short(own), short(takes), left(given(in, own)))}
			case !told:
				return &found{level: Note, says: fmt.Sprintf("a failing %s probe gives the container %s instead of %s, its preStop hook included, of which nothing tells how long it takes",
					kind, short(own), short(pod))}
			}
			return nil
		}),
	},
}

// onProbeGrace makes a rule about probes that have a grace period of their own.
func onProbeGrace(look func(c checked, kind string, in formula.Input, own, pod time.Duration) *found) func(checked) []found {
	return func(c checked) []found {
		var all []found
		for _, k := range killing {
			p := k.of(c.container)
			if p == nil || p.TerminationGracePeriodSeconds == nil {
				continue
			}
			if f := look(c, k.kind, c.killed(k.cause), whole(*p.TerminationGracePeriodSeconds), c.grace()); f != nil {
				f.field = k.field + ".terminationGracePeriodSeconds"
				all = append(all, *f)
			}
		}
		return all
	}
}

var probeRules = []Rule{
	{
		ID: "probe-timeout-exceeds-period", Level: Warning, DocumentedAt: configureProbesPage,
		Says: "A probe whose timeout is longer than its period is not done every period while it is not answered.",
		container: func(c checked) []found {
			var all []found
			for _, p := range []struct {
				kind, field string
				probe       *corev1.Probe
			}{{"liveness", "livenessProbe", c.container.LivenessProbe}, {"readiness", "readinessProbe", c.container.ReadinessProbe}, {"startup", "startupProbe", c.container.StartupProbe}} {
				if p.probe == nil || p.probe.TimeoutSeconds <= p.probe.PeriodSeconds {
					continue
				}
				timeout, period, n := whole(int64(p.probe.TimeoutSeconds)), whole(int64(p.probe.PeriodSeconds)), time.Duration(p.probe.FailureThreshold)
				all = append(all, found{field: p.field + ".timeoutSeconds", says: fmt.Sprintf("a %s probe that is not answered takes %s, so that the next one waits for it instead of "+
					"coming after %s: %s take %s, not %s", p.kind, short(timeout), short(period), plural(int(n), "failure"), short(n*timeout), short((n-1)*period+timeout))})
			}
			return all
		},
	},
	{
		ID: "one-failure-kills", Level: Note, DocumentedAt: configureProbesPage,
		Says: "With failureThreshold 1 a single probe that comes at a bad time restarts the container.",
		container: func(c checked) []found {
			p := c.container.LivenessProbe
			if p == nil || p.FailureThreshold != 1 {
				return nil
			}
			return []found{{field: "livenessProbe.failureThreshold", says: fmt.Sprintf("one answer that takes longer than %s restarts the container", short(whole(int64(p.TimeoutSeconds))))}}
		},
	},
	{
		ID: "restarted-before-unready", Level: Warning, DocumentedAt: probesPage,
		Says: "A liveness probe that gives up sooner than the readiness probe restarts a container that still gets requests.",
		container: func(c checked) []found {
			if c.container.LivenessProbe == nil || c.container.ReadinessProbe == nil {
				return nil
			}
			liveness := c.probed(formula.ByLiveness, "liveness")
			if c.container.LivenessProbe.TimeoutSeconds > 0 {
				liveness.Probe.Takes = whole(int64(c.container.LivenessProbe.TimeoutSeconds)) // at the worst it is not answered
			}
			killed := time.Duration(formula.FaultKills.Implemented(liveness).Latest)
			unready := time.Duration(formula.UnreadyLag.Implemented(c.probed(formula.ByLiveness, "readiness")).Earliest)
			if killed >= unready {
				return nil
			}
			return []found{{field: "livenessProbe", says: fmt.Sprintf("a container that fails both probes is killed within %s, but is ready for %s at least: it is restarted while it gets requests",
				short(killed), short(unready))}}
		},
	},
	{
		ID: "success-threshold-is-no-time", Level: Note, DocumentedAt: configureProbesPage,
		Says: "successThreshold counts successes, not periods: a kubelet probes an unready container out of turn.",
		container: func(c checked) []found {
			p := c.container.ReadinessProbe
			if p == nil || p.SuccessThreshold <= 1 {
				return nil
			}
			w := formula.ReadyLag.Implemented(c.probed(formula.ByLiveness, "readiness"))
			all := time.Duration(p.SuccessThreshold-1) * whole(int64(p.PeriodSeconds))
			return []found{{field: "readinessProbe.successThreshold", says: fmt.Sprintf("%s, %s apart, look like %s in which the container must answer well, but it may be ready after %s",
				plural(int(p.SuccessThreshold), "success"), short(whole(int64(p.PeriodSeconds))), short(all), short(time.Duration(w.Earliest)))}}
		},
	},
}

// plural counts things.
func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "success":
		return fmt.Sprintf("%d successes", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
