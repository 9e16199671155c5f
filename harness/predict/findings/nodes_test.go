package findings

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
)

// limitedNodes returns a workload on nodes with the limits of the rules' examples.
func limitedNodes(w Workload) Workload {
	w.Kubelet.ShutdownGroups = formula.PriorityGroupsOf(30*time.Second, 10*time.Second)
	w.Presets = []preset.Preset{preset.All()[0]}
	return w
}

// ofNodes returns the findings about limits of nodes, as "level rule: says; fix", without the page.
func ofNodes(t *testing.T, text string, k formula.Kubelet, presets ...string) (all []string) {
	t.Helper()
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader(text), "")
	g.Expect(err).NotTo(HaveOccurred())
	w := Workload{Object: m.Objects[0], Pod: effective.Of(k, m.Objects[0].Pod), Kubelet: k}
	for _, name := range presets {
		p, err := preset.Parse(name, effective.Longest)
		g.Expect(err).NotTo(HaveOccurred())
		w.Presets = append(w.Presets, p)
	}
	for _, f := range Of(w) {
		if strings.HasPrefix(f.Rule, "shutdown-") || strings.HasPrefix(f.Rule, "limit-") {
			all = append(all, string(f.Level)+" "+f.Rule+" : "+f.Description+"; "+f.Fix)
		}
		if f.Rule == "limit-cuts-grace" {
			g.Expect(f.DocumentedAt).To(Equal(w.Presets[0].DocumentedAt), "the limit's own page")
		}
	}
	return all
}

func TestLimitsOfNodes(t *testing.T) {
	hook := func(seconds string) string { return "lifecycle: {preStop: {sleep: {seconds: " + seconds + "}}}" }
	grace := func(seconds, text string) string {
		return strings.Replace(text, "PeriodSeconds: 30", "PeriodSeconds: "+seconds, 1)
	}
	shutdown, aws := newest, []string{"aws-spot"}
	shutdown.ShutdownGroups = formula.PriorityGroupsOf(30*time.Second, 10*time.Second)
	byPriority := newest
	byPriority.ShutdownGroups = []formula.PriorityGroup{{Priority: 0, Seconds: 5}, {Priority: 1000, Seconds: 60}}
	for name, c := range map[string]struct {
		text    string
		kubelet formula.Kubelet
		presets []string
		want    []string
	}{
		"no limit is known": {grace("3600", podOf("", "")), newest, nil, nil},
		"a shutdown": {podOf("", ""), shutdown, nil, []string{
			"warning shutdown-cuts-grace : a graceful shutdown of the node gives the pod 20 s, not 30 s; give " +
				"the pod's priorities 30 s or more in the kubelet's configuration, or make hook and process end " +
				"within 20 s",
		}},
		"a shutdown of a critical pod, with its hook": {
			podOf("priorityClassName: system-cluster-critical", hook("15")), shutdown, nil, []string{
				"warning shutdown-cuts-grace : a graceful shutdown of the node gives the pod 10 s, not 30 s, and the " +
					"preStop hook of container app takes 15 s; give the pod's priorities 30 s or more in the " +
					"kubelet's configuration, or make hook and process end within 10 s",
			},
		},
		"a shutdown that leaves enough":  {grace("20", podOf("", "")), shutdown, nil, nil},
		"a group by the pod's priority":  {podOf("priority: 1000", ""), byPriority, nil, nil},
		"a limit that leaves enough":     {podOf("", ""), newest, []string{"aws-spot"}, nil},
		"an autoscaler that just waits":  {grace("600", podOf("", "")), newest, []string{"cluster-autoscaler"}, nil},
		"a limit with groups of its own": {podOf("", ""), newest, []string{"gke-spot"}, nil},
		"a drain that waits long enough": {podOf("", ""), newest, []string{"kubectl-drain=1m"}, nil},
		"a notice without a margin": {podOf("", ""), newest, []string{"azure-spot"}, []string{
			"warning limit-cuts-grace : the pod may take its grace period of 30 s, but Azure evicts the node 30 s " +
				"after the Preempt event [azure-spot]: SIGKILL comes then at the latest; make hook and process end " +
				"within 30 s; what reacts to the notice needs a part of it",
		}},
		"a hook that outlasts the node": {grace("300", podOf("", hook("150"))), newest, aws, []string{
			"warning limit-cuts-grace : the pod may take its grace period of 300 s, but EC2 stops the node 120 s " +
				"after the interruption notice [aws-spot]: SIGKILL comes then at the latest, and the preStop hook of " +
				"container app takes 150 s; make hook and process end within 120 s; what reacts to the notice needs " +
				"a part of it",
		}},
		"a drain that gives up": {grace("120", podOf("", "")), newest, []string{"kubectl-drain=60s"}, []string{
			"warning limit-cuts-grace : the pod may take its grace period of 120 s, but kubectl gives up 60 s " +
				"after the beginning of the drain [kubectl-drain]; make hook and process end within 60 s, or raise " +
				"the limit above 120 s: kubectl drain's --timeout",
		}},
		"a drain that gives up before the object is gone": {podOf("", ""), newest, []string{"kubectl-drain=30s"},
			[]string{"warning limit-cuts-grace : the pod may take its grace period of 30 s, but kubectl gives up " +
				"30 s after the beginning of the drain [kubectl-drain]; make hook and process end within 30 s, or " +
				"raise the limit above 30 s: kubectl drain's --timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(ofNodes(t, c.text, c.kubelet, c.presets...)).To(Equal(c.want))
		})
	}
}
