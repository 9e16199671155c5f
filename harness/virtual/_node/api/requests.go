package api

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/apis/policy"

	"github.com/podclock/podclock/harness/virtual/wire"
)

type handler func(s *Server, r wire.API) error

var handlers = map[string]handler{
	"DELETE pods/":               deletePod,
	"POST pods/eviction":         evictPod,
	"POST pods/binding":          bindPod,
	"POST configmaps/":           createConfigMap,
	"POST secrets/":              createSecret,
	"PATCH pods/":                patchPod,
	"PATCH pods/resize":          patchPod,
	"PATCH pods/status":          patchPod,
	"PUT nodes/":                 taintNode,
	"PATCH nodes/status":         patchNode,
	"POST poddisruptionbudgets/": createBudget,
}

// Serve performs a lab's request.
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

func createConfigMap(s *Server, r wire.API) error {
	config, err := body[corev1.ConfigMap](r)
	if err != nil {
		return err
	}
	_, err = s.own.client.CoreV1().ConfigMaps(r.Namespace).Create(s.ctx, &config, metav1.CreateOptions{})
	return err
}

func createSecret(s *Server, r wire.API) error {
	secret, err := body[corev1.Secret](r)
	if err != nil {
		return err
	}
	_, err = s.own.client.CoreV1().Secrets(r.Namespace).Create(s.ctx, &secret, metav1.CreateOptions{})
	return err
}

func patchPod(s *Server, r wire.API) error {
	_, err := s.pods.patch(s.ctx, r.Namespace, r.Name, r.PatchType, r.Body, r.Subresource)
	return err
}

func patchNode(s *Server, r wire.API) error {
	_, err := s.own.client.CoreV1().Nodes().Patch(
		s.ctx, r.Name, r.PatchType, r.Body, metav1.PatchOptions{}, r.Subresource)
	return err
}

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
	return s.Budget(budget.Spec)
}

// Budget makes a disruption budget in every namespace. It must have labels and a number of pods that must be healthy.
func (s *Server) Budget(spec policyv1.PodDisruptionBudgetSpec) error {
	if spec.Selector == nil || len(spec.Selector.MatchLabels) == 0 || spec.MinAvailable == nil {
		return apierrors.NewBadRequest("a disruption budget needs labels of the pods that it protects, " +
			"and minAvailable")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budgets = append(s.budgets, *spec.DeepCopy())
	return nil
}

// countBudgets writes the status of a namespace's budgets as the disruption controller would.
func (s *Server) countBudgets(namespace string) error {
	s.mu.Lock()
	budgets := s.budgets
	s.mu.Unlock()
	for i, spec := range budgets {
		if err := s.countBudget(namespace, fmt.Sprintf("budget-%d", i), spec); err != nil {
			return fmt.Errorf("count a disruption budget: %w", err)
		}
	}
	return nil
}

// countBudget counts as pkg/controller/disruption/disruption.go does (trySync, countHealthyPods, updatePdbStatus).
func (s *Server) countBudget(namespace, name string, spec policyv1.PodDisruptionBudgetSpec) error {
	client := s.own.client.PolicyV1().PodDisruptionBudgets(namespace)
	budget, err := client.Get(s.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		budget, err = client.Create(s.ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: spec,
		}, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	selector := labels.SelectorFromSet(spec.Selector.MatchLabels).String()
	pods, err := s.pods.list(namespace, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	disrupted := budget.Status.DisruptedPods
	budget.Status = policyv1.PodDisruptionBudgetStatus{
		ObservedGeneration: budget.Generation, ExpectedPods: int32(len(pods.Items)),
		DesiredHealthy: int32(spec.MinAvailable.IntValue()), DisruptedPods: disrupted,
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if _, expected := disrupted[pod.Name]; podutil.IsPodReady(pod) && pod.DeletionTimestamp == nil && !expected {
			budget.Status.CurrentHealthy++
		}
	}
	budget.Status.DisruptionsAllowed = max(0, budget.Status.CurrentHealthy-budget.Status.DesiredHealthy)
	_, err = client.UpdateStatus(s.ctx, budget, metav1.UpdateOptions{})
	return err
}
