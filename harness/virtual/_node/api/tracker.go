package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/testing"

	"github.com/podclock/podclock/harness/virtual/_node/patch"
)

// tracker keeps all other objects, with an API server's metadata and complete watches.
type tracker struct {
	history *history

	// held from reading an object to writing it
	writing sync.Mutex
}

func (t *tracker) serve(action testing.Action) (runtime.Object, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	r, namespace := action.GetResource(), action.GetNamespace()
	switch a := action.(type) {
	case testing.GetActionImpl:
		return t.get(r, namespace, a.GetName())
	case testing.ListActionImpl:
		return t.list(r, a.GetKind(), namespace, listOptions(a))
	case testing.CreateActionImpl:
		if a.GetSubresource() == "" {
			return t.create(r, namespace, a.GetObject())
		}
	case testing.UpdateActionImpl:
		return t.update(r, namespace, a.GetObject())
	case testing.PatchActionImpl:
		return t.patch(r, namespace, a)
	case testing.DeleteActionImpl:
		return nil, t.remove(r, namespace, a.GetName())
	}
	return nil, apierrors.NewMethodNotSupported(r.GroupResource(), action.GetVerb()+" "+action.GetSubresource())
}

func (t *tracker) get(r gvr, namespace, name string) (runtime.Object, error) {
	o := t.history.object(r, types.NamespacedName{Namespace: namespace, Name: name})
	if o == nil {
		return nil, apierrors.NewNotFound(r.GroupResource(), name)
	}
	return o, nil
}

func (t *tracker) create(r gvr, namespace string, o runtime.Object) (runtime.Object, error) {
	stored, m, err := onTheWire(o, namespace)
	if err != nil {
		return nil, err
	}
	m.SetUID(uidOf(r, namespace, m.GetName()))
	m.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	m.SetGeneration(1)
	if _, err := t.get(r, namespace, m.GetName()); err == nil {
		return nil, apierrors.NewAlreadyExists(r.GroupResource(), m.GetName())
	}
	t.history.write(r, named(m), stored)
	return stored.DeepCopyObject(), nil
}

func (t *tracker) update(r gvr, namespace string, o runtime.Object) (runtime.Object, error) {
	stored, m, err := onTheWire(o, namespace)
	if err != nil {
		return nil, err
	}
	existing, err := t.get(r, namespace, m.GetName())
	if err != nil {
		return nil, err
	}
	was, err := meta.Accessor(existing)
	if err != nil {
		return nil, err
	}
	if v := m.GetResourceVersion(); v != "" && v != was.GetResourceVersion() {
		return nil, apierrors.NewConflict(r.GroupResource(), m.GetName(),
			fmt.Errorf("it is at version %s, not %s", was.GetResourceVersion(), v))
	}
	m.SetUID(was.GetUID())
	m.SetCreationTimestamp(was.GetCreationTimestamp())
	m.SetGeneration(was.GetGeneration())
	t.history.write(r, named(m), stored)
	return stored.DeepCopyObject(), nil
}

func (t *tracker) patch(r gvr, namespace string, a testing.PatchActionImpl) (runtime.Object, error) {
	o, err := t.get(r, namespace, a.GetName())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err == nil {
		text, err = patched(a.GetPatchType(), text, a.GetPatch(), o)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	o = reflect.New(reflect.TypeOf(o).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(text, o); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return t.update(r, namespace, o)
}

func patched(kind types.PatchType, before, change []byte, of runtime.Object) ([]byte, error) {
	switch kind {
	case types.StrategicMergePatchType:
		return strategicpatch.StrategicMergePatch(before, change, of)
	case types.MergePatchType:
		return patch.Merge(before, change)
	}
	return nil, fmt.Errorf("patches of type %s are not served", kind)
}

func (t *tracker) remove(r gvr, namespace, name string) error {
	if _, err := t.get(r, namespace, name); err != nil {
		return err
	}
	t.history.write(r, types.NamespacedName{Namespace: namespace, Name: name}, nil)
	return nil
}

func (t *tracker) list(
	resource gvr, kind schema.GroupVersionKind, namespace string, options metav1.ListOptions,
) (runtime.Object, error) {
	s, err := newSelection(resource, namespace, options)
	if err != nil {
		return nil, err
	}
	list, err := scheme.Scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err != nil {
		return nil, err
	}
	objects, version := t.history.list(s)
	if err := meta.SetList(list, objects); err != nil {
		return nil, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	m.SetResourceVersion(version)
	return list, nil
}

func (t *tracker) watch(
	resource gvr, namespace string, options metav1.ListOptions,
) (watch.Interface, error) {
	s, err := newSelection(resource, namespace, options)
	if err != nil {
		return nil, err
	}
	return t.history.watch(s, options.ResourceVersion)
}

func named(m metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}
}

// onTheWire returns a copy in a namespace, with times of only seconds or microseconds.
func onTheWire(obj runtime.Object, namespace string) (runtime.Object, metav1.Object, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, nil, err
	}
	out := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(data, out); err != nil {
		return nil, nil, err
	}
	m, err := meta.Accessor(out)
	if err == nil && m.GetNamespace() == "" {
		m.SetNamespace(namespace)
	}
	return out, m, err
}
