package predict

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/victim"
)

const (
	probesPage          = "https://kubernetes.io/docs/concepts/workloads/pods/probes/"
	configureProbesPage = "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes"
	probeGracePage      = "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#probe-level-terminationgraceperiodseconds"
)

var probeGraceRules = []Rule{
	{
		ID:           "probe-grace-never-counts",
		Level:        Warning,
		DocumentedAt: probeGracePage,
		Says:         "A probe whose failure ends the pod, as no main container of it is restarted, kills it with the pod's own grace period.",
		container: onProbeGrace(func(_ checked, kind string, in formula.Input, own, pod time.Duration) *found {
			if !in.Kill.WholePod || own == pod {
				return nil
			}
			return &found{
				says: fmt.Sprintf(
					"a failing %s probe ends the pod, which is never restarted: it gets the pod's grace period of %s, not the probe's of %s",
					kind,
					short(pod),
					short(own),
				),
			}
		}),
	},
	{
		ID:           "probe-grace-longer",
		Level:        Warning,
		DocumentedAt: probeGracePage,
		Says:         "A probe's own grace period is there to restart a container that hangs sooner than a delete would end it; a longer one keeps it waiting.",
		container: onProbeGrace(func(_ checked, kind string, in formula.Input, own, pod time.Duration) *found {
			if in.Kill.WholePod || own <= pod {
				return nil
			}
			return &found{
				says: fmt.Sprintf(
					"a container that fails its %s probe is left %s until SIGKILL, %s longer than the pod's grace period of %s leaves it",
					kind,
					short(own),
					short(own-pod),
					short(pod),
				),
			}
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
				return &found{
					says: fmt.Sprintf(
						"a failing %s probe gives the container %s, and gives up its preStop hook, which takes %s: SIGKILL comes %s after SIGTERM",
						kind,
						short(own),
						short(takes),
						left(given(in, own)),
					),
				}
			case !told:
				return &found{
					level: Note,
					says: fmt.Sprintf(
						"a failing %s probe gives the container %s instead of %s, its preStop hook included, of which nothing tells how long it takes",
						kind,
						short(own),
						short(pod),
					),
				}
			}
			return nil
		}),
	},
}

// onProbeGrace makes a rule about probes that have a grace period of their own.
func onProbeGrace(
	look func(c checked, kind string, in formula.Input, own, pod time.Duration) *found,
) func(checked) []found {
	return func(c checked) []found {
		var all []found
		for _, kind := range []string{victim.Liveness, victim.Startup} {
			p := podspec.ProbeOf(c.container, kind)
			if p == nil || p.TerminationGracePeriodSeconds == nil {
				continue
			}
			if f := look(
				c,
				kind,
				c.killed(formula.Cause(kind)),
				whole(*p.TerminationGracePeriodSeconds),
				c.grace(),
			); f != nil {
				f.field = kind + "Probe.terminationGracePeriodSeconds"
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
			for _, kind := range []string{victim.Liveness, victim.Readiness, victim.Startup} {
				p, has := c.probe(kind)
				if !has || p.TimeoutSeconds <= p.PeriodSeconds {
					continue
				}
				timeout, period, n := whole(int64(p.TimeoutSeconds)), whole(int64(p.PeriodSeconds)), p.FailureThreshold
				says := fmt.Sprintf(
					"a %s probe that is not answered takes %s, so that the next one waits for it instead of coming after %s",
					kind,
					short(timeout),
					short(period),
				)
				if n > 1 {
					says += fmt.Sprintf(
						": %d failures take %s, not %s",
						n,
						short(time.Duration(n)*timeout),
						short(time.Duration(n-1)*period+timeout),
					)
				}
				all = append(all, found{field: kind + "Probe.timeoutSeconds", says: says})
			}
			return all
		},
	},
	{
		ID: "one-failure-kills", Level: Note, DocumentedAt: configureProbesPage,
		Says: "With failureThreshold 1 a single probe that comes at a bad time kills the container.",
		container: func(c checked) []found {
			p, has := c.probe(victim.Liveness)
			if !has || p.FailureThreshold != 1 {
				return nil
			}
			return []found{
				{
					field: "livenessProbe.failureThreshold",
					says: fmt.Sprintf(
						"one answer that takes longer than %s kills the container",
						short(whole(int64(p.TimeoutSeconds))),
					),
				},
			}
		},
	},
	{
		ID:           "restarted-before-unready",
		Level:        Warning,
		DocumentedAt: probesPage,
		Says:         "A liveness probe that gives up sooner than the readiness probe kills a container that still gets requests.",
		container: func(c checked) []found {
			if c.container.LivenessProbe == nil || c.container.ReadinessProbe == nil {
				return nil
			}
			liveness := c.probed(victim.Liveness)
			liveness.Probe.Takes = whole(int64(liveness.Probe.TimeoutSeconds)) // at the worst it is not answered
			killed := time.Duration(formula.FaultKills.Implemented(liveness).Latest)
			unready := time.Duration(formula.UnreadyLag.Implemented(c.probed(victim.Readiness)).Earliest)
			if killed >= unready {
				return nil
			}
			return []found{
				{
					field: "livenessProbe",
					says: fmt.Sprintf(
						"a container that fails both probes is killed within %s, but stays ready for %s at least: it is killed while it gets requests",
						short(killed),
						short(unready),
					),
				},
			}
		},
	},
	{
		ID: "success-threshold-is-no-time", Level: Note, DocumentedAt: configureProbesPage,
		Says: "successThreshold counts successes, not periods: a kubelet probes an unready container out of turn.",
		container: func(c checked) []found {
			p, has := c.probe(victim.Readiness)
			if !has || p.SuccessThreshold <= 1 {
				return nil
			}
			period, w := whole(int64(p.PeriodSeconds)), formula.ReadyLag.Implemented(c.probed(victim.Readiness))
			return []found{
				{field: "readinessProbe.successThreshold", says: fmt.Sprintf(
					"%d successes, %s apart, look like %s in which the container must answer well, but it may be ready after %s",
					p.SuccessThreshold,
					short(period),
					short(time.Duration(p.SuccessThreshold-1)*period),
					short(time.Duration(w.Earliest)),
				)},
			}
		},
	},
}
