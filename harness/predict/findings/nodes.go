package findings

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
)

const shutdownPage = website + "cluster-administration/node-shutdown/#graceful-node-shutdown"

// nodeRules are about limits that the pod's node sets. They find nothing unless the user gives them.
var nodeRules = []Rule{
	{
		ID: "shutdown-cuts-grace", Level: Warning, DocumentedAt: shutdownPage,
		Description: "A graceful shutdown of the node (--kubelet-config) gives the pod less than its own grace period.",
		Fix: "give the pod's priorities more seconds in the kubelet's configuration, or make hook and process " +
			"end in time",
		Example: example("# on a kubelet with shutdownGracePeriod: 30s, shutdownGracePeriodCriticalPods: 10s\n"+
			"terminationGracePeriodSeconds: 60", ""),
		pod: func(t target) []found {
			grace, given := t.grace(), t.first().killed(formula.ByShutdown).GracePeriod()
			if len(t.Kubelet.ShutdownGroups) == 0 || given >= grace {
				return nil
			}
			all := report(graceField, "a graceful shutdown of the node gives the pod %s, not %s%s", given, grace,
				t.cutHook(given))
			return fixed(all, "give the pod's priorities %s or more in the kubelet's configuration, or make hook "+
				"and process end within %s", effective.Words(grace), effective.Words(given))
		},
	},
	{
		ID: "limit-cuts-grace", Level: Warning, DocumentedAt: terminationPage,
		Description: "The provider of the node, an autoscaler or a drain (--preset) does not wait for the end of the pod's " +
			"grace period.",
		Fix:     "make hook and process end in time, or raise the limit",
		Example: example("# with --preset=aws-spot\nterminationGracePeriodSeconds: 300", ""),
		pod: func(t target) (all []found) {
			for _, p := range t.Presets {
				if p.Groups == nil && p.Cuts(t.grace()) { // shutdown-cuts-grace is about the groups
					all = append(all, t.cutBy(p))
				}
			}
			return all
		},
	},
}

// cutBy reports a limit that ends before the pod's grace period.
func (t target) cutBy(p preset.Preset) found {
	grace, limit := t.grace(), effective.Words(p.Limit)
	f := report(graceField, "the pod may take its grace period of %s, but %s %s after %s [%s]", grace, p.Then, p.Limit,
		p.Since, p.Name)[0]
	f.documentedAt = p.DocumentedAt
	f.fix = fmt.Sprintf("make hook and process end within %s", limit)
	if p.Setting != "" {
		by := "to"
		if !p.Kills {
			by = "above"
		}
		f.fix += fmt.Sprintf(", or raise the limit %s %s: %s", by, effective.Words(grace), p.Setting)
	}
	if p.Notice {
		f.fix += "; what reacts to the notice needs a part of it"
	}
	if p.Kills {
		f.says += ": SIGKILL comes then at the latest" + t.cutHook(p.Limit)
	}
	return f
}

// cutHook names the longest hook, if it is known to take all of a time.
func (t target) cutHook(has time.Duration) string {
	container, takes := t.longestHook()
	if takes < has || takes == 0 {
		return ""
	}
	return fmt.Sprintf(", and the preStop hook of container %s takes %s", container, effective.Words(takes))
}
