// Package preset has the limits that providers of nodes, autoscalers and tools set to the end of a pod, by name.
package preset

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// Preset is one limit with its source.
type Preset struct {
	// Name is stable: users choose a preset by it.
	Name string
	// Description is the limit in one or two sentences.
	Description string
	// Limit is the default, or 0 if there is none and the user must give one.
	Limit time.Duration
	// Setting is where an operator changes the limit, empty if nobody can.
	Setting string
	// Since is the event from which the limit counts, and Then what comes at its end.
	Since, Then string
	// Kills is set if no process outlives the limit, Notice if what reacts to the event needs a part of it.
	Kills, Notice bool
	// Groups are the kubelet's groups of a graceful shutdown on such nodes, if the provider sets them.
	Groups []formula.PriorityGroup
	// DocumentedAt is the public page that has the number, and ReadOn the day on which it was read.
	DocumentedAt, ReadOn string
}

const readOn = "2026-11-24"

var presets = []Preset{
	{
		Name: "aws-spot", Limit: 2 * time.Minute, Kills: true, Notice: true, ReadOn: readOn,
		Description: "Amazon EC2 warns a Spot Instance two minutes before it stops or terminates it, on a best-effort " +
			"basis. Pods learn of it only if something drains the node.",
		Since: "the interruption notice", Then: "EC2 stops the node",
		DocumentedAt: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html",
	},
	{
		Name: "gce-spot", Limit: 30 * time.Second, Kills: true, Notice: true, ReadOn: readOn,
		Description: "Google Compute Engine switches a Spot VM off 30 s after its preemption notice.",
		Since:       "the preemption notice", Then: "Compute Engine switches the node off",
		DocumentedAt: "https://cloud.google.com/kubernetes-engine/docs/archive/" +
			"run-web-applications-on-gke-using-cost-optimized-spot-vms-and-traffic-director",
	},
	{
		Name: "gke-spot", Limit: 30 * time.Second, Kills: true, Notice: true, ReadOn: readOn,
		Description: "Spot VMs of GKE have 30 s after the preemption notice: the kubelet gives the first 15 s to ordinary " +
			"pods, and the last 15 s to critical ones. From GKE 1.35 on, an operator can extend this to 120 s; then " +
			"use --kubelet-config instead.",
		Since: "the preemption notice", Then: "Compute Engine switches the node off",
		Groups:       formula.PriorityGroupsOf(30*time.Second, 15*time.Second),
		DocumentedAt: "https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms",
	},
	{
		Name: "azure-spot", Limit: 30 * time.Second, Kills: true, Notice: true, ReadOn: readOn,
		Description: "Azure announces the eviction of a Spot VM at least 30 s before (Scheduled Events, Preempt), on a " +
			"best-effort basis. Pods learn of it only if something drains the node.",
		Since: "the Preempt event", Then: "Azure evicts the node",
		DocumentedAt: "https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events#event-scheduling",
	},
	{
		Name: "cluster-autoscaler", Limit: 10 * time.Minute, Kills: true, ReadOn: readOn,
		Setting:     "cluster-autoscaler's --max-graceful-termination-sec",
		Description: "The cluster autoscaler gives the pods of a node that it removes ten minutes at most.",
		Since:       "the eviction", Then: "the autoscaler terminates the node",
		DocumentedAt: "https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md" +
			"#does-ca-respect-gracefultermination-in-scale-down",
	},
	{
		Name: "karpenter", Setting: "terminationGracePeriod of the NodePool", Kills: true, ReadOn: readOn,
		Description: "Karpenter terminates a node terminationGracePeriod after it begins to drain it. Without the field, " +
			"it waits for ever. It deletes pods early enough for their grace periods, unless they are longer.",
		Since: "the beginning of the drain", Then: "Karpenter terminates the node",
		DocumentedAt: "https://karpenter.sh/docs/concepts/disruption/#terminationgraceperiod",
	},
	{
		Name: "kubectl-drain", Setting: "kubectl drain's --timeout", ReadOn: readOn,
		Description: "kubectl drain gives up after --timeout. By default, it waits for ever. The pods end as they would " +
			"anyway.",
		Since: "the beginning of the drain", Then: "kubectl gives up",
		DocumentedAt: "https://kubernetes.io/docs/reference/kubectl/generated/kubectl_drain/",
	},
	{
		Name: "eks-update", Limit: 15 * time.Minute, ReadOn: readOn,
		Description: "An update of an EKS managed node group waits 15 minutes for the pods of a node. Then it fails or, if " +
			"it is forced, deletes them.",
		Since: "the beginning of the drain", Then: "the update fails or, if it is forced, deletes the pod",
		DocumentedAt: "https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",
	},
	{
		Name: "aks-upgrade", Limit: 30 * time.Minute, ReadOn: readOn,
		Setting: "drainTimeoutInMinutes of the AKS node pool",
		Description: "An upgrade of an AKS node pool waits 30 minutes for the pods of a node, budgets included. Then it " +
			"fails.",
		Since: "the beginning of the drain", Then: "the upgrade fails",
		DocumentedAt: "https://learn.microsoft.com/javascript/api/@azure/arm-containerservice/agentpoolupgradesettings",
	},
	{
		Name: "gke-autopilot-upgrade", Limit: time.Hour, Kills: true, ReadOn: readOn,
		Description: "A node upgrade of GKE Autopilot gives a pod one hour at most.",
		Since:       "SIGTERM", Then: "GKE evicts the pod",
		DocumentedAt: "https://cloud.google.com/kubernetes-engine/docs/how-to/extended-duration-pods",
	},
	{
		Name: "gke-autopilot-scale-down", Limit: 10 * time.Minute, Kills: true, ReadOn: readOn,
		Description: "A scale-down of GKE Autopilot gives a pod ten minutes at most.",
		Since:       "SIGTERM", Then: "GKE evicts the pod",
		DocumentedAt: "https://cloud.google.com/kubernetes-engine/docs/how-to/extended-duration-pods",
	},
}

// All returns all presets.
func All() []Preset { return slices.Clone(presets) }

// Names returns their names.
func Names() (all []string) {
	for _, p := range presets {
		all = append(all, p.Name)
	}
	return all
}

// Parse returns the preset of "NAME", or of "NAME=DURATION" with another limit, up to a maximum.
func Parse(s string, most time.Duration) (Preset, error) {
	name, given, limited := strings.Cut(s, "=")
	i := slices.Index(Names(), name)
	if i < 0 {
		return Preset{}, fmt.Errorf("%q: there is no such preset; there are %s (podclock presets)", name,
			strings.Join(Names(), ", "))
	}
	p := presets[i]
	switch {
	case !limited && p.Limit == 0:
		return p, fmt.Errorf("%q has no default: write it with %s, such as %s=10m", s, p.Setting, name)
	case limited && p.Setting == "":
		return p, fmt.Errorf("%q: the limit of %s is %v for everybody: write the name alone", s, name, p.Limit)
	case limited:
		d, err := time.ParseDuration(given)
		if err != nil || d <= 0 || d > most {
			return p, fmt.Errorf("%q: the limit is a time above 0s, up to ten years, such as %s=10m", s, name)
		}
		p.Limit = d
	}
	return p, nil
}

// Set sets the groups of a shutdown on such nodes, unless the kubelet's configuration has groups.
func (p Preset) Set(k *formula.Kubelet) {
	if len(k.ShutdownGroups) == 0 {
		k.ShutdownGroups = p.Groups
	}
}

// Cuts reports whether the limit may come before the end of a pod with this grace period. What only waits sees the
// pod's end when its object is gone, some time after SIGKILL.
func (p Preset) Cuts(grace time.Duration) bool {
	return grace > p.Limit || grace == p.Limit && (p.Notice || !p.Kills)
}
