package api

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/policy"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"

	"github.com/podclock/podclock/harness/virtual/_node/journal"
)

type pods struct {
	podstorage.PodStorage
	history   *history
	journal   *journal.Journal
	admission admission
}

func newPods(h *history, client kubernetes.Interface, j *journal.Journal) (*pods, error) {
	var d storage.Interface = &database{history: h, rows: map[string]row{}}
	// 1.38 adds an argument.
	decorator := reflect.MakeFunc(reflect.TypeFor[generic.StorageDecorator](), func([]reflect.Value) []reflect.Value {
		destroy, none := factory.DestroyFunc(func() {}), reflect.Zero(reflect.TypeFor[error]())
		return []reflect.Value{reflect.ValueOf(&d).Elem(), reflect.ValueOf(destroy), none}
	}).Interface().(generic.StorageDecorator)
	options := generic.RESTOptions{
		StorageConfig: &storagebackend.ConfigForResource{
			Config: storagebackend.Config{Codec: codec}, GroupResource: podsResource.GroupResource(), // for dry runs
		},
		Decorator:               decorator,
		EnableGarbageCollection: true,
		ResourcePrefix:          podsResource.Resource,
	}
	registry, err := newStorage(options, client.PolicyV1())
	if err != nil {
		return nil, fmt.Errorf("make the registry of pods: %w", err)
	}
	return &pods{PodStorage: registry, history: h, journal: j}, nil
}

// in returns the context of a request. Since 1.37 validation reads the request's version and subresource from it.
func in(ctx context.Context, namespace, subresource string) context.Context {
	return genericrequest.WithRequestInfo(genericrequest.WithNamespace(ctx, namespace), &genericrequest.RequestInfo{
		IsResourceRequest: true, APIVersion: corev1.SchemeGroupVersion.Version, Namespace: namespace,
		Resource: podsResource.Resource, Subresource: subresource,
	})
}

func decoded(pod []byte) (*core.Pod, error) {
	kind := corev1.SchemeGroupVersion.WithKind("Pod")
	out := &core.Pod{}
	if _, _, err := codec.Decode(pod, &kind, out); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return out, nil
}

func received(pod *corev1.Pod) (*core.Pod, error) {
	data, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	return decoded(data)
}

func (p *pods) create(ctx context.Context, pod *corev1.Pod, options metav1.CreateOptions) (*corev1.Pod, error) {
	created, err := received(pod)
	if err != nil {
		return nil, err
	}
	ctx = in(ctx, pod.Namespace, "")
	if err := p.admission.admit(ctx, created, &options); err != nil {
		return nil, err
	}
	out, err := p.Pod.Create(ctx, created, rest.ValidateAllObjectFunc, &options)
	if err != nil {
		return nil, err
	}
	stored, err := versioned(out)
	if err == nil {
		p.journal.Name(string(stored.UID), stored.Namespace+"/"+stored.Name+"/uid")
		p.journal.Name(stored.Annotations[corev1.MirrorPodAnnotationKey], stored.Namespace+"/"+stored.Name+"/file")
	}
	return stored, err
}

func (p *pods) get(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	out, err := p.Pod.Get(in(ctx, namespace, ""), name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return versioned(out)
}

func (p *pods) list(namespace string, options metav1.ListOptions) (*corev1.PodList, error) {
	s, err := newSelection(podsResource, namespace, options)
	if err != nil {
		return nil, err
	}
	objects, version := p.history.list(s)
	all := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, o := range objects {
		all.Items = append(all.Items, *o.(*corev1.Pod))
	}
	return all, nil
}

func (p *pods) delete(ctx context.Context, namespace, name string, options metav1.DeleteOptions) error {
	_, _, err := p.Pod.Delete(in(ctx, namespace, ""), name, rest.ValidateAllObjectFunc, options.DeepCopy())
	return err
}

func (p *pods) bind(ctx context.Context, namespace, name, node string) error {
	binding := &core.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Target:     core.ObjectReference{Kind: "Node", Name: node},
	}
	ctx = in(ctx, namespace, "binding")
	_, err := p.Binding.Create(ctx, name, binding, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	return err
}

func (p *pods) evict(ctx context.Context, eviction *policy.Eviction) error {
	ctx = in(ctx, eviction.Namespace, "eviction")
	out, err := p.Eviction.Create(ctx, eviction.Name, eviction, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if status, ok := out.(*metav1.Status); ok && status.Status != metav1.StatusSuccess {
		return &apierrors.StatusError{ErrStatus: *status}
	}
	return nil
}

func (p *pods) update(ctx context.Context, pod *corev1.Pod, subresource string) (*corev1.Pod, error) {
	updated, err := received(pod)
	if err != nil {
		return nil, err
	}
	return p.write(ctx, pod.Namespace, pod.Name, subresource, rest.DefaultUpdatedObjectInfo(updated))
}

func (p *pods) patch(
	ctx context.Context, namespace, name string, kind types.PatchType, change []byte, subresource string,
) (*corev1.Pod, error) {
	apply := func(_ context.Context, _, existing runtime.Object) (runtime.Object, error) {
		was, err := versioned(existing)
		if err != nil {
			return nil, err
		}
		before, err := json.Marshal(was)
		if err != nil {
			return nil, err
		}
		after, err := patched(kind, before, change, was)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return decoded(after)
	}
	return p.write(ctx, namespace, name, subresource, rest.DefaultUpdatedObjectInfo(nil, apply))
}

func (p *pods) write(
	ctx context.Context, namespace, name, subresource string, info rest.UpdatedObjectInfo,
) (*corev1.Pod, error) {
	updaters := map[string]rest.Updater{"": p.Pod, "status": p.Status, "resize": resizeOf(p.PodStorage)}
	updater := updaters[subresource]
	if updater == nil {
		return nil, apierrors.NewMethodNotSupported(podsResource.GroupResource(), "update of "+subresource)
	}
	validate := rest.ValidateAllObjectUpdateFunc
	if subresource == "resize" {
		validate = p.admission.resize
	}
	ctx = in(ctx, namespace, subresource)
	out, _, err := updater.Update(ctx, name, info, rest.ValidateAllObjectFunc, validate, false, &metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	return versioned(out)
}

func (p *pods) serve(ctx context.Context, action testing.Action) (runtime.Object, error) {
	namespace, subresource := action.GetNamespace(), action.GetSubresource()
	switch a := action.(type) {
	case testing.GetActionImpl:
		return object(p.get(ctx, namespace, a.GetName()))
	case testing.ListActionImpl:
		list, err := p.list(namespace, listOptions(a))
		if err != nil {
			return nil, err
		}
		return list, nil
	case testing.CreateActionImpl:
		if pod, ok := a.GetObject().(*corev1.Pod); ok && subresource == "" {
			pod.Namespace = namespace
			return object(p.create(ctx, pod, metav1.CreateOptions{}))
		}
	case testing.UpdateActionImpl:
		if pod, ok := a.GetObject().(*corev1.Pod); ok {
			return object(p.update(ctx, pod, subresource))
		}
	case testing.PatchActionImpl:
		return object(p.patch(ctx, namespace, a.GetName(), a.GetPatchType(), a.GetPatch(), subresource))
	case testing.DeleteActionImpl:
		return nil, p.delete(ctx, namespace, a.GetName(), a.DeleteOptions)
	}
	return nil, apierrors.NewMethodNotSupported(podsResource.GroupResource(), action.GetVerb()+" "+subresource)
}

func object(pod *corev1.Pod, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	return pod, nil
}
