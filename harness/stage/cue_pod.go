package stage

import (
	"context"
	"encoding/json"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/trial"
)

// about is a request about the trial's own pod.
func (p *scene) about(method, subresource string) Request {
	return Request{
		Method: method, Resource: "pods", Subresource: subresource,
		Namespace: p.Namespace, Name: Own(p.pods).Name,
	}
}

// deleteOptions are the options of a deletion of the trial's own pod as it was created last.
func (p *scene) deleteOptions(c trial.Cue) *metav1.DeleteOptions {
	return &metav1.DeleteOptions{
		GracePeriodSeconds: c.GracePeriodSeconds,
		Preconditions:      metav1.NewUIDPreconditions(string(Own(p.pods).UID)),
	}
}

func deletePod(ctx context.Context, p *scene, c trial.Cue) (*span, error) {
	r := p.about(http.MethodDelete, "")
	r.Body = p.deleteOptions(c)
	return nil, p.on.Do(ctx, r)
}

func evictPod(ctx context.Context, p *scene, c trial.Cue) (*span, error) {
	r := p.about(http.MethodPost, "eviction")
	r.Body = &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Name: r.Name, Namespace: r.Namespace},
		DeleteOptions: p.deleteOptions(c),
	}
	return nil, p.on.Do(ctx, r)
}

// setImage changes the image of the container Main.
func setImage(ctx context.Context, p *scene, _ trial.Cue) (*span, error) {
	text, err := json.Marshal(map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": trial.Main, "image": p.Images.FaultOther},
	}}})
	if err != nil {
		return nil, err
	}
	r := p.about(http.MethodPatch, "")
	r.Patch = Patch{types.StrategicMergePatchType, text}
	return nil, p.on.Do(ctx, r)
}

// bindPod gives the trial's pod to the node, as a scheduler does.
func bindPod(ctx context.Context, p *scene, _ trial.Cue) (*span, error) {
	r := p.about(http.MethodPost, "binding")
	r.Body = &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: r.Name, Namespace: r.Namespace, UID: Own(p.pods).UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: p.Deployment.Node},
	}
	return nil, p.on.Do(ctx, r)
}

func createPod(ctx context.Context, p *scene, c trial.Cue) (*span, error) {
	companion, err := Companion(p.Trial, c.Pod)
	if err != nil {
		return nil, err
	}
	return nil, p.create(ctx, companion, c.Pod)
}

// recreatePod creates the trial's pod again as soon as its object is gone.
func recreatePod(ctx context.Context, p *scene, _ trial.Cue) (*span, error) {
	if err := p.on.AwaitGone(ctx, Own(p.pods)); err != nil {
		return nil, err
	}
	began := p.on.Now()
	if err := p.create(ctx, p.Trial.Pod, ""); err != nil {
		return nil, err
	}
	return &span{began, p.on.Now()}, nil
}
