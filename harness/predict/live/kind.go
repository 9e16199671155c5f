package live

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/predict/manifest/source"
)

// Name is an object as kubectl names it.
type Name struct {
	// typed is the TYPE of what may be a custom resource, whose kind is empty until its API server is asked.
	typed string
	kind  kind
	name  string
}

// kind is a kind of objects that make pods.
type kind struct {
	apiVersion, kind, resource, short string
	object                            runtime.Object // nil for a custom resource
}

func (k kind) group() string {
	group, _, grouped := strings.Cut(k.apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// right names the resource as in a Role, such as "deployments.apps".
func (k kind) right() string { return strings.TrimSuffix(k.resource+"."+k.group(), ".") }

var kinds = []kind{
	{"v1", "Pod", "pods", "po", &corev1.Pod{}},
	{"apps/v1", "Deployment", "deployments", "deploy", &appsv1.Deployment{}},
	{"apps/v1", "StatefulSet", "statefulsets", "sts", &appsv1.StatefulSet{}},
	{"apps/v1", "DaemonSet", "daemonsets", "ds", &appsv1.DaemonSet{}},
	{"apps/v1", "ReplicaSet", "replicasets", "rs", &appsv1.ReplicaSet{}},
	{"v1", "ReplicationController", "replicationcontrollers", "rc", &corev1.ReplicationController{}},
	{"batch/v1", "Job", "jobs", "", &batchv1.Job{}},
	{"batch/v1", "CronJob", "cronjobs", "cj", &batchv1.CronJob{}},
}

// Parse reads TYPE/NAME. TYPE is a kind that makes pods, in the singular, the plural or kubectl's short form, perhaps
// with its group, as in "deployments.apps". Any other TYPE may be a custom resource, which only its API server knows.
// Parse reports whether the text has that form, which a manifest's path may have, too. A pattern or the path of a
// manifest, such as "deploy/web.yaml", has not.
func Parse(text string) (Name, bool) {
	of, name, found := strings.Cut(text, "/")
	of = strings.ToLower(of)
	invalid := len(validation.IsDNS1123Subdomain(of))+len(validation.IsDNS1123Subdomain(name)) > 0
	if !found || invalid || source.IsManifest(name) {
		return Name{}, false
	}
	i := slices.IndexFunc(kinds, func(k kind) bool {
		resource, group, grouped := strings.Cut(of, ".")
		return (!grouped || group != "" && (group == k.group() || strings.HasSuffix(group, "."+k.group()))) &&
			slices.Contains([]string{strings.ToLower(k.kind), k.resource, k.short}, resource) && resource != ""
	})
	if i < 0 {
		return Name{typed: of, name: name}, true
	}
	return Name{kind: kinds[i], name: name}, true
}

// Custom reports whether only its API server knows the object's kind.
func (n Name) Custom() bool { return n.typed != "" }

// Kinds lists the forms of TYPE that most people write.
func Kinds() string {
	var all []string
	for _, k := range kinds {
		all = append(all, strings.ToLower(k.kind))
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// String returns the name as kubectl prints it, but without the group of a kind that makes pods.
func (n Name) String() string {
	switch {
	case n.kind.kind == "":
		return n.typed + "/" + n.name
	case n.Custom():
		return strings.TrimSuffix(strings.ToLower(n.kind.kind)+"."+n.kind.group(), ".") + "/" + n.name
	}
	return strings.ToLower(n.kind.kind) + "/" + n.name
}

// made describes the pods that an object makes.
type made struct {
	selector labels.Selector
	// is reports whether the object, or one that it made, made the pod.
	is func(owner metav1.OwnerReference) bool
}

// legacyJobName is the label of a Job's pods in all releases (k8s.io/api/batch/v1 legacyJobNameLabel).
const legacyJobName = "job-name"

// podsOf returns how to find the pods of an object that is no Pod. jobs are a CronJob's Jobs.
func podsOf(object runtime.Object, jobs []batchv1.Job) (m made, err error) {
	own := func(of metav1.Object) func(metav1.OwnerReference) bool {
		return func(owner metav1.OwnerReference) bool { return owner.UID == of.GetUID() }
	}
	var selector *metav1.LabelSelector
	switch o := object.(type) {
	case *unstructured.Unstructured:
		return made{selector: selectorOf(o)}, nil // the owners of its pods are not known
	case *appsv1.Deployment: // its ReplicaSets have its name, and more
		selector, m.is = o.Spec.Selector, func(owner metav1.OwnerReference) bool {
			return owner.Kind == "ReplicaSet" && strings.HasPrefix(owner.Name, o.Name+"-")
		}
	case *appsv1.StatefulSet:
		selector, m.is = o.Spec.Selector, own(o)
	case *appsv1.DaemonSet:
		selector, m.is = o.Spec.Selector, own(o)
	case *appsv1.ReplicaSet:
		selector, m.is = o.Spec.Selector, own(o)
	case *corev1.ReplicationController:
		return made{labels.SelectorFromSet(o.Spec.Selector), own(o)}, nil
	case *batchv1.Job:
		selector, m.is = o.Spec.Selector, own(o)
	case *batchv1.CronJob:
		selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: legacyJobName, Operator: metav1.LabelSelectorOpExists},
		}}
		m.is = func(owner metav1.OwnerReference) bool {
			return slices.ContainsFunc(jobs, func(j batchv1.Job) bool { return j.UID == owner.UID })
		}
	}
	if m.selector, err = metav1.LabelSelectorAsSelector(selector); err != nil {
		return m, fmt.Errorf("read the selector: %w", err)
	}
	return m, nil
}

// selectorOf returns the label selector of a custom resource that has one where Kubernetes' workloads do. Otherwise it
// selects every pod.
func selectorOf(o *unstructured.Unstructured) labels.Selector {
	var spec struct {
		Selector *metav1.LabelSelector `json:"selector"`
	}
	fields, _, _ := unstructured.NestedMap(o.Object, "spec") // without a spec, it is empty
	if runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &spec) != nil || spec.Selector == nil {
		return labels.Everything()
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		return labels.Everything()
	}
	return selector
}

// Split returns the kind, such as "deployment", and the object's name.
func (n Name) Split() (kind, name string) {
	kind, name, _ = strings.Cut(n.String(), "/")
	return kind, name
}
