package stage

import (
	"context"
	"fmt"
	"net/http"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	// counting bounds the wait for the disruption controller, which is asked every countEvery.
	counting   = 30 * time.Second
	countEvery = 200 * time.Millisecond
)

// createBudget makes a disruption budget that allows no eviction of the trial's pod.
func (p *scene) createBudget(ctx context.Context) error {
	all := intstr.FromInt32(1)
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name(""), Namespace: p.Namespace},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &all, Selector: &metav1.LabelSelector{MatchLabels: p.budgetLabels()},
		},
	}
	request := p.budgetRequest(http.MethodPost)
	request.Name, request.Body = "", budget
	if err := p.on.Do(ctx, request); err != nil {
		return fmt.Errorf("create the disruption budget of pod %s: %w", budget.Name, err)
	}
	p.undo = append(p.undo, func(ctx context.Context) error {
		_ = p.on.Do(ctx, p.budgetRequest(http.MethodDelete)) // else the namespace's deletion removes it
		return nil
	})
	return nil
}

func (p *scene) budgetRequest(method string) Request {
	return Request{Method: method, Resource: "poddisruptionbudgets", Namespace: p.Namespace, Name: p.Name("")}
}

// awaitBudget waits until the disruption controller has counted the pod. Before that, and while the API
// shows the pod as pending, nothing protects it.
func (p *scene) awaitBudget(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, counting)
	defer cancel()
	for {
		budget := &policyv1.PodDisruptionBudget{}
		request := p.budgetRequest(http.MethodGet)
		request.Into = budget
		err := p.on.Do(ctx, request)
		s := budget.Status
		if err == nil && s.ObservedGeneration == budget.Generation && s.CurrentHealthy > 0 {
			return ""
		}
		if err = p.on.Sleep(ctx, p.on.Now().Add(countEvery)); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Sprintf("waited %v until the disruption budget %s counts its pod: %v", counting, p.Name(""), err)
		}
	}
}
