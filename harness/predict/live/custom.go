package live

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// resolved completes the name of a custom resource as kubectl does (k8s.io/cli-runtime pkg/resource/builder.go
// mappingFor). Its plural, singular and short forms are in the API server's discovery.
func (s *Server) resolved(n Name) (Name, error) {
	if !n.Custom() {
		return n, nil
	}
	versioned, grouped := schema.ParseResourceArg(n.typed)
	kind, err := schema.GroupVersionKind{}, error(nil)
	if versioned != nil {
		kind, _ = s.mapper.KindFor(*versioned)
	}
	if kind.Empty() { // or the version was a part of the group
		kind, err = s.mapper.KindFor(grouped.WithVersion(""))
	}
	if meta.IsNoMatchError(err) {
		return n, fmt.Errorf("the API server of context %s has no such TYPE: `kubectl api-resources` lists them",
			s.target.Context)
	}
	m := &meta.RESTMapping{}
	if err == nil {
		m, err = s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return n, s.Explain(err, "get", "/apis", "")
	}
	if m.Scope.Name() != meta.RESTScopeNameNamespace {
		return n, fmt.Errorf("%s are in no namespace: podclock reads objects of a namespace",
			m.Resource.GroupResource())
	}
	n.kind.apiVersion = kind.GroupVersion().String()
	n.kind.kind, n.kind.resource = kind.Kind, m.Resource.Resource
	return n, nil
}

// get reads an object.
func (s *Server) get(ctx context.Context, n Name) (runtime.Object, error) {
	if n.Custom() {
		return s.custom(ctx, n.kind.apiVersion, n.kind.resource, s.access.Namespace, n.name)
	}
	object := n.kind.object.DeepCopyObject()
	// Namespace refuses what would change the path, which AbsPath would take.
	request := s.CoreV1().RESTClient().Get().AbsPath(root(n.kind.apiVersion)).Namespace(s.access.Namespace)
	return object, request.Resource(n.kind.resource).Name(n.name).Do(ctx).Into(object)
}

// custom reads an object of a kind whose type podclock may lack.
func (s *Server) custom(
	ctx context.Context, version, resource, namespace, name string,
) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	path := strings.Join([]string{root(version), "namespaces", namespace, resource, name}, "/")
	answer := s.CoreV1().RESTClient().Get().AbsPath(path).SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	text, err := answer.Raw()
	if err != nil {
		return object, answer.Error()
	}
	return object, json.Unmarshal(text, object)
}

// root returns the path of a group's version.
func root(version string) string {
	if !strings.Contains(version, "/") {
		return "/api/" + version
	}
	return "/apis/" + version
}

// family knows which objects descend from another one: it, or what it controls, controls them.
type family struct {
	*Server
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
	kind, namespace := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind), o.GetNamespace()
	m, err := f.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	switch {
	case meta.IsNoMatchError(err):
		return false, nil
	case err != nil:
		return false, f.Explain(err, "get", "/apis", "")
	case m.Scope.Name() != meta.RESTScopeNameNamespace: // such as the node of a static pod
		return false, nil
	}
	above, err := f.custom(ctx, owner.APIVersion, m.Resource.Resource, namespace, owner.Name)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, f.Explain(err, "get", m.Resource.GroupResource().String(), namespace)
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
