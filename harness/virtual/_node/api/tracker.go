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
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/testing"
)

// tracker keeps all other objects: client-go's object tracker with an API server's metadata and complete watches.
type tracker struct {
	testing.ObjectTracker
	history *history

	// held from reading an object to writing it
	writing sync.Mutex
}

func newTracker(h *history) *tracker {
	return &tracker{
		ObjectTracker: testing.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder()),
		history:       h,
	}
}

func (t *tracker) Create(
	resource schema.GroupVersionResource, obj runtime.Object, namespace string, options ...metav1.CreateOptions,
) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	stored, m, err := onTheWire(obj)
	if err != nil {
		return err
	}
	if m.GetNamespace() == "" {
		m.SetNamespace(namespace)
	}
	m.SetUID(uuid.NewUUID())
	m.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	m.SetGeneration(1)
	if _, err := t.ObjectTracker.Get(resource, namespace, m.GetName()); err == nil {
		return apierrors.NewAlreadyExists(resource.GroupResource(), m.GetName())
	}
	t.history.write(resource, named(m), stored)
	return t.ObjectTracker.Create(resource, stored, namespace, options...)
}

func (t *tracker) Update(
	resource schema.GroupVersionResource, obj runtime.Object, namespace string, options ...metav1.UpdateOptions,
) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	stored, err := t.store(resource, obj, namespace)
	if err != nil {
		return err
	}
	return t.ObjectTracker.Update(resource, stored, namespace, options...)
}

// Patch gets an obj that is already patched and becomes what the client gets.
func (t *tracker) Patch(
	resource schema.GroupVersionResource, obj runtime.Object, namespace string, options ...metav1.PatchOptions,
) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	stored, err := t.store(resource, obj, namespace)
	if err != nil {
		return err
	}
	reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(stored.DeepCopyObject()).Elem())
	return t.ObjectTracker.Patch(resource, stored, namespace, options...)
}

func (t *tracker) store(
	resource schema.GroupVersionResource, obj runtime.Object, namespace string,
) (runtime.Object, error) {
	stored, m, err := onTheWire(obj)
	if err != nil {
		return nil, err
	}
	if m.GetNamespace() == "" {
		m.SetNamespace(namespace)
	}
	existing, err := t.ObjectTracker.Get(resource, namespace, m.GetName())
	if err != nil {
		return nil, err
	}
	was, err := meta.Accessor(existing)
	if err != nil {
		return nil, err
	}
	if v := m.GetResourceVersion(); v != "" && v != was.GetResourceVersion() {
		return nil, apierrors.NewConflict(resource.GroupResource(), m.GetName(),
			fmt.Errorf("it is at version %s, not %s", was.GetResourceVersion(), v))
	}
	m.SetUID(was.GetUID())
	m.SetCreationTimestamp(was.GetCreationTimestamp())
	m.SetGeneration(was.GetGeneration())
	t.history.write(resource, named(m), stored)
	return stored, nil
}

func (t *tracker) Delete(
	resource schema.GroupVersionResource, namespace, name string, options ...metav1.DeleteOptions,
) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if err := t.ObjectTracker.Delete(resource, namespace, name, options...); err != nil {
		return err
	}
	t.history.write(resource, types.NamespacedName{Namespace: namespace, Name: name}, nil)
	return nil
}

func (t *tracker) List(
	resource schema.GroupVersionResource, kind schema.GroupVersionKind, namespace string, options ...metav1.ListOptions,
) (runtime.Object, error) {
	s, err := newSelection(resource, namespace, first(options))
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

func (t *tracker) Watch(
	resource schema.GroupVersionResource, namespace string, options ...metav1.ListOptions,
) (watch.Interface, error) {
	o := first(options)
	s, err := newSelection(resource, namespace, o)
	if err != nil {
		return nil, err
	}
	return t.history.watch(s, o.ResourceVersion)
}

func first(options []metav1.ListOptions) metav1.ListOptions {
	if len(options) == 0 {
		return metav1.ListOptions{}
	}
	return options[0]
}

func named(m metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}
}

// onTheWire returns a copy with times of only seconds or microseconds.
func onTheWire(obj runtime.Object) (runtime.Object, metav1.Object, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, nil, err
	}
	out := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(data, out); err != nil {
		return nil, nil, err
	}
	m, err := meta.Accessor(out)
	return out, m, err
}
