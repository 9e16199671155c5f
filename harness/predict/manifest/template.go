package manifest

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// templates are those of well-known custom resources.
var templates = []Template{
	{Group: "argoproj.io", Kind: "Rollout", Path: "spec.template", known: true},
	{Group: "apps.kruise.io", Kind: "CloneSet", Path: "spec.template", known: true},
	{Group: "apps.kruise.io", Kind: "StatefulSet", Path: "spec.template", known: true},
	{Group: "apps.kruise.io", Kind: "DaemonSet", Path: "spec.template", known: true},
	{Group: Knative, Kind: "Service", Path: "spec.template", known: true},
	{Group: Knative, Kind: "Configuration", Path: "spec.template", known: true},
}

// ParseTemplate reads GROUP/KIND=PATH, such as "example.com/Widget=.spec.worker.template".
func ParseTemplate(s string) (Template, error) {
	kind, path, _ := strings.Cut(s, "=")
	group, name, _ := strings.Cut(kind, "/")
	path = strings.TrimPrefix(path, ".")
	if name == "" || path == "" || !custom(schema.GroupVersionKind{Group: group, Kind: name}) {
		return Template{}, fmt.Errorf("%q: name a custom resource and its pod template's path, such as "+
			"example.com/Widget=.spec.worker.template", s)
	}
	return Template{Group: group, Kind: name, Path: path}, nil
}

type template struct {
	at       place
	workload workload
}

// templated returns the pod templates of a custom resource that can be read, and whether it has any or should have.
func (r *reading) templated(at place, kind schema.GroupVersionKind, fields map[string]any) (all []template, is bool) {
	var paths []string
	found, known := false, false
	for _, t := range slices.Concat(r.templates, templates) {
		if t.Group != kind.Group || t.Kind != kind.Kind || slices.Contains(paths, t.Path) {
			continue
		}
		paths, known = append(paths, t.Path), known || t.known
		for path, value := range valuesAt(fields, steps(t.Path), "") {
			found = true
			at.template = path
			if t.Group == Knative && t.known {
				value = revision(value)
			}
			like := map[string]any{"metadata": fields["metadata"], "template": value}
			if w, valid := r.template(at, like); valid {
				w.unknown = !t.known
				all = append(all, template{at, w})
			}
		}
	}
	if len(paths) > 0 && !found && !known {
		at.template = ""
		r.wrong(at, paths[0], "there is no pod template here: correct the template path of "+kind.Group+"/"+kind.Kind)
		return nil, true
	}
	return all, found
}

// template decodes one template as that of a PodTemplate.
func (r *reading) template(at place, fields map[string]any) (w workload, valid bool) {
	like := corev1.SchemeGroupVersion.WithKind("PodTemplate")
	fields["apiVersion"], fields["kind"] = like.Version, like.Kind
	text, err := json.Marshal(fields)
	if err != nil {
		r.wrong(at, "template", err.Error())
		return w, false
	}
	var t corev1.PodTemplate
	if _, err := r.decode(text, nil, &t); err != nil {
		r.undecoded(at, err, text, like, &t)
		return w, false
	}
	return workload{meta: &t.ObjectMeta, template: &t.Template, path: field.NewPath("template")}, true
}

// custom reports whether a kind is that of a custom resource. Its group has a dot (apiextensions
// ValidateCustomResourceDefinition). A workload's kind in a group of k8s.io is taken for a misspelled group.
func custom(kind schema.GroupVersionKind) bool {
	workloads := []string{"Pod", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicaSet"}
	return strings.Contains(kind.Group, ".") && !kinds.IsGroupRegistered(kind.Group) &&
		(!slices.Contains(workloads, kind.Kind) || !strings.HasSuffix(kind.Group, ".k8s.io"))
}

// valuesAt yields the values at a path of steps, each with its own path, in the order of lists.
func valuesAt(value any, path []string, at string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if len(path) == 0 {
			if value != nil {
				yield(at, value)
			}
			return
		}
		next := func(value any, at string) bool {
			for path, v := range valuesAt(value, path[1:], at) {
				if !yield(path, v) {
					return false
				}
			}
			return true
		}
		switch v := value.(type) {
		case map[string]any:
			next(v[path[0]], strings.TrimPrefix(at+"."+path[0], "."))
		case []any:
			for i := range v {
				if (path[0] == "*" || path[0] == strconv.Itoa(i)) && !next(v[i], fmt.Sprintf("%s[%d]", at, i)) {
					return
				}
			}
		}
	}
}
