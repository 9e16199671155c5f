package api

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/apis/policy"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// handler does one kind of request.
type handler func(s *Server, r wire.API) error

// handlers are the requests that the server knows, by method, resource and subresource.
var handlers = map[string]handler{
	"DELETE pods/":               deletePod,
	"POST pods/eviction":         evictPod,
	"POST pods/binding":          bindPod,
	"PATCH pods/":                patchPod,
	"PUT nodes/":                 taintNode,
	"POST poddisruptionbudgets/": createBudget,
}

// Serve does a request.
func (s *Server) Serve(r wire.API) error {
	what := r.Method + " " + r.Resource + "/" + r.Subresource
	handle := handlers[what]
	switch {
	case handle == nil:
		return apierrors.NewBadRequest(fmt.Sprintf("the virtual node's API server does not know the request %s", what))
	case r.Resource == "poddisruptionbudgets": // only what a trial does takes time
		return handle(s, r)
	}
	_, err := request(func() (any, error) { return nil, handle(s, r) })
	return err
}

// body decodes a request's body.
func body[T any](r wire.API) (into T, err error) {
	if err := json.Unmarshal(r.Body, &into); err != nil {
		return into, apierrors.NewBadRequest(err.Error())
	}
	return into, nil
}

func deletePod(s *Server, r wire.API) error {
	options, err := body[metav1.DeleteOptions](r)
	if err != nil {
		return err
	}
	return s.pods.delete(s.ctx, r.Namespace, r.Name, options)
}

func evictPod(s *Server, r wire.API) error {
	eviction, err := body[policyv1.Eviction](r)
	if err != nil {
		return err
	}
	if err := s.countBudgets(r.Namespace); err != nil {
		return err
	}
	return s.pods.evict(s.ctx, &policy.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name},
		DeleteOptions: eviction.DeleteOptions,
	})
}

func bindPod(s *Server, r wire.API) error {
	binding, err := body[corev1.Binding](r)
	if err != nil {
		return err
	}
	return s.pods.bind(s.ctx, r.Namespace, r.Name, binding.Target.Name)
}

func patchPod(s *Server, r wire.API) error {
	_, err := s.pods.patch(s.ctx, r.Namespace, r.Name, r.PatchType, r.Body, "")
	return err
}

// taintNode takes the taints of a node over, and nothing else.
func taintNode(s *Server, r wire.API) error {
	node, err := body[corev1.Node](r)
	if err != nil {
		return err
	}
	taints := append([]corev1.Taint{}, node.Spec.Taints...) // a patch with null would do nothing
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"taints": taints}})
	if err != nil {
		return err
	}
	_, err = s.own.client.CoreV1().Nodes().Patch(s.ctx, r.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func createBudget(s *Server, r wire.API) error {
	budget, err := body[policyv1.PodDisruptionBudget](r)
	if err != nil {
		return err
	}
	return s.Budget(budget.Spec.Selector.MatchLabels)
}
