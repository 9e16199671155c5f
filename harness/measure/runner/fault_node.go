package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/podclock/podclock/harness/measure/trial"
)

// nodeFaults are the faults that act on the node.
var nodeFaults = map[trial.Action]inject{
	trial.TaintNode:      taintNode,
	trial.UntaintNode:    untaintNode,
	trial.OfferDevice:    offerDevice,
	trial.RestartKubelet: restartKubelet,
	trial.TuneKubelet:    restartKubelet,
	trial.OrphanPod:      orphanPod,
	trial.RebootNode:     rebootNode,
	trial.ShutDownNode:   shutDownNode,
	trial.RemoveManifest: removeManifest,
	trial.PlaceManifest:  placeManifest,

	trial.FailCalls:       disturb,
	trial.CutOff:          disturb,
	trial.RemoveContainer: disturb,
}

func taintNode(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	taint := corev1.Taint{
		Key: cmp.Or(c.Taint.Key, trial.TaintKey), Effect: cmp.Or(c.Taint.Effect, corev1.TaintEffectNoExecute),
	}
	s.undo = append(s.undo, func(ctx context.Context) error { return s.setTaint(ctx, taint, false) })
	return nil, s.setTaint(ctx, taint, true)
}

func untaintNode(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	return nil, s.setTaint(ctx, corev1.Taint{Key: trial.TaintKey}, false)
}

func (s *ongoing) setTaint(ctx context.Context, taint corev1.Taint, on bool) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node := &corev1.Node{}
		r := Request{Method: http.MethodGet, Resource: "nodes", Name: s.Node, Into: node}
		if err := s.on.Do(ctx, r); err != nil {
			return err
		}
		own := func(t corev1.Taint) bool { return t.Key == taint.Key }
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, own)
		if on {
			node.Spec.Taints = append(node.Spec.Taints, taint)
		}
		r.Method, r.Body, r.Into = http.MethodPut, node, nil
		return s.on.Do(ctx, r)
	})
}

func offerDevice(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	s.undo = append(s.undo, func(ctx context.Context) error { return s.offer(ctx, nil) })
	return nil, s.offer(ctx, 1)
}

// offer writes the number of devices that the node has. Without a number, the node has no such resource.
func (s *ongoing) offer(ctx context.Context, number any) error {
	devices := map[string]any{trial.Device: number}
	text, err := json.Marshal(map[string]any{"status": map[string]any{"capacity": devices, "allocatable": devices}})
	if err != nil {
		return err
	}
	return s.on.Do(ctx, Request{
		Method: http.MethodPatch, Resource: "nodes", Subresource: "status", Name: s.Node,
		Patch: Patch{types.MergePatchType, text},
	})
}

func restartKubelet(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	return s.restart(ctx, c.Patch, nil)
}

func orphanPod(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	request := s.about(http.MethodDelete, "")
	request.Body = s.deleteOptions(trial.DeleteWithin(0))
	return s.restart(ctx, nil, &request)
}

func (s *ongoing) restart(ctx context.Context, patch map[string]any, meanwhile *Request) (*span, error) {
	return s.restarted(s.on.Restart(ctx, patch, meanwhile))
}

func rebootNode(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	return s.restarted(s.on.Reboot(ctx))
}

func (s *ongoing) restarted(r Restarted, err error) (*span, error) {
	if err != nil {
		return nil, err
	}
	if r.Undo != nil {
		s.undo = append(s.undo, r.Undo)
	}
	return &span{r.Began, r.Ended}, nil
}

// shutDownNode ends what the shutdown has left to do with a restart of the kubelet.
func shutDownNode(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
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

func removeManifest(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	return nil, s.on.Place(ctx, s.Name(""), nil)
}

func placeManifest(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	s.placed = true
	return nil, s.place(ctx, s.Fill(cmp.Or(s.Trial.Companion(c.Pod), s.Trial.Pod), ""))
}

func disturb(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	return nil, s.on.Disturb(ctx, c)
}
