package findings

import (
	"time"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

const (
	probesPage    = website + "workloads/pods/probes/"
	configurePage = "https://kubernetes.io/docs/tasks/configure-pod-container/" +
		"configure-liveness-readiness-startup-probes/"
	configureProbesPage = configurePage + "#configure-probes"
	probeGracePage      = configurePage + "#probe-level-terminationgraceperiodseconds"
)

var probeGraceRules = []Rule{
	{
		ID: "probe-grace-never-counts", Level: Warning, DocumentedAt: probeGracePage,
		Description: "If a failing probe ends the whole pod, because no main container is restarted, " +
			"the pod's own grace period holds, not the probe's.",
		Fix: "set the pod's terminationGracePeriodSeconds instead",
		Example: example("restartPolicy: Never",
			"livenessProbe: {httpGet: {port: 80}, terminationGracePeriodSeconds: 5}"),
		container: onProbeGrace(func(_ target, kind string, in formula.Input, own, pod time.Duration) []found {
			if !in.Kill.WholePod || own == pod {
				return nil
			}
			return report("", "a failing %s probe ends the pod, which is never restarted: "+
				"it gets the pod's grace period of %s, not the probe's of %s", kind, pod, own)
		}),
	},
	{
		ID: "probe-grace-longer", Level: Warning, DocumentedAt: probeGracePage,
		Description: "A probe's own grace period is meant to restart a hanging container sooner than a delete would end it; " +
			"a longer one delays the restart.",
		Fix: "leave it out, or set it below the pod's terminationGracePeriodSeconds",
		Example: example("terminationGracePeriodSeconds: 30",
			"livenessProbe: {httpGet: {port: 80}, terminationGracePeriodSeconds: 60}"),
		container: onProbeGrace(func(_ target, kind string, in formula.Input, own, pod time.Duration) []found {
			if in.Kill.WholePod || own <= pod {
				return nil
			}
			return report("", "a container that fails its %s probe has %s until SIGKILL, "+
				"%s more than the pod's grace period of %s", kind, own, own-pod, pod)
		}),
	},
	{
		ID: "probe-grace-cuts-hook", Level: Warning, DocumentedAt: probeGracePage,
		Description: "A probe's own grace period also limits the preStop hook.",
		Fix:         "set it above the hook's longest duration",
		Example: example("terminationGracePeriodSeconds: 30",
			"lifecycle: {preStop: {sleep: {seconds: 10}}}\n"+
				"livenessProbe: {httpGet: {port: 80}, terminationGracePeriodSeconds: 5}"),
		container: onProbeGrace(func(t target, kind string, in formula.Input, own, pod time.Duration) []found {
			takes, exact := t.hookTakes(t.container)
			switch {
			case in.Kill.WholePod || own >= pod || !in.RunsHook():
			case takes >= own && takes < pod:
				all := report("", "a failing %s probe gives the container %s, and stops its preStop hook, "+
					"which takes %s: SIGKILL comes %s after SIGTERM", kind, own, takes, left(given(in, own)))
				if n := graceFor(takes); effective.Seconds(n) < pod {
					return fixed(all, "set it to %d or more", n)
				}
				return fixed(all, "leave it out, so that the pod's %s count", effective.Words(pod))
			case !exact:
				all := report("", "a failing %s probe gives the container %s instead of %s, "+
					"its preStop hook included; the hook's duration is not known", kind, own, pod)
				all[0].level = Note
				return all
			}
			return nil
		}),
	},
}

func onProbeGrace(
	look func(t target, kind string, in formula.Input, own, pod time.Duration) []found,
) func(target) []found {
	return func(t target) []found {
		var all []found
		for _, kind := range []string{podspec.Liveness, podspec.Startup} {
			p := podspec.ProbeOf(t.container, kind)
			if p == nil || p.TerminationGracePeriodSeconds == nil {
				continue
			}
			own := effective.Seconds(*p.TerminationGracePeriodSeconds)
			for _, f := range look(t, kind, t.killed(formula.Cause(kind)), own, t.grace()) {
				f.field = kind + "Probe." + graceField
				all = append(all, f)
			}
		}
		return all
	}
}

var probeRules = []Rule{
	{
		ID: "probe-timeout-exceeds-period", Level: Note, DocumentedAt: configureProbesPage,
		Description: "A probe whose timeout is longer than its period does not run once every period while it gets no " +
			"answer.",
		Fix:     "set timeoutSeconds to periodSeconds or less",
		Example: example("", "livenessProbe: {httpGet: {port: 80}, periodSeconds: 5, timeoutSeconds: 8}"),
		container: func(t target) []found {
			var all []found
			for _, kind := range []string{podspec.Liveness, podspec.Readiness, podspec.Startup} {
				p, has := t.probe(kind)
				if !has || p.TimeoutSeconds <= p.PeriodSeconds {
					continue
				}
				timeout, period := effective.Seconds(p.TimeoutSeconds), effective.Seconds(p.PeriodSeconds)
				found := report(kind+"Probe.timeoutSeconds", "a %s probe without an answer takes %s, "+
					"so the next one waits for it instead of coming after %s", kind, timeout, period)
				if n := time.Duration(p.FailureThreshold); n > 1 {
					more := report("", ": %d failures take %s, not %s", int(n), n*timeout, (n-1)*period+timeout)
					found[0].says += more[0].says
				}
				all = append(all, fixed(found, "set timeoutSeconds to %d or less", p.PeriodSeconds)...)
			}
			return all
		},
	},
	{
		ID: "one-failure-kills", Level: Note, DocumentedAt: configureProbesPage,
		Description: "With failureThreshold 1, a single late answer kills the container.",
		Fix:         "set failureThreshold to 2 or more",
		Example:     example("", "livenessProbe: {httpGet: {port: 80}, failureThreshold: 1}"),
		container: func(t target) []found {
			p, has := t.probe(podspec.Liveness)
			if !has || p.FailureThreshold != 1 {
				return nil
			}
			return report("livenessProbe.failureThreshold", "one answer that takes longer than %s kills the container",
				effective.Seconds(p.TimeoutSeconds))
		},
	},
	{
		ID: "restarted-before-unready", Level: Warning, DocumentedAt: probesPage,
		Description: "A liveness probe that fails sooner than the readiness probe kills a container that still gets requests.",
		Fix:         "raise the liveness probe's failureThreshold, or lower the readiness probe's",
		Example: example("",
			"livenessProbe: {httpGet: {port: 80}, periodSeconds: 2}\nreadinessProbe: {httpGet: {port: 80}}"),
		container: func(t target) []found {
			if t.container.LivenessProbe == nil || t.container.ReadinessProbe == nil {
				return nil
			}
			kills := t.within(podspec.Liveness, &formula.FaultKills)
			unreadies := t.within(podspec.Readiness, &formula.UnreadyLag)
			killed, unready := time.Duration(kills.Latest), time.Duration(unreadies.Earliest)
			if killed >= unready {
				return nil
			}
			liveness, _ := t.probe(podspec.Liveness)
			readiness, _ := t.probe(podspec.Readiness)
			// A period may pass until the first probe fails.
			latest := time.Duration(unreadies.Latest) + effective.Seconds(readiness.PeriodSeconds)
			more := (latest - time.Duration(kills.Earliest) - 1) / effective.Seconds(liveness.PeriodSeconds)
			return fixed(report("livenessProbe", "a container that fails both probes is killed within %s, "+
				"but stays ready for at least %s: it is killed while it gets requests", killed, unready),
				"set livenessProbe.failureThreshold to %d or more", liveness.FailureThreshold+int(more)+1)
		},
	},
	{
		ID: "success-threshold-is-no-time", Level: Note, DocumentedAt: configureProbesPage,
		Description: "successThreshold counts successes, not periods: a kubelet probes an unready container out of turn.",
		Fix:         "if a time is meant, set minReadySeconds of the workload",
		Example:     example("", "readinessProbe: {httpGet: {port: 80}, successThreshold: 5}"),
		container: func(t target) []found {
			p, has := t.probe(podspec.Readiness)
			if !has || p.SuccessThreshold <= 1 {
				return nil
			}
			n, period := p.SuccessThreshold, effective.Seconds(p.PeriodSeconds)
			ready := time.Duration(formula.ReadyLag.Implemented(t.probed(podspec.Readiness)).Earliest)
			return report("readinessProbe.successThreshold", "%d successes, %s apart, "+
				"look like %s in which the container must answer well, but it may be ready after %s",
				n, period, time.Duration(n-1)*period, ready)
		},
	},
}

var startupRules = []Rule{
	{
		ID: "killed-while-starting", Level: Warning, DocumentedAt: probesPage,
		Description: "Without a startup probe the liveness probe kills a container that takes long to start.",
		Fix:         "add a startupProbe whose periodSeconds times failureThreshold is longer than the longest start",
		Example: example("",
			"livenessProbe: {httpGet: {port: 80}}\nreadinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 60}"),
		container: func(t target) []found {
			if t.container.LivenessProbe == nil || t.container.StartupProbe != nil {
				return nil
			}
			earliest, latest := t.killedBy(podspec.Liveness)
			if s := t.Pod.Spec.ActiveDeadlineSeconds; s != nil && earliest > effective.Seconds(*s) {
				return nil
			}
			if delay := t.delay(podspec.Readiness); delay > earliest {
				all := report("livenessProbe", "the readiness probe waits %s for the container to start, "+
					"but the liveness probe kills it %s to %s after its start if it does not answer before",
					delay, earliest, latest)
				if delay > latest {
					all[0].level = Error
				}
				return all
			}
			if earliest > 0 {
				return nil
			}
			return report("livenessProbe", "the first probe may come as soon as the container runs, "+
				"and one failure is enough: a container that does not answer at once is killed within %s of its start",
				latest)
		},
	},
	{
		ID: "startup-gives-up-early", Level: Warning, DocumentedAt: probesPage,
		Description: "A startup probe that fails before other probes are due to begin kills a container " +
			"for which they would have waited.",
		Fix: "raise the startup probe's failureThreshold",
		Example: example("",
			"startupProbe: {httpGet: {port: 80}}\nlivenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 120}"),
		container: func(t target) []found {
			if t.container.StartupProbe == nil {
				return nil
			}
			delay, kind := t.delay(podspec.Liveness), podspec.Liveness
			if d := t.delay(podspec.Readiness); d > delay {
				delay, kind = d, podspec.Readiness
			}
			earliest, latest := t.killedBy(podspec.Startup)
			if latest >= delay {
				return nil
			}
			startup, _ := t.probe(podspec.Startup)
			missing := (delay - latest) / effective.Seconds(startup.PeriodSeconds)
			return fixed(report("startupProbe", "the startup probe kills a container %s to %s after its start "+
				"if it does not answer before, but the %s probe would wait %s for it", earliest, latest, kind, delay),
				"set startupProbe.failureThreshold to %d or more", startup.FailureThreshold+int(missing)+1)
		},
	},
	{
		ID: "delay-counts-from-start", Level: Note, DocumentedAt: configureProbesPage,
		Description: "By the documentation, initial delays begin when the startup probe has succeeded; " +
			"a kubelet counts them from the container's start.",
		Fix: "leave initialDelaySeconds out: the startup probe waits for the start",
		Example: example("",
			"startupProbe: {httpGet: {port: 80}}\nlivenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 20}"),
		container: func(t target) []found {
			if t.container.StartupProbe == nil {
				return nil
			}
			var all []found
			for _, kind := range []string{podspec.Liveness, podspec.Readiness} {
				// A delay shorter than the period moves one probe at most.
				p, has := t.probe(kind)
				if delay := t.delay(kind); has && delay > 0 && p.InitialDelaySeconds >= p.PeriodSeconds {
					all = append(all, report(kind+"Probe.initialDelaySeconds",
						"the %s probe's delay of %s counts from the container's start, not from the startup probe's "+
							"success: a start that takes as long leaves nothing of it", kind, delay)...)
				}
			}
			return all
		},
	},
}
