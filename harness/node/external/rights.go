package external

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/trial"
)

// Right is one thing that podclock does in a cluster.
type Right struct {
	Verb, Group, Resource string
	// Subresource may be empty.
	Subresource string
	// For says what it is for.
	For string
	// Without says what a run without it is like. If it is empty, there is none.
	Without string
	// allowed is the harm that it is for. It is empty if a run needs the right without a harm as well.
	allowed Harm
	// costs reports whether a trial is impossible without it. It is nil if none is.
	costs func(trial.Trial) bool
}

// String returns the right as `kubectl auth can-i` takes it.
func (r Right) String() string {
	resource := r.Resource
	if r.Group != "" {
		resource += "." + r.Group
	}
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return r.Verb + " " + resource
}

// Rights returns all that podclock does in a cluster that it did not make, if the owner allows these kinds of harm.
func Rights(allow ...Harm) []Right {
	return slices.DeleteFunc(slices.Clone(allRights), func(r Right) bool {
		return r.allowed != "" && !slices.Contains(allow, r.allowed)
	})
}

var allRights = slices.Concat(
	rights("", "nodes", "to find and watch them", "get", "list", "watch"),
	rights("", "namespaces", "a run's own namespace", "get", "list", "create", "delete"),
	rights("", "serviceaccounts", "to see that the namespace accepts pods", "get"),
	rights("", "pods", "victims and recorders", "get", "list", "watch", "create", "delete"),
	rights("", "events", "what the kubelet says", "list", "watch"),
	rights("batch", "jobs", "the owner of a node's pods, which ends them if podclock dies, and those of trials",
		"create"),
	[]Right{
		{Verb: "get", Resource: "pods", Subresource: "proxy", For: "to read the recorders"},
		{
			Verb: "get", Resource: "nodes", Subresource: "proxy", For: "the kubelets' configuration and counters",
			Without: "each kubelet counts as configured like its release",
		},
		{
			Verb: "patch", Resource: "pods", For: "a changed image", costs: faults(trial.SetImage),
			Without: "trials that change an image are unsupported",
		},
		{
			Verb: "patch", Resource: "pods", Subresource: "resize", For: "a container's other resources",
			costs: faults(trial.ResizePod), Without: "trials that resize a pod are unsupported",
		},
		{
			Verb: "create", Resource: "pods", Subresource: "eviction", For: "evictions", costs: faults(trial.EvictPod),
			Without: "trials that evict through the API are unsupported",
		},
		{
			Verb: "create", Resource: "pods", Subresource: "binding", For: "pods that wait for a node",
			costs: faults(trial.BindPod), Without: "trials of pods that wait for a node are unsupported",
		},
		{
			Verb: "patch", Resource: "pods", Subresource: "status", For: "conditions of readiness gates",
			costs: faults(trial.SetCondition), Without: "trials of readiness gates are unsupported",
		},
		{
			Verb: "create", Resource: "configmaps", For: "a ConfigMap that comes late",
			costs: faults(trial.CreateConfigMap), Without: "trials of a missing ConfigMap are unsupported",
		},
		{
			Verb: "create", Resource: "secrets", For: "the credentials of --pull-secret, and a Secret that comes late",
			costs:   faults(trial.CreateSecret),
			Without: "--pull-secret is refused, and trials of a missing Secret are unsupported",
		},
		budgets("create"), budgets("get"),
		{
			Verb: "update", Resource: "nodes", For: "taints", allowed: Taints, costs: faults(trial.TaintNode),
			Without: "trials that taint a node are unsupported",
		},
		{
			Verb: "create", Group: "scheduling.k8s.io", Resource: "priorityclasses", For: "the lowest priority",
			Without: "podclock's pods have the cluster's default priority",
		},
		cleaning("get"), cleaning("delete"),
	},
)

func cleaning(verb string) Right {
	return Right{
		Verb: verb, Group: "scheduling.k8s.io", Resource: "priorityclasses", For: "podclock clean",
		Without: "podclock clean leaves the priority class",
	}
}

func budgets(verb string) Right {
	return Right{
		Verb: verb, Group: "policy", Resource: "poddisruptionbudgets", For: "disruption budgets",
		costs:   func(t trial.Trial) bool { return t.Budgets > 0 },
		Without: "trials of disruption budgets are unsupported",
	}
}

func rights(group, resource, what string, verbs ...string) (all []Right) {
	for _, verb := range verbs {
		all = append(all, Right{Verb: verb, Group: group, Resource: resource, For: what})
	}
	return all
}

// ClusterRole returns a role with exactly these rights.
func ClusterRole(all []Right) *rbacv1.ClusterRole {
	role := &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: "podclock"},
	}
	for _, r := range all {
		resource := strings.TrimSuffix(r.Resource+"/"+r.Subresource, "/")
		i := slices.IndexFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return rule.APIGroups[0] == r.Group && rule.Resources[0] == resource
		})
		if i < 0 {
			i = len(role.Rules)
			role.Rules = append(role.Rules, rbacv1.PolicyRule{
				APIGroups: []string{r.Group}, Resources: []string{resource},
			})
		}
		role.Rules[i].Verbs = append(role.Rules[i].Verbs, r.Verb)
	}
	return role
}
