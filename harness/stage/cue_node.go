package stage

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"

	"github.com/podclock/podclock/harness/trial"
)

// nodeCues are the cues that act on the node.
var nodeCues = map[trial.Action]inject{
	trial.TaintNode:      taintNode,
	trial.UntaintNode:    untaintNode,
	trial.RestartKubelet: restartKubelet,
	trial.TuneKubelet:    restartKubelet,
	trial.OrphanPod:      orphanPod,
	trial.ShutDownNode:   shutDownNode,
	trial.RemoveManifest: removeManifest,
}

func taintNode(ctx context.Context, s *scene, c trial.Cue) (*span, error) {
	key := cmp.Or(c.Taint, trial.TaintKey)
	s.undo = append(s.undo, func(ctx context.Context) error { return s.setTaint(ctx, key, false) })
	return nil, s.setTaint(ctx, key, true)
}

func untaintNode(ctx context.Context, s *scene, _ trial.Cue) (*span, error) {
	return nil, s.setTaint(ctx, trial.TaintKey, false)
}

func (s *scene) setTaint(ctx context.Context, key string, on bool) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node := &corev1.Node{}
		r := Request{Method: http.MethodGet, Resource: "nodes", Name: s.Node, Into: node}
		if err := s.on.Do(ctx, r); err != nil {
			return err
		}
		own := func(t corev1.Taint) bool { return t.Key == key }
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, own)
		if on {
			taint := corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute}
			node.Spec.Taints = append(node.Spec.Taints, taint)
		}
		r.Method, r.Body, r.Into = http.MethodPut, node, nil
		return s.on.Do(ctx, r)
	})
}

func restartKubelet(ctx context.Context, s *scene, c trial.Cue) (*span, error) {
	return s.restart(ctx, c.Patch, nil)
}

func orphanPod(ctx context.Context, s *scene, _ trial.Cue) (*span, error) {
	request := s.about(http.MethodDelete, "")
	request.Body = s.deleteOptions(trial.DeleteWithin(0))
	return s.restart(ctx, nil, &request)
}

func (s *scene) restart(ctx context.Context, patch map[string]any, meanwhile *Request) (*span, error) {
	r, err := s.on.Restart(ctx, patch, meanwhile)
	if err != nil {
		return nil, err
	}
	if r.Undo != nil {
		s.undo = append(s.undo, r.Undo)
	}
	return &span{r.Began, r.Ended}, nil
}

// shutDownNode ends what the shutdown has left to do with a restart of the kubelet.
func shutDownNode(ctx context.Context, s *scene, _ trial.Cue) (*span, error) {
	s.undo = append(s.undo, func(ctx context.Context) error {
		r, err := s.on.Restart(ctx, nil, nil)
		if err != nil || r.Undo == nil {
			return err
		}
		return r.Undo(ctx)
	})
	began, ended, err := s.on.ShutDown(ctx)
	return &span{began, ended}, err
}

func removeManifest(ctx context.Context, s *scene, _ trial.Cue) (*span, error) {
	return nil, s.on.Place(ctx, s.Name(""), nil)
}
