package live

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// resolved completes the name of a custom resource as kubectl does (k8s.io/cli-runtime pkg/resource/builder.go
// mappingFor). Its plural, singular and short forms are in the API server's discovery.
func (s *server) resolved(n Name) (Name, error) {
	if !n.Custom() {
		return n, nil
	}
	versioned, resource := schema.ParseResourceArg(n.typed)
	if versioned == nil {
		versioned = new(resource.WithVersion(""))
	}
	kind, err := s.mapper.KindFor(*versioned)
	if meta.IsNoMatchError(err) { // the version was a part of the group
		kind, err = s.mapper.KindFor(resource.WithVersion(""))
	}
	if err != nil {
		return n, s.unresolved(err)
	}
	mapping, err := s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return n, s.unresolved(err)
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return n, fmt.Errorf("%s are in no namespace: podclock reads objects of a namespace",
			mapping.Resource.GroupResource())
	}
	n.kind.apiVersion, n.kind.kind = kind.GroupVersion().String(), kind.Kind
	n.kind.resource = mapping.Resource.Resource
	return n, nil
}

func (s *server) unresolved(err error) error {
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("the API server of context %s has no such TYPE: `kubectl api-resources` lists them",
			s.target.Context)
	}
	return s.explain(err, "get", "/apis", "")
}

// get reads an object.
func (s *server) get(ctx context.Context, n Name) (runtime.Object, error) {
	if n.Custom() {
		version := schema.FromAPIVersionAndKind(n.kind.apiVersion, n.kind.kind).GroupVersion()
		return s.dynamic.Resource(version.WithResource(n.kind.resource)).Namespace(s.access.Namespace).
			Get(ctx, n.name, metav1.GetOptions{})
	}
	client := s.CoreV1().RESTClient()
	switch n.kind.group() {
	case appsv1.GroupName:
		client = s.AppsV1().RESTClient()
	case batchv1.GroupName:
		client = s.BatchV1().RESTClient()
	}
	object := n.kind.object.DeepCopyObject()
	err := client.Get().Namespace(s.access.Namespace).Resource(n.kind.resource).Name(n.name).Do(ctx).Into(object)
	return object, err
}

// family knows which objects descend from another one: it, or what it controls, controls them.
type family struct {
	*server
	known map[types.UID]bool
}

// has reports whether the controller of an object belongs to the family. An owner that is gone does not.
func (f family) has(ctx context.Context, o metav1.Object) (bool, error) {
	owner := metav1.GetControllerOf(o)
	if owner == nil {
		return false, nil
	}
	if is, known := f.known[owner.UID]; known {
		return is, nil
	}
	f.known[owner.UID] = false // ends a circle of owners
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
	mapping, err := f.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, f.unresolved(err)
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace { // the node of a static pod
		return false, nil
	}
	namespace := o.GetNamespace()
	above, err := f.dynamic.Resource(mapping.Resource).Namespace(namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, f.explain(err, "get", mapping.Resource.GroupResource().String(), namespace)
	}
	f.known[owner.UID], err = f.has(ctx, above)
	return f.known[owner.UID], err
}

// orFile explains the error of a custom resource's name, which may have been meant as the path of a manifest.
func (n Name) orFile(err error) error {
	if err == nil || !n.Custom() {
		return err
	}
	return fmt.Errorf("there is no file %s; as an object of a cluster: %w", n, err)
}
