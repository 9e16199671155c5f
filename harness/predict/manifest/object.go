package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// elsewhere are kinds of Kubernetes' own API servers that client-go does not have, or no longer.
var elsewhere = []schema.GroupKind{
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apiregistration.k8s.io", Kind: "APIService"},
	{Group: "extensions", Kind: "PodSecurityPolicy"},
	{Group: "policy", Kind: "PodSecurityPolicy"},
}

func (r *reading) object(at place, text []byte) {
	var fields map[string]any
	if json.Unmarshal(text, &fields) != nil || fields == nil {
		r.wrong(at, "", "not an object: an object has apiVersion and kind; "+
			"separate several objects by ---, or make them items of a List")
		return
	}
	kind, ok := r.kindOf(at, fields)
	if !ok {
		return
	}
	at.object = strings.TrimSpace(kind.Kind + " " + nameIn(fields))
	if found, is := r.templated(at, kind, fields); is {
		for _, t := range found {
			r.workload(t.at, kind, t.workload)
		}
		return
	}
	if !kinds.Recognizes(kind) {
		if r.removed(kind, text) {
			r.found.skip(Skipped{Kind: fmt.Sprintf("%s of %s", kind.Kind, kind.GroupVersion()), Count: 1})
			return
		}
		own := slices.Contains(elsewhere, kind.GroupKind())
		if own || custom(kind) {
			r.found.skip(Skipped{Kind: unambiguous(kind), Unknown: !own, Count: 1})
			return
		}
		r.wrong(at, "kind", unknownKind(kind))
		return
	}
	object, err := kinds.New(kind)
	if err != nil {
		r.wrong(at, "kind", err.Error())
		return
	}
	if !mayMakePods(kind, object) {
		r.autoscaler(kind, text)
		r.service(kind, text)
		r.skip(kind, object, fields)
		return
	}
	decoded, err := r.decode(text, &kind, nil)
	switch {
	case err != nil:
		r.undecoded(at, err, text, kind, object)
	case meta.IsListType(decoded):
		r.list(at, kind, decoded)
	default:
		r.decoded(at, kind, decoded)
	}
}

// removed reports whether a kind of Kubernetes that makes no pods has an old version here that client-go no longer has,
// such as autoscaling/v2beta2. It reads what a newer version would mean.
func (r *reading) removed(kind schema.GroupVersionKind, text []byte) bool {
	for known := range kinds.AllKnownTypes() {
		if known.GroupKind() != kind.GroupKind() || known.Version == runtime.APIVersionInternal {
			continue
		}
		if object, err := kinds.New(known); err != nil || mayMakePods(known, object) {
			return false
		}
		r.autoscaler(kind, text)
		return !strings.HasSuffix(kind.Kind, "List")
	}
	return false
}

// mayMakePods reports whether an object makes pods or limits their disruption, or is a list that can have such objects.
func mayMakePods(kind schema.GroupVersionKind, object runtime.Object) bool {
	if _, mixed := object.(*corev1.List); mixed {
		return true
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	if item, err := kinds.New(kind); meta.IsListType(object) && err == nil {
		object = item
	}
	_, makesPods := workloadOf(object)
	_, budget := object.(*policyv1.PodDisruptionBudget)
	return makesPods || budget
}

// skip counts an object that makes no pods, or the items of a list of such objects, without decoding them.
func (r *reading) skip(kind schema.GroupVersionKind, object runtime.Object, fields map[string]any) {
	n := 1
	if meta.IsListType(object) {
		items, _ := fields["items"].([]any)
		kind.Kind, n = strings.TrimSuffix(kind.Kind, "List"), len(items)
	}
	if n > 0 {
		r.found.skip(Skipped{Kind: kind.Kind, Count: n})
	}
}

// list reads the items of a List, or of a list such as a DeploymentList, whose items need no kind.
func (r *reading) list(at place, kind schema.GroupVersionKind, list runtime.Object) {
	if mixed, ok := list.(*corev1.List); ok {
		for i, item := range mixed.Items {
			r.object(at.item(i, ""), item.Raw)
		}
		return
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		r.wrong(at, "items", err.Error())
		return
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	for i, item := range items {
		r.decoded(at.item(i, kind.Kind), kind, item)
	}
}

func (r *reading) decoded(at place, kind schema.GroupVersionKind, object runtime.Object) {
	if b, is := object.(*policyv1.PodDisruptionBudget); is {
		r.budget(at, b)
		return
	}
	w, _ := workloadOf(object)
	w.controller = controllerOf(object)
	r.workload(at, kind, w)
}

func (r *reading) workload(at place, kind schema.GroupVersionKind, w workload) {
	at.object = strings.TrimSpace(kind.Kind + " " + w.name())
	var stopSignals []string
	if !r.served { // an API server with the feature gate keeps them
		stopSignals = w.stopSignals()
	}
	w.setDefaults()
	problems := w.validate(kind.Kind)
	for _, p := range problems {
		r.wrong(at, p.Field, p.ErrorBody())
	}
	if len(problems) > 0 {
		return
	}
	pod := w.made()
	forceGrace(&pod.Spec)
	r.found.Objects = append(r.found.Objects, Object{
		File: r.name, Document: at.lines.document.number, Line: at.lines.of(at.path),
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: w.meta.Namespace, Name: w.name(),
		Annotations: w.annotations(), Pod: pod, PodPath: at.in(w.specPath().String()), Job: w.job,
		StopSignals: stopSignals, Controller: w.controller, lines: at.lines,
	})
	if w.job != nil {
		w.job.Template = corev1.PodTemplateSpec{}
	}
}

func (r *reading) kindOf(at place, fields map[string]any) (schema.GroupVersionKind, bool) {
	if at.path == "" && fields["kind"] == nil &&
		(fields["apiVersion"] == nil || strings.HasSuffix(r.name, "Chart.yaml")) {
		r.other = "file without a kind"
	}
	values, valid := map[string]string{}, true
	for _, field := range []string{"apiVersion", "kind"} {
		value, present := fields[field]
		text, isString := value.(string)
		switch {
		case isString && text != "":
			values[field] = text
			continue
		case isString || value == nil && present:
			r.wrong(at, field, "is empty: every object has apiVersion and kind")
		case value == nil:
			r.wrong(at, field, "is missing: every object has apiVersion and kind")
		default:
			r.wrong(at, field, fmt.Sprintf("is %v, not a string: put it into quotes", value))
		}
		valid = false
	}
	if !valid {
		return schema.GroupVersionKind{}, false
	}
	version, err := schema.ParseGroupVersion(values["apiVersion"])
	if err != nil {
		r.wrong(at, "apiVersion", err.Error())
		return schema.GroupVersionKind{}, false
	}
	return version.WithKind(values["kind"]), true
}

func nameIn(fields map[string]any) string {
	metadata, _ := fields["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// unambiguous names a kind with its group if Kubernetes has another kind of this name.
func unambiguous(kind schema.GroupVersionKind) string {
	for k := range kinds.AllKnownTypes() {
		if k.Kind == kind.Kind {
			return kind.Kind + " of " + kind.Group
		}
	}
	return kind.Kind
}

// unknownKind describes a kind that Kubernetes does not have, and lists similar ones.
func unknownKind(kind schema.GroupVersionKind) string {
	var known []string
	for k := range kinds.AllKnownTypes() {
		if strings.EqualFold(k.Kind, kind.Kind) && k.Version != runtime.APIVersionInternal {
			known = append(known, fmt.Sprintf("%s of %s", k.Kind, k.GroupVersion()))
		}
	}
	slices.Sort(known)
	says := fmt.Sprintf("Kubernetes has no kind %s in %s", kind.Kind, kind.GroupVersion())
	if len(known) > 0 {
		says += ", but " + strings.Join(known, ", ")
	}
	return says
}
