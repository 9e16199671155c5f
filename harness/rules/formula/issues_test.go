package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// Each difference from the documentation names only the issue behind it.
func TestIssues(t *testing.T) {
	hook := func(k Kill) Kill {
		k.Hook, k.HookElapsed = ExecHook, about(3*time.Second)
		return k
	}
	soft := func(version string, maximum int64) Input {
		return Input{
			Kubelet: Kubelet{Version: version, EvictionMaxPodGracePeriod: maximum},
			Kill:    Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 8},
		}
	}
	old := Kubelet{Version: "v1.23.1"}
	overwritten := soft("v1.34.4", 20)
	overwritten.Kubelet.Gates = map[string]bool{"AllowOverwriteTerminationGracePeriodSeconds": true}
	ten := Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10}
	one := Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 1}
	none := Kill{Cause: ByDelete}
	force := ten
	force.GracePeriodSeconds = ptr(0)
	probed := func(handler, kind string) Probe { return Probe{Handler: handler, Kind: kind} }
	for name, c := range map[string]struct {
		formula Formula
		in      Input
		want    string
	}{
		"the hook is forgotten": {
			Remainder, Input{Kubelet: old, Kill: hook(ten)}, "kubernetes#115817, kubernetes#92432",
		},
		"the hook is forgotten, from the delete": {
			KillLength, Input{Kubelet: old, Kill: hook(ten)}, "kubernetes#115817, kubernetes#92432",
		},
		"the hook is forgotten again": {
			GraceAgain, Input{Kubelet: old, Kill: hook(ten)}, "kubernetes#115817, kubernetes#92432",
		},
		"the hook counts": {Remainder, Input{Kubelet: newest, Kill: hook(ten)}, NoIssueKnown},
		"a probe's kill has no override": {
			Remainder, Input{Kubelet: old, Kill: hook(Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 10})},
			NoIssueKnown,
		},
		"no grace looks like unset": {
			Remainder, Input{Kubelet: old, Kill: force},
			"kubernetes#115819",
		},
		"a pod without a grace period hides that": {Remainder, Input{Kubelet: old, Kill: none}, NoIssueKnown},
		"no grace becomes two seconds":            {Remainder, Input{Kubelet: newest, Kill: none}, NoIssueKnown},
		"one second becomes two":                  {Remainder, Input{Kubelet: newest, Kill: one}, NoIssueKnown},
		"hard eviction, then": {
			EvictionRemainder,
			Input{Kubelet: old, Kill: Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 60}},
			"kubernetes#115819",
		},
		"hard eviction, now": {
			EvictionRemainder,
			Input{Kubelet: newest, Kill: Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 60}}, NoIssueKnown,
		},
		"negative maximum":                     {EvictionRemainder, soft("v1.36.3", -1), "kubernetes#118172"},
		"maximum above the pod's, then":        {EvictionRemainder, soft("v1.23.1", 20), "kubernetes#64530"},
		"maximum above the pod's, by the gate": {EvictionRemainder, overwritten, "kubernetes#64530"},
		"maximum above the pod's, now":         {EvictionRemainder, soft("v1.36.3", 20), NoIssueKnown},
		"no maximum":                           {EvictionRemainder, soft("v1.36.3", 0), NoIssueKnown},
		"a hook without grace": {
			EvictionHookBound, Input{Kubelet: newest, Kill: hook(Kill{Cause: ByHardEviction})}, NoIssueKnown,
		},
		"a count survives a crash": {
			StreakSurvives, Input{Kubelet: newest, CarriedFailures: 2}, "kubernetes#53530",
		},
		"a count survives a kill":               {FailingProbes, Input{Kubelet: newest}, "kubernetes#53530"},
		"a probe's own grace period is ignored": {ProbeGraceIgnored, Input{Kubelet: newest}, NoIssueKnown},
		"the documentation ignores a delay":     {LaterFirstProbe, Input{Kubelet: newest}, "website#48519"},
		"a binary that is missing": {
			NeverCounts, Input{Kubelet: newest, Probe: probed("exec", "liveness")}, "kubernetes#106682",
		},
		"a body that never comes": {
			NeverCounts, Input{Kubelet: newest, Probe: probed("http", "liveness")}, "kubernetes#122591",
		},
		"exec readiness in 1.35": {
			ProbesOfTerminating, Input{Kubelet: Kubelet{Version: "v1.35.4"}, Probe: probed("exec", "readiness")},
			execReadinessCancelled.Reference,
		},
		"exec readiness in 1.36.3": {
			ProbesOfTerminating, Input{Kubelet: Kubelet{Version: "v1.36.3"}, Probe: probed("exec", "readiness")},
			execReadinessCancelled.Reference,
		},
		"exec readiness in 1.36.2": {
			ProbesOfTerminating, Input{Kubelet: Kubelet{Version: "v1.36.2"}, Probe: probed("exec", "readiness")},
			NoIssueKnown,
		},
		"a stopped sidecar in 1.30.3": {
			SidecarSignal, Input{Kubelet: Kubelet{Version: "v1.30.3"}, LaterStopped: true}, "kubernetes#125880",
		},
		"a stopped sidecar in 1.30.4": {
			SidecarSignal, Input{Kubelet: Kubelet{Version: "v1.30.4"}, LaterStopped: true}, NoIssueKnown,
		},
		"a sidecar's layer in 1.36": {
			SidecarLayerLimit, Input{Kubelet: Kubelet{Version: "v1.36.3"}}, "kubernetes#138371",
		},
		"a sidecar's layer in 1.37": {SidecarLayerLimit, Input{Kubelet: newest}, NoIssueKnown},
		"readiness stopped in 1.23": {
			ProbesOfTerminating, Input{Kubelet: old, Probe: probed("http", "readiness")}, "kubernetes#110309",
		},
		"a sidecar's liveness goes on": {
			ProbesOfTerminating, Input{Kubelet: newest, Sidecar: true, Probe: probed("http", "liveness")},
			"kubernetes PR 141766",
		},
		"a sidecar's liveness stops": {
			ProbesOfTerminating,
			Input{Kubelet: Kubelet{Version: "v1.38.0-beta.0"}, Sidecar: true, Probe: probed("http", "liveness")},
			NoIssueKnown,
		},
		"the deadline's phase comes first": {
			DeadlineKills, Input{Kubelet: old}, "kubernetes#88613, kubernetes PR 108366",
		},
		"the deadline's phase comes last": {DeadlineKills, Input{Kubelet: newest}, NoIssueKnown},
		"restarts of all are free":        {RestartAllFree, Input{Kubelet: newest, Life: 3}, NoIssueKnown},
		"a promise without a known issue": {ProbeKills, Input{Kubelet: newest}, NoIssueKnown},
		"nothing is promised":             {KillStart, Input{Kubelet: newest}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			gomega.NewWithT(t).Expect(c.formula.IssuesOf(c.in)).To(gomega.Equal(c.want))
		})
	}
}

func TestEveryIssue(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(Remainder.EveryIssue()).
		To(gomega.ConsistOf("kubernetes#115819", "kubernetes#115817, kubernetes#92432", NoIssueKnown))
	g.Expect(EvictionRemainder.EveryIssue()).
		To(gomega.ContainElements("kubernetes#118172", "kubernetes#64530", "kubernetes#115819", NoIssueKnown))
	g.Expect(KillStart.EveryIssue()).To(gomega.BeEmpty())
}
