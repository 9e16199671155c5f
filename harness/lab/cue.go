package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// deliver waits for a cue's time and does what it says.
func (e *experiment) deliver(ctx context.Context, cue trial.Cue, begun time.Time) string {
	if why := e.waitForCue(ctx, cue, begun); why != "" {
		return fmt.Sprintf("waiting for the cue %s of pod %s: %s", cue.Action, e.pods[0].Name, why)
	}
	from := time.Now()
	done, err := e.act(ctx, cue)
	answered := time.Now()
	at, ended := e.node.place(from, answered), (*timeline.Instant)(nil)
	if done != nil { // the cue took its time: it began at its beginning, and its end is a point of its own
		at = e.node.place(done.began, done.began)
		end := e.node.place(done.ended, done.ended)
		ended = &end
	}
	c, err := stage.Cue(cue, at, ended, err)
	e.cues = append(e.cues, c)
	if err != nil {
		return fmt.Sprintf("%s pod %s: %v", cue.Action, e.pods[0].Name, err)
	}
	return ""
}

// waitForCue waits for the point that a cue waits for, and so long after.
func (e *experiment) waitForCue(ctx context.Context, cue trial.Cue, begun time.Time) string {
	from := begun
	if cue.When != (trial.Point{}) {
		bounded, cancel := context.WithDeadlineCause(
			ctx,
			begun.Add(e.Trial.Bound()),
			errors.New("the trial's bound is over"),
		)
		defer cancel()
		if why := e.await(bounded, cue.Missing); why != "" {
			return why
		}
		from = time.Now()
	}
	if err := sleepUntil(ctx, from.Add(cue.After)); err != nil {
		return err.Error()
	}
	return ""
}

// span is how long a cue took that is more than a request.
type span struct{ began, ended time.Time }

// act does what a cue says.
func (e *experiment) act(ctx context.Context, cue trial.Cue) (*span, error) {
	pods, pod := e.lab.client.CoreV1().Pods(e.lab.options.Namespace), e.own()
	options := metav1.DeleteOptions{
		GracePeriodSeconds: cue.GracePeriodSeconds,
		Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
	}
	switch cue.Action {
	case trial.DeletePod:
		return nil, pods.Delete(ctx, pod.Name, options)
	case trial.EvictPod:
		return nil, pods.EvictV1(
			ctx,
			&policyv1.Eviction{
				ObjectMeta:    metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
				DeleteOptions: &options,
			},
		)
	case trial.TaintNode:
		e.undo = append(e.undo, e.untaint)
		return nil, e.taint(ctx)
	case trial.UntaintNode:
		return nil, e.untaint(ctx)
	case trial.SetImage:
		return nil, e.setImage(ctx)
	case trial.BindPod:
		return nil, pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{
				Name:      pod.Name,
				Namespace: pod.Namespace,
				UID:       pod.UID,
			},
			Target: corev1.ObjectReference{Kind: "Node", Name: e.node.name},
		}, metav1.CreateOptions{})
	case trial.CreatePod:
		return nil, e.createCompanion(ctx, cue.Pod)
	case trial.RecreatePod:
		return e.recreate(ctx)
	case trial.RestartKubelet:
		return e.restartKubelet(ctx)
	case trial.TuneKubelet:
		return e.tuneKubelet(ctx, cue.Patch)
	}
	return nil, fmt.Errorf("no cue is called %q", cue.Action)
}

// own is the trial's own pod as it was created last.
func (e *experiment) own() *corev1.Pod { return stage.Own(e.pods) }

// setTaints changes the taints of the experiment's node.
func (e *experiment) setTaints(ctx context.Context, change func([]corev1.Taint) []corev1.Taint) error {
	nodes := e.lab.client.CoreV1().Nodes()
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		n, err := nodes.Get(ctx, e.node.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Spec.Taints = change(n.Spec.Taints)
		_, err = nodes.Update(ctx, n, metav1.UpdateOptions{})
		return err
	})
}

func (e *experiment) taint(ctx context.Context) error {
	return e.setTaints(ctx, func(all []corev1.Taint) []corev1.Taint {
		return append(withoutTaint(all), corev1.Taint{Key: trial.TaintKey, Effect: corev1.TaintEffectNoExecute})
	})
}

func (e *experiment) untaint(ctx context.Context) error {
	return e.setTaints(ctx, withoutTaint)
}

func withoutTaint(all []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(all, func(t corev1.Taint) bool { return t.Key == trial.TaintKey })
}

// setImage changes the image of the pod's container Main.
func (e *experiment) setImage(ctx context.Context) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": trial.Main, "image": e.lab.options.Images.FaultOther},
	}}})
	if err != nil {
		return err
	}
	_, err = e.lab.client.CoreV1().
		Pods(e.lab.options.Namespace).
		Patch(ctx, e.own().Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

func (e *experiment) createCompanion(ctx context.Context, name string) error {
	p, err := stage.Companion(e.Trial, name)
	if err != nil {
		return err
	}
	return e.create(ctx, p, name)
}

// recreate creates the trial's pod again as soon as its object is gone.
func (e *experiment) recreate(ctx context.Context) (*span, error) {
	pods, name := e.lab.client.CoreV1().Pods(e.lab.options.Namespace), e.own().Name
	err := wait.PollUntilContextTimeout(
		ctx,
		50*time.Millisecond,
		stage.DisappearsWithin,
		true,
		func(ctx context.Context) (bool, error) {
			_, err := pods.Get(ctx, name, metav1.GetOptions{})
			return isNotFound(err), nil
		},
	)
	if err != nil {
		return nil, fmt.Errorf("wait %v until pod %s is gone: %w", stage.DisappearsWithin, name, err)
	}
	began := time.Now()
	if err := e.create(ctx, e.Trial.Pod, ""); err != nil {
		return nil, err
	}
	return &span{began, time.Now()}, nil
}

func (e *experiment) restartKubelet(ctx context.Context) (*span, error) {
	if e.lab.options.Workers == nil {
		return nil, errors.New("this cluster's kubelets can't be restarted")
	}
	undisturbed := e.node.disturb()
	defer undisturbed()
	stopping, started, err := e.lab.options.Workers.RestartKubelet(ctx, e.node.name)
	if err != nil {
		return nil, err
	}
	// The next trial must find a kubelet that is ready.
	e.undo = append(e.undo, func(ctx context.Context) error {
		return e.lab.options.Workers.AwaitKubelet(ctx, e.node.name, started)
	})
	return &span{stopping, started}, nil
}

func (e *experiment) tuneKubelet(ctx context.Context, patch map[string]any) (*span, error) {
	if e.lab.options.Workers == nil {
		return nil, errors.New("this cluster's kubelets can't be tuned")
	}
	began := time.Now()
	restore, err := e.lab.tune(ctx, e.node, trial.Worker{Name: e.Trial.Worker.Name, KubeletConfig: patch})
	if err != nil {
		e.unsupported = errors.Is(err, ErrIgnored)
		return nil, err
	}
	e.undo = append(e.undo, restore)
	return &span{began, time.Now()}, nil
}
