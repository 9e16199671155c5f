package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

// decoder is the API server's own, which knows every field of every version.
var decoder = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// elsewhere are kinds of Kubernetes' own API servers that client-go does not bring.
var elsewhere = []schema.GroupKind{
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apiregistration.k8s.io", Kind: "APIService"},
}

// object reads one object: a document's, or an item's of a list.
func (r *reading) object(at place, text []byte) {
	var fields map[string]any
	if json.Unmarshal(text, &fields) != nil || fields == nil {
		r.wrong(
			at,
			"",
			"this is no object: an object has apiVersion and kind, and several are separated by --- or are the items of a List",
		)
		return
	}
	kind, ok := r.kindOf(at, fields)
	if !ok {
		return
	}
	at.object = strings.TrimSpace(kind.Kind + " " + nameIn(fields))
	if !scheme.Scheme.Recognizes(kind) {
		switch {
		case slices.Contains(elsewhere, kind.GroupKind()), r.options.SkipUnknown:
			r.skipped[kind.Kind]++
		default:
			r.wrong(at, "kind", unknownKind(kind))
		}
		return
	}
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		r.wrong(at, "kind", err.Error())
		return
	}
	if _, makesPods := workloadOf(object); !makesPods && !meta.IsListType(object) {
		r.skipped[kind.Kind]++
		return
	}
	decoded, _, err := decoder.Decode(text, &kind, nil)
	if err != nil {
		r.undecoded(at, err, text, kind, object)
		return
	}
	if meta.IsListType(decoded) {
		r.list(at, kind, decoded)
		return
	}
	r.decoded(at, kind, decoded)
}

// list reads a list's items: any objects of a List, objects of one kind of a list such as a DeploymentList,
// where they need not say their kind.
func (r *reading) list(at place, kind schema.GroupVersionKind, list runtime.Object) {
	if mixed, ok := list.(*corev1.List); ok {
		for i, item := range mixed.Items {
			r.object(place{lines: at.lines, path: at.in(fmt.Sprintf("items[%d]", i))}, item.Raw)
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
		r.decoded(place{lines: at.lines, path: at.in(fmt.Sprintf("items[%d]", i)), object: kind.Kind}, kind, item)
	}
}

// decoded fills in the defaults of an object's pod and validates it.
func (r *reading) decoded(at place, kind schema.GroupVersionKind, object runtime.Object) {
	w, makesPods := workloadOf(object)
	if !makesPods {
		r.skipped[kind.Kind]++
		return
	}
	at.object = strings.TrimSpace(kind.Kind + " " + w.name())
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
	r.objects = append(r.objects, Object{
		Document:   at.lines.document.number,
		Line:       at.lines.of(at.path),
		APIVersion: kind.GroupVersion().String(),
		Kind:       kind.Kind,
		Namespace:  w.meta.Namespace,
		Name:       w.name(),
		Pod:        pod,
		PodPath:    at.in(w.specPath().String()),
		lines:      at.lines,
	})
}

// kindOf is the version and kind that an object says.
func (r *reading) kindOf(at place, fields map[string]any) (schema.GroupVersionKind, bool) {
	said := map[string]string{}
	for _, field := range []string{"apiVersion", "kind"} {
		switch value, present := fields[field]; v := value.(type) {
		case string:
			said[field] = v
		case nil:
			r.wrong(
				at,
				field,
				map[bool]string{false: "is missing: every object says apiVersion and kind", true: "is empty: every object says apiVersion and kind"}[present],
			)
		default:
			r.wrong(at, field, fmt.Sprintf("is no string but %v: put it into quotes", v))
		}
	}
	if len(said) < 2 {
		return schema.GroupVersionKind{}, false
	}
	for _, field := range []string{"apiVersion", "kind"} {
		if said[field] == "" {
			r.wrong(at, field, "is empty: every object says apiVersion and kind")
			return schema.GroupVersionKind{}, false
		}
	}
	version, err := schema.ParseGroupVersion(said["apiVersion"])
	if err != nil {
		r.wrong(at, "apiVersion", err.Error())
		return schema.GroupVersionKind{}, false
	}
	return version.WithKind(said["kind"]), true
}

// nameIn is the name that an object's fields say, as far as they can be read.
func nameIn(fields map[string]any) string {
	metadata, _ := fields["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// unknownKind says what is wrong with a kind that Kubernetes does not have, and which it has.
func unknownKind(kind schema.GroupVersionKind) string {
	var known []string
	for k := range scheme.Scheme.AllKnownTypes() {
		if strings.EqualFold(k.Kind, kind.Kind) && k.Version != runtime.APIVersionInternal {
			known = append(known, fmt.Sprintf("%s of %s", k.Kind, k.GroupVersion()))
		}
	}
	slices.Sort(known)
	if len(known) > 0 {
		return fmt.Sprintf(
			"Kubernetes has no kind %s in %s, but %s",
			kind.Kind,
			kind.GroupVersion(),
			strings.Join(known, ", "),
		)
	}
	return fmt.Sprintf(
		"Kubernetes itself has no kind %s in %s: take it out, or skip what is unknown",
		kind.Kind,
		kind.GroupVersion(),
	)
}
