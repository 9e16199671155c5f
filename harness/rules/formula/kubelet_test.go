package formula

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

// The edges are those read in the sources: the last patch without a change and the first one with it.
func TestEdges(t *testing.T) {
	var tested []Change
	for name, c := range map[string]struct {
		change    Change
		off, have string
	}{
		"gRPC":         {GRPCProbes, "v1.22.0 v1.23.17", "v1.24.0 v1.37.2"},
		"startup hold": {StartupHolds, "v1.22.0 v1.29.15 v1.30.14 v1.31.14", "v1.32.0 v1.32.13 v1.37.2"},
		"probes stop": {PodWorkerStopsProbes, "v1.22.0 v1.22.10 v1.23.0 v1.23.7 v1.24.0 v1.24.1",
			"v1.22.11 v1.22.17 v1.23.8 v1.23.17 v1.24.2 v1.25.0 v1.37.2"},
		"sidecars' probes": {SidecarProbesStop, "v1.22.0 v1.29.0 v1.36.5 v1.37.0 v1.37.2",
			"v1.38.0-beta.0 v1.38.0 v1.39.1"},
		"inherited": {StartedInherited, "v1.22.0 v1.34.12 v1.38.0-beta.0 v1.38.0 v1.39.1",
			"v1.35.0 v1.35.8 v1.36.0 v1.36.5 v1.37.2"},
		"started kept":     {StartedKept, "v1.22.0 v1.34.12", "v1.35.0 v1.36.0 v1.37.2 v1.38.0-beta.0"},
		"refused gRPC":     {RefusedGRPCFails, "v1.24.0 v1.37.2", "v1.38.0-beta.0 v1.38.0"},
		"killed by a sync": {KilledBySync, "v1.22.0 v1.36.5 v1.37.2", "v1.38.0-beta.0 v1.38.0"},
		"failure kept":     {FailureKept, "v1.22.0 v1.26.15 v1.37.2", "v1.38.0-beta.0 v1.38.0"},
		"ready kept":       {ReadyKept, "v1.22.0 v1.34.12", "v1.35.0 v1.36.0 v1.37.2"},
		"replaced":         {ReplacedUnready, "v1.35.0 v1.35.8 v1.36.5 v1.37.0 v1.37.2", "v1.38.0-beta.0 v1.38.0"},
		"cancelled": {execReadinessCancelled, "v1.22.0 v1.34.12 v1.36.0 v1.36.2 v1.37.0 v1.37.2",
			"v1.35.0 v1.35.8 v1.36.3 v1.36.5"},
		"hook first":    {HookSubtractedLast, "v1.22.0 v1.27.16", "v1.28.0 v1.37.2"},
		"zero grace":    {ZeroGraceIsOne, "v1.22.0 v1.29.15 v1.30.14", "v1.31.0 v1.37.2"},
		"soft minimum":  {SoftEvictionMinimum, "v1.22.0 v1.31.14", "v1.32.0 v1.37.2"},
		"probe's grace": {ProbeGrace, "v1.21.0", "v1.22.0 v1.37.2"},
		"terminal phase": {TerminalPhaseLast, "v1.22.0 v1.22.8 v1.23.0 v1.23.5",
			"v1.22.9 v1.22.17 v1.23.6 v1.23.17 v1.24.0 v1.37.2"},
		"finished deletes": {FinishedDeletes, "v1.22.17 v1.26.15", "v1.27.0 v1.37.2"},
		"restart all":      {RestartAll, "v1.35.0 v1.35.8", "v1.36.0 v1.37.2"},
		"sleep":            {SleepAction, "v1.29.15", "v1.30.0 v1.37.2"},
		"terminating":      {TerminatingRouted, "v1.22.0 v1.23.17 v1.25.16", "v1.26.0 v1.37.2"},
		"nftables":         {NFTablesProxy, "v1.22.0 v1.29.15 v1.30.14", "v1.31.0 v1.37.2"},
		"sidecars":         {Sidecars, "v1.28.0 v1.28.15", "v1.29.0 v1.37.2"},
		"stopped sidecar": {StoppedNotWaitedFor, "v1.29.0 v1.29.7 v1.30.0 v1.30.3",
			"v1.29.8 v1.29.15 v1.30.4 v1.31.0 v1.37.2"},
		"sidecar's layer": {SidecarLayerLimits, "v1.34.12 v1.35.8 v1.36.0 v1.36.5", "v1.37.0 v1.37.2"},
		"resize":          {InPlaceResize, "v1.27.0 v1.32.13", "v1.33.0 v1.37.2"},
		"resizes queued":  {ResizesQueued, "v1.33.0 v1.33.13", "v1.34.0 v1.37.2"},
		"resized back":    {BackOffByResources, "v1.33.0 v1.33.13", "v1.34.0 v1.37.2"},
		"starts resize":   {StartsResizePods, "v1.34.12 v1.35.8 v1.36.0 v1.36.3", "v1.36.4 v1.36.5 v1.37.0 v1.37.2"},
		"pod resources":   {PodLevelResources, "v1.32.13 v1.33.13", "v1.34.0 v1.37.2"},
		"pods resized":    {PodLevelResizes, "v1.35.8", "v1.36.0 v1.37.2"},
		"resizes checked": {ResizeChecked, "v1.34.12 v1.35.8", "v1.36.0 v1.37.2"},
		"sandbox":         {SandboxCondition, "v1.28.15", "v1.29.0 v1.37.2"},
		"disruption":      {DisruptionConditions, "v1.25.16", "v1.26.0 v1.37.2"},
		"preemption": {PreemptionCondition, "v1.26.0 v1.26.5 v1.27.0 v1.27.2",
			"v1.26.6 v1.26.15 v1.27.3 v1.27.16 v1.28.0 v1.37.2"},
		"sidecar's start lost": {SidecarStartLost, "v1.29.0 v1.34.12 v1.35.4 v1.35.8 v1.36.0 v1.37.2 v1.38.0-beta.0",
			"v1.35.0 v1.35.3"},
		"sidecars probed again": {SidecarsProbedAgain, "v1.29.0 v1.32.13 v1.33.5 v1.34.0 v1.34.1",
			"v1.33.6 v1.33.13 v1.34.2 v1.34.12 v1.35.0 v1.37.2 v1.38.0-beta.0"},
		"pull secrets":       {PullSecretsReported, "v1.22.0 v1.27.16", "v1.28.0 v1.37.2 v1.38.0-beta.0"},
		"pull secrets, less": {PullSecretsReportedByPulls, "v1.28.0 v1.36.5", "v1.37.0 v1.37.2 v1.38.0-beta.0"},
		"sandbox shown":      {SandboxShownFirst, "v1.29.0 v1.35.8", "v1.36.0 v1.37.2 v1.38.0-beta.0"},
		"many pulls":         {ManyPulls, "v1.34.12 v1.35.8 v1.36.5", "v1.37.0 v1.37.2 v1.38.0-beta.0"},
		"out of turn":        {OutOfTurnCounts, "v1.31.0 v1.31.14", "v1.32.0 v1.37.2"},
		"requeue":            {RequeueAtExpiry, "v1.22.0 v1.34.12", "v1.35.0 v1.37.2"},
		"relist on demand":   {RelistsOnDemand, "v1.35.0 v1.35.8", "v1.36.0 v1.37.2"},
		"node's maximum":     {NodeRestartPeriod, "v1.32.0 v1.34.12", "v1.35.0 v1.37.2"},
		"node's field":       {NodeRestartPeriodField, "v1.31.14", "v1.32.0 v1.37.2"},
		"containerfs":        {ContainerFSSignals, "v1.22.17 v1.28.15", "v1.29.0 v1.37.2"},
		"shutdown":           {ShutdownByPriority, "v1.22.17", "v1.23.0 v1.37.2"},
		"long back-off":      {LongBackOff, "", "v1.22.0 v1.37.2"},
		"reduced back-off":   {ReducedBackOff, "v1.33.0 v1.37.2", ""},
		"reduced, gate":      {ReducedBackOffGate, "v1.32.13", "v1.33.0 v1.37.2"},
		"new probes, gates":  {NewProbeGates, "v1.36.5", "v1.37.0 v1.38.0-beta.0"},
		"gRPC in the clear":  {GRPCModeIgnored, "v1.23.17", "v1.24.0 v1.38.0-beta.0"},
		"HTTP/1.1":           {ProtocolIgnored, "", "v1.22.0 v1.38.0-beta.0"},
		"relists on stop":    {RelistsOnStop, "v1.22.0 v1.38.0-beta.0", ""},
		"stop signal":        {StopSignalGate, "v1.32.13", "v1.33.0 v1.37.2"},
		"restart rules off":  {ContainerRestartRulesGate, "v1.33.0 v1.35.0 v1.37.2", "v1.34.0 v1.34.4"},
		"restart all off":    {RestartAllGate, "v1.34.4 v1.36.0 v1.37.2", "v1.35.0 v1.35.4"},
		"restart all switch": {RestartAllSwitch, "v1.34.4 v1.35.4", "v1.36.0 v1.37.2"},
		"mirror skipped":     {MirrorUpdatesSkipped, "v1.36.5", "v1.37.0 v1.37.2"},
		"restart rules":      {ContainerRestartRules, "v1.34.0 v1.34.12", "v1.35.0 v1.37.2"},
		"pulls verified":     {PullsVerified, "v1.34.0 v1.34.12", "v1.35.0 v1.37.2"},
		"zero sleep":         {ZeroSleep, "v1.32.0 v1.32.13", "v1.33.0 v1.37.2"},
		"not past":           {DeletionNotPast, "v1.22.0 v1.32.0 v1.32.13", "v1.33.0 v1.37.2"},
		"monitor grace":      {LongerMonitorGrace, "v1.23.1 v1.31.14", "v1.32.0 v1.37.2"},
		"pending again":      {PendingAgain, "v1.28.0 v1.31.14", "v1.32.0 v1.37.2"},
	} {
		g := gomega.NewWithT(t)
		for want, versions := range map[bool]string{false: c.off, true: c.have} {
			for version := range strings.FieldsSeq(versions) {
				g.Expect(Kubelet{Version: version}.Has(c.change)).To(gomega.Equal(want), "%s: %s", name, version)
			}
		}
		tested = append(tested, c.change)
	}
	gomega.NewWithT(t).Expect(tested).To(gomega.ConsistOf(Changes), "every change has an edge here")
}

// A change is extrapolated for a minor release or a patch whose sources nobody read.
func TestExtrapolates(t *testing.T) {
	some := Change{Name: "it does", Since: "v1.35.0", Read: "v1.35.2 v1.36.4"}
	for version, want := range map[string][2]bool{ // of a change that was read everywhere, and of one that was not
		"v1.21.14": {true, true}, "v1.22.0": {false, true}, "v1.29.4": {false, true}, "v1.35.2": {},
		"v1.35.3": {false, true}, "v1.36.3+no-minimum-grace": {}, "v1.36.4": {}, "v1.36.5": {false, true},
		"v1.37.0-alpha.1": {true, true}, "v1.37.2": {false, true}, "v1.37.99": {true, true},
		"v1.38.0-alpha.3": {true, true}, "v1.38.0-beta.0": {false, true}, "v1.38.0-beta.0+mutation": {false, true},
		"v1.38.0-rc.0": {true, true}, "v1.38.0": {true, true},
	} {
		k, g := Kubelet{Version: version}, gomega.NewWithT(t)
		g.Expect([2]bool{k.Extrapolates(StartupHolds), k.Extrapolates(some)}).To(gomega.Equal(want), version)
		g.Expect(k.Extrapolated()).To(gomega.Equal(want[0]), version)
	}
}

// A pre-release after the code freeze has the changes of its release, and an earlier one may lack them.
func TestHasInPreReleases(t *testing.T) {
	plain := Change{Name: "it does", Since: "v1.37.0", Until: "v1.38.0"}
	early := Change{Name: "it does", Since: "v1.38.0-beta.1"}
	for version, want := range map[string][2]bool{
		"v1.36.9": {}, "v1.37.0-alpha.3": {}, "v1.37.0-beta.0": {true, false}, "v1.37.0-rc.1": {true, false},
		"v1.37.0-gke.1": {}, "v1.37.2": {true, false}, "v1.38.0-alpha.2": {true, false}, "v1.38.0-beta.0": {},
		"v1.38.0-beta.1": {false, true}, "v1.38.0-beta.1.7+abc": {false, true}, "v1.38.0-rc.0": {false, true},
		"v1.38.0": {false, true}, "v1.38.4": {false, true}, "v1.39.0": {false, true},
	} {
		k, g := Kubelet{Version: version}, gomega.NewWithT(t)
		g.Expect([2]bool{k.Has(plain), k.Has(early)}).To(gomega.Equal(want), version)
	}
}

func TestHas(t *testing.T) {
	gated := Change{Name: "it does", Reference: "KEP-0", Since: "v1.35.0", Until: "v1.37.0", Gate: "Gate"}
	for name, c := range map[string]struct {
		kubelet Kubelet
		has     bool
		lacks   string
	}{
		"before":                        {Kubelet{Version: "v1.34.9"}, false, "lacks this change of v1.35.0"},
		"in the first release":          {Kubelet{Version: "v1.35.0"}, true, ""},
		"a mutation changes no version": {Kubelet{Version: "v1.36.3+mutation"}, true, ""},
		"when it is gone again":         {Kubelet{Version: "v1.37.1"}, false, "of v1.35.0, removed in v1.37.0"},
		"the gate is off": {
			Kubelet{Version: "v1.36.3", Gates: map[string]bool{"Gate": false}}, false,
			"feature gate Gate of kubelet v1.36.3 is off",
		},
		"the gate is on in an alpha": {Kubelet{Version: "v1.34.4", Gates: map[string]bool{"Gate": true}}, true, ""},
		"other gates do not matter": {
			Kubelet{Version: "v1.36.3", Gates: map[string]bool{"Other": false}}, true, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(c.kubelet.Has(gated)).To(gomega.Equal(c.has))
			if c.lacks == "" {
				g.Expect(c.kubelet.Lacks(gated)).To(gomega.BeEmpty())
			} else {
				g.Expect(c.kubelet.Lacks(gated)).To(gomega.ContainSubstring(c.lacks))
			}
		})
	}
}

// A gate takes a change away only if the kubelet reports it as on.
func TestHasUnless(t *testing.T) {
	gated := Change{
		Name:      "it has a gate",
		Reference: "kubernetes#0",
		Since:     "v1.32.0",
		Until:     "v1.37.0",
		Unless:    "WayBack",
	}
	gate := func(version string, on bool) Kubelet {
		return Kubelet{Version: version, Gates: map[string]bool{"WayBack": on}}
	}
	for name, c := range map[string]struct {
		kubelet Kubelet
		has     bool
		lacks   string
	}{
		"not reported": {Kubelet{Version: "v1.34.4"}, true, ""},
		"reported off": {gate("v1.34.4", false), true, ""},
		"reported on": {
			gate("v1.34.4", true), false, "feature gate WayBack of kubelet v1.34.4 is on: it has a gate",
		},
		"an off gate does not add it":  {gate("v1.31.0", false), false, "lacks this change of v1.32.0"},
		"an off gate does not keep it": {gate("v1.37.0", false), false, "of v1.32.0, removed in v1.37.0"},
		"another gate removes nothing": {Kubelet{Version: "v1.34.4", Gates: map[string]bool{"Other": true}}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(c.kubelet.Has(gated)).To(gomega.Equal(c.has))
			if c.lacks == "" {
				g.Expect(c.kubelet.Lacks(gated)).To(gomega.BeEmpty())
			} else {
				g.Expect(c.kubelet.Lacks(gated)).To(gomega.ContainSubstring(c.lacks))
			}
		})
	}
}

// Some gates restore old behaviour: they take these changes away.
func TestGatesThatRestoreOldBehaviour(t *testing.T) {
	g := gomega.NewWithT(t)
	status := Kubelet{Version: "v1.36.3", Gates: map[string]bool{"ChangeContainerStatusOnKubeletRestart": true}}
	for _, c := range []Change{StartedInherited, StartedKept, ReadyKept} {
		g.Expect(newest.Has(c)).To(gomega.BeTrue(), c.Name)
		g.Expect(status.Has(c)).To(gomega.BeFalse(), c.Name)
	}
	for version, want := range map[string]struct{ off, on int64 }{
		"v1.31.0": {20, 20}, "v1.32.0": {8, 20}, "v1.34.4": {8, 20},
	} {
		in := Input{
			Kubelet: Kubelet{Version: version, EvictionMaxPodGracePeriod: 20},
			Kill:    Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 8},
		}
		g.Expect(in.softEviction()).To(gomega.Equal(want.off), version)
		in.Kubelet.Gates = map[string]bool{"AllowOverwriteTerminationGracePeriodSeconds": true}
		g.Expect(in.softEviction()).To(gomega.Equal(want.on), version)
	}
}

// The rows are those of calculateEffectiveGracePeriod (pkg/kubelet/pod_workers.go), by version.
func TestEffectiveGracePeriod(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for name, c := range map[string]struct {
		deletion, override *int64
		old, now           int64
	}{
		"nothing asked for":                           {nil, nil, 30, 30},
		"a deletion":                                  {n(10), nil, 10, 10},
		"a force delete":                              {n(0), nil, 30, 1},
		"an eviction without grace":                   {nil, n(0), 30, 1},
		"an eviction with one second":                 {nil, n(1), 1, 1},
		"the lesser of two, the eviction's":           {n(60), n(5), 5, 5},
		"the lesser of two, the deletion's":           {n(5), n(60), 5, 5},
		"a deletion of 0 looks like none":             {n(0), n(20), 20, 20},
		"a negative override is raised to one second": {nil, n(-1), 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			for version, want := range map[string]int64{"v1.30.14": c.old, "v1.31.0": c.now, "v1.36.3": c.now} {
				in := Input{Kubelet: Kubelet{Version: version}, Kill: Kill{TerminationGracePeriodSeconds: 30}}
				g.Expect(in.effectiveGracePeriod(c.deletion, c.override)).To(gomega.Equal(want), version)
			}
		})
	}
}

// newest is the kubelet of tests that name no other.
var newest = Kubelet{Version: NewestKnown}
