package findings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/podspec"
)

const (
	progressPage = website + "workloads/controllers/deployment/#progress-deadline-seconds"
	rollbackPage = website + "workloads/controllers/statefulset/#forced-rollback"
	budgetPage   = "https://kubernetes.io/docs/tasks/run-application/configure-pdb/"
	evictionPage = website + "scheduling-eviction/api-eviction/"
)

var rolloutRules = []Rule{
	{
		ID: "start-exceeds-progress-deadline", Level: Warning, DocumentedAt: progressPage,
		Description: "A pod that may take longer to be ready than progressDeadlineSeconds makes its Deployment count as " +
			"failed, although the pod may still start.",
		Fix: "raise progressDeadlineSeconds",
		Example: object("Deployment", "replicas: 3\nprogressDeadlineSeconds: 60",
			"startupProbe: {httpGet: {port: 80}, failureThreshold: 30}"),
		pod: startExceedsDeadline,
	},
	{
		ID: "rollout-stuck", Level: Error, DocumentedAt: rollbackPage,
		Description: "A StatefulSet that replaces its pods in order waits for ever for a pod that is never ready, even when " +
			"its template is corrected.",
		Fix:     "correct the probe; if a pod was already made, delete it after that",
		Example: object("StatefulSet", "replicas: 3", "readinessProbe: {httpGet: {port: http}}"),
		pod: func(t target) []found {
			// pkg/controller/statefulset/stateful_set_control.go processReplica, before pods are replaced
			c, probe := t.Controller, t.Pod.NeverReady()
			if c == nil || !c.Ordered || c.Parallel || c.Strategy != manifest.RollingUpdate || probe == nil {
				return nil
			}
			all := report("podManagementPolicy", "a new pod is never ready, because the %s of container %s never "+
				"succeeds: the rollout stops at it, and goes on only if it is deleted, even after a correction",
				probe.Probe, probe.Container)
			all[0].of = ofController
			return all
		},
	},
	{
		ID: "budget-blocks-eviction", Level: Warning, DocumentedAt: budgetPage,
		Description: "A PodDisruptionBudget that never allows an eviction blocks every drain of a node with its pods.",
		Fix:         "set maxUnavailable to 1 or more",
		Example:     object("Deployment", "replicas: 2", "") + "---\n" + budget("minAvailable: 2"),
		pod: func(t target) (all []found) {
			if t.Kind == daemonSet {
				return nil
			}
			for _, b := range t.Budgets {
				if b.Blocks == "" {
					continue
				}
				f := found{
					of: ofTemplate, field: "metadata.labels", fix: "in " + named(b) + ": " + b.Fix,
					says: fmt.Sprintf("%s never allows an eviction of the pods: %s", named(b), b.Blocks),
				}
				if b.Assumed {
					f.level = Note
				}
				all = append(all, f)
			}
			return all
		},
	},
	{
		ID: "two-budgets", Level: Error, DocumentedAt: evictionPage,
		Description: "A pod that several PodDisruptionBudgets select cannot be evicted: the API server answers with an error.",
		Fix:         "let one PodDisruptionBudget select the pods",
		Example: object("Deployment", "", "") + "---\n" + budget("maxUnavailable: 1") + "---\n" +
			budget("minAvailable: 50%"),
		pod: func(t target) []found {
			// pkg/registry/core/pod/storage/eviction.go Create
			if len(t.Budgets) < 2 || t.Kind == daemonSet {
				return nil
			}
			var names []string
			for _, b := range t.Budgets {
				names = append(names, named(b))
			}
			slices.Sort(names)
			return []found{{
				of: ofTemplate, field: "metadata.labels",
				says: strings.Join(names, " and ") +
					" select the pods: the API server refuses to evict them, with error 500",
			}}
		},
	},
}

const daemonSet = "DaemonSet"

func named(b replicas.Budget) string { return "PodDisruptionBudget " + b.Name }

// startExceedsDeadline reports a Deployment whose new pods may take longer to be ready than its progress deadline. New,
// ready and available pods are progress, so that minReadySeconds, which must be shorter, begins a deadline of its own
// (pkg/controller/deployment/util/deployment_util.go DeploymentProgressing, DeploymentTimedOut).
func startExceedsDeadline(t target) (worst []found) {
	if t.Controller == nil || t.Controller.ProgressDeadlineSeconds == nil {
		return nil
	}
	deadline := effective.Seconds(*t.Controller.ProgressDeadlineSeconds)
	longest := deadline
	add := func(level Level, takes time.Duration, says string, args ...any) {
		if takes > longest {
			longest = takes
			says += ", but the Deployment counts as failed %s after its last progress"
			worst = report("progressDeadlineSeconds", says, append(args, deadline)...)
			worst[0].level, worst[0].of = level, ofController
		}
	}
	// Sidecars start one after another, before the main containers.
	all, mains := t.containers(), len(t.Pod.Spec.Containers)
	var sidecars []string
	var before, longestBefore time.Duration
	for _, c := range slices.Concat(all[mains:], all[:mains]) {
		if c.container.StartupProbe != nil {
			earliest, latest := c.killedBy(podspec.Startup)
			earliest, latest = before+earliest, longestBefore+latest
			names := append(slices.Clone(sidecars), c.container.Name)
			says := "probe of container %s allows it %s to start"
			if len(names) > 1 {
				says = "probes of containers %s allow them %s to start, one after another"
			}
			if earliest > deadline {
				add("", latest, "the startup "+says, strings.Join(names, ", "), latest)
			}
			if podspec.IsSidecar(t.Pod.Pod, c.container.Name) {
				sidecars, before, longestBefore = names, earliest, latest
			}
		}
		delay := c.delay(podspec.Readiness)
		add(Error, delay, "container %s is not ready before its readiness probe's delay of %s", c.container.Name, delay)
	}
	return fixed(worst, "set progressDeadlineSeconds to %d or more, and add the time to schedule and start a pod",
		int64(math.Ceil(longest.Seconds())))
}

// object returns a controller with further fields of its spec and of its container.
func object(kind, spec, container string) string {
	return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: web}\nspec:\n" + indent(spec, 2) +
		"  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n" +
		indent(example("", container), 6)
}

// budget returns a PodDisruptionBudget of its pods with this limit.
func budget(limit string) string {
	name, _, _ := strings.Cut(limit, ":")
	return "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + strings.ToLower(name) + "}\n" +
		"spec:\n  selector: {matchLabels: {app: web}}\n  " + limit + "\n"
}

func indent(text string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", by) + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
