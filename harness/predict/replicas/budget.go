package replicas

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/harness/predict/manifest"
)

// Budget is a PodDisruptionBudget that selects the pods of a workload.
type Budget struct {
	manifest.Budget
	// Pods are those of all workloads of the manifest that it selects, nil if their number is not known.
	Pods *Range
	// Shared is set if it selects pods of several workloads.
	Shared bool
	// Allows is how many evictions it allows while all pods are ready, nil if that is not known.
	Allows *Range
	// Blocks says why it never allows one, or is empty. Fix is what to do then.
	Blocks, Fix string
	// Assumed is set if it blocks because the number of pods is the API's default, which an autoscaler may change.
	Assumed bool
}

// Budgets returns the budgets that select each object's pods. Of several with one name, the last counts.
func Budgets(m manifest.Manifest) [][]Budget {
	all := make([][]Budget, len(m.Objects))
	for i, b := range m.Budgets {
		same := func(other manifest.Budget) bool { return other.Namespace == b.Namespace && other.Name == b.Name }
		if slices.ContainsFunc(m.Budgets[i+1:], same) {
			continue
		}
		var selected []int
		for j := range m.Objects {
			if b.Selects(m.Objects[j].Namespace, m.Objects[j].Pod.Labels) {
				selected = append(selected, j)
			}
		}
		if len(selected) == 0 {
			continue
		}
		budget := of(b, m, selected)
		for _, j := range selected {
			all[j] = append(all[j], budget)
		}
	}
	return all
}

// of counts the pods that a budget selects and allows to evict while all are ready
// (pkg/controller/disruption/disruption.go getExpectedPodCount, getExpectedScale, updatePdbStatus).
func of(b manifest.Budget, m manifest.Manifest, selected []int) Budget {
	budget := Budget{Budget: b, Pods: &Range{}}
	known, bare, assumed := map[string]bool{}, true, false
	for _, i := range selected {
		o := m.Objects[i]
		name := o.Kind + " " + o.Name
		if known[name] {
			continue
		}
		known[name] = true
		n := Of(o, m.Autoscalers)
		alone := o.Kind == "Pod" && metav1.GetControllerOf(o.Pod) == nil
		if bare = bare && alone; alone {
			n = &Range{1, 1}
		}
		if budget.ofShare() && slices.Contains(withoutScale, o.Kind) {
			budget.Blocks = fmt.Sprintf("%s is a share of replicas, and %s has none: it allows no eviction while pods "+
				"of %s exist", budget.limit(), name, name)
			budget.Fix = "let its selector leave out the pods of " + name + ", or set minAvailable to a number of pods"
		}
		if n == nil {
			budget.Pods = nil
		} else if budget.Pods != nil {
			*budget.Pods = Range{budget.Pods.Least + n.Least, budget.Pods.Most + n.Most}
			assumed = assumed || o.Controller != nil && !o.Controller.Given && n.Least == n.Most
		}
	}
	budget.Shared = len(known) > 1
	switch {
	case budget.Blocks != "":
	case bare && budget.ofShare():
		budget.Blocks = budget.limit() + " is a share of a controller's replicas, and no controller makes the pod"
		budget.Fix = "set minAvailable to a number of pods"
	default:
		budget.allow(assumed)
	}
	return budget
}

// withoutScale are the kinds whose pods have a controller without the subresource scale (getScaleController).
var withoutScale = []string{"DaemonSet", "Job", "CronJob"}

// ofShare reports whether the limit depends on the replicas of the pods' controllers.
func (b *Budget) ofShare() bool {
	return b.MaxUnavailable != nil || b.MinAvailable != nil && b.MinAvailable.Type == intstr.String
}

func (b *Budget) limit() string {
	if b.MaxUnavailable != nil {
		return "maxUnavailable " + b.MaxUnavailable.String()
	}
	return "minAvailable " + b.MinAvailable.String()
}

// allow counts the evictions. Percentages are rounded up, so that a budget allows more of more pods.
func (b *Budget) allow(assumed bool) {
	const oneUnavailable = "set maxUnavailable to 1 or more"
	switch {
	case b.Pods != nil && b.Pods.Most == 0:
		return
	case b.MaxUnavailable == nil && b.MinAvailable == nil:
		b.Blocks, b.Fix = "it has neither minAvailable nor maxUnavailable", oneUnavailable
		return
	case b.MaxUnavailable != nil && manifest.Scaled(*b.MaxUnavailable, 100, true) == 0:
		b.Blocks, b.Fix = b.limit(), oneUnavailable
		return
	case b.MinAvailable != nil && b.MinAvailable.String() == "100%":
		b.Blocks, b.Fix = b.limit(), oneUnavailable+" instead of minAvailable"
		return
	case b.Pods == nil:
		return
	}
	allowed := func(pods int) int {
		if b.MaxUnavailable != nil {
			return min(pods, manifest.Scaled(*b.MaxUnavailable, pods, true))
		}
		return max(0, pods-manifest.Scaled(*b.MinAvailable, pods, true))
	}
	b.Allows = &Range{allowed(b.Pods.Least), allowed(b.Pods.Most)}
	most := b.Pods.Most
	switch {
	case b.Allows.Most > 0:
		return
	case b.MinAvailable.Type == intstr.String:
		b.Blocks = fmt.Sprintf("%s of %s, rounded up, is %d", b.limit(), pods(most), most)
	case most == 1:
		b.Blocks = b.limit() + ", and there is only 1 pod"
	default:
		b.Blocks = fmt.Sprintf("%s, and there are only %d pods", b.limit(), most)
	}
	if b.Fix = oneUnavailable + " instead of minAvailable"; most == 1 {
		b.Fix = "run 2 replicas, or " + b.Fix
	}
	if b.Assumed = assumed; assumed {
		b.Blocks += " by default"
	}
}

func pods(n int) string {
	if n == 1 {
		return "1 pod"
	}
	return fmt.Sprintf("%d pods", n)
}
