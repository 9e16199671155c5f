package stage

import (
	"context"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"

	"github.com/podclock/podclock/harness/trial"
)

// taintNode adds the taint, and removes it after the attempt.
func taintNode(ctx context.Context, p *scene, c trial.Cue) (*span, error) {
	p.undo = append(p.undo, func(ctx context.Context) error { return p.setTaint(ctx, false) })
	return nil, p.setTaint(ctx, true)
}

func untaintNode(ctx context.Context, p *scene, _ trial.Cue) (*span, error) {
	return nil, p.setTaint(ctx, false)
}

// setTaint puts the trial's taint on the node, or removes it. Other taints stay.
func (p *scene) setTaint(ctx context.Context, on bool) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node := &corev1.Node{}
		r := Request{Method: http.MethodGet, Resource: "nodes", Name: p.Deployment.Node, Into: node}
		if err := p.on.Do(ctx, r); err != nil {
			return err
		}
		own := func(t corev1.Taint) bool { return t.Key == trial.TaintKey }
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, own)
		if on {
			taint := corev1.Taint{Key: trial.TaintKey, Effect: corev1.TaintEffectNoExecute}
			node.Spec.Taints = append(node.Spec.Taints, taint)
		}
		r.Method, r.Body, r.Into = http.MethodPut, node, nil
		return p.on.Do(ctx, r)
	})
}

// restartKubelet restarts the kubelet with the cue's patch of its configuration, if it has one.
func restartKubelet(ctx context.Context, p *scene, c trial.Cue) (*span, error) {
	r, err := p.on.Restart(ctx, c.Patch)
	if err != nil {
		return nil, err
	}
	if r.Undo != nil {
		p.undo = append(p.undo, r.Undo)
	}
	return &span{r.Began, r.Ended}, nil
}
