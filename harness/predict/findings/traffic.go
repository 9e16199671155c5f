package findings

import (
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

var trafficRules = []Rule{{
	ID: "signal-before-routes-end", Level: Warning,
	DocumentedAt: "https://kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow/",
	Description: "The kubelet sends SIGTERM while proxies still send new connections to the pod. They fail if the process " +
		"stops accepting them at once.",
	Fix: "add a preStop hook that sleeps until proxies have followed",
	Example: object("Deployment", "replicas: 2", "ports: [{containerPort: 80}]") +
		"---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n",
	container: signalBeforeRoutesEnd,
}}

func signalBeforeRoutesEnd(t target) []found {
	main := slices.ContainsFunc(t.Pod.Spec.Containers,
		func(c corev1.Container) bool { return c.Name == t.container.Name })
	i := slices.IndexFunc(t.Services, func(s manifest.Service) bool { return main && s.Targets(t.container) })
	if i < 0 {
		return nil
	}
	if s := t.Services[i]; s.PublishNotReady {
		return fixed(report("lifecycle.preStop", "Service %s publishes addresses that are not ready: it sends new "+
			"connections to the pod until its object is gone, so those after SIGTERM may fail", s.Name),
			"let only a headless Service for the pod's peers have publishNotReadyAddresses")
	}
	in := t.killed(formula.ByDelete)
	unready, follows := formula.EndpointUnready.Implemented(in), formula.ProxyFollows.Implemented(in)
	routed := time.Duration(unready.Latest + follows.Latest)
	hook := time.Duration(0)
	if in.RunsHook() {
		hook, _ = t.hookTakes(t.container)
		hook = min(hook, t.grace())
	}
	if hook >= routed {
		return nil
	}
	sleep, end := int64(math.Ceil(routed.Seconds())), ""
	if in.Kubelet.Has(formula.TerminatingRouted) {
		end = ", or until the pod's end if no other pod of the Service is ready"
	}
	all := report("lifecycle.preStop", "SIGTERM may come %s after a delete, but proxies may send new connections "+
		"through Service %s until %s after it%s: they fail if the process stops accepting them at once",
		hook, t.Services[i].Name, routed, end)
	return fixed(all, "%s", sleepFix(in, sleep, t.grace()))
}

// sleepFix says how the preStop hook sleeps, with the grace period that it needs.
func sleepFix(in formula.Input, seconds int64, grace time.Duration) string {
	fix := fmt.Sprintf("set lifecycle.preStop.sleep.seconds to %d or more", seconds)
	if !in.Kubelet.Has(formula.SleepAction) {
		fix = fmt.Sprintf("let a preStop hook run sleep %d, or longer", seconds)
	}
	if least := graceFor(effective.Seconds(int32(seconds))); grace < effective.Seconds(int32(least)) {
		fix += fmt.Sprintf(", and terminationGracePeriodSeconds to %d or more", least)
	}
	return fix
}
