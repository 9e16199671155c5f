package virtual

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// deliver waits for a cue's time and does what it says.
func (e *experiment) deliver(cue trial.Cue, begun int64) string {
	if why := e.waitForCue(cue, begun); why != "" {
		return fmt.Sprintf("waiting for the cue %s of pod %s: %s", cue.Action, e.pods[0].Name, why)
	}
	from := e.node.clock
	did, err := e.act(cue)
	when, done := timeline.Instant{
		At:   max(from, did.answer.From),
		Late: max(0, did.answer.To-did.answer.From),
	}, (*timeline.Instant)(
		nil,
	)
	if did.takesTime { // it began at its beginning, and its end is a point of its own
		ended := at(did.answer.To)
		when, done = at(when.At), &ended
	}
	c, err := stage.Cue(cue, when, done, err)
	e.cues = append(e.cues, c)
	if err != nil {
		return fmt.Sprintf("%s pod %s: %v", cue.Action, e.pods[0].Name, err)
	}
	return ""
}

// waitForCue waits for the point that a cue waits for, and so long after.
func (e *experiment) waitForCue(cue trial.Cue, begun int64) string {
	if cue.When == (trial.Point{}) {
		return text(e.sleep(e.decided(begun + int64(cue.After))))
	}
	if why := e.await(begun+int64(e.trial.Bound()), "the trial's bound is over", cue.Missing); why != "" {
		return why
	}
	return text(e.sleep(e.node.clock + int64(cue.After)))
}

// decided is when a cue comes that waits for no point: when the harness decides, which is off the kubelet's
// ticks for the first of them. The others keep their distances from it.
func (e *experiment) decided(when int64) int64 {
	if !e.shifted {
		e.late, e.shifted = offTick(when)-when, true
	}
	return when + e.late
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// deed is what came of a cue: the answer of the node, and whether what was asked for takes its time.
type deed struct {
	answer    wire.Answer
	takesTime bool
}

// act does what a cue says.
func (e *experiment) act(cue trial.Cue) (d deed, err error) {
	pod := stage.Own(e.pods)
	deletion := &wire.Deletion{Namespace: pod.Namespace, Name: pod.Name, Options: metav1.DeleteOptions{
		GracePeriodSeconds: cue.GracePeriodSeconds, Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	}}
	switch cue.Action {
	case trial.DeletePod:
		d.answer, err = e.ask(wire.Request{Delete: deletion})
	case trial.EvictPod:
		d.answer, err = e.ask(wire.Request{Evict: deletion})
	case trial.TaintNode:
		d.answer, err = e.ask(
			wire.Request{Taint: &[]corev1.Taint{{Key: trial.TaintKey, Effect: corev1.TaintEffectNoExecute}}},
		)
	case trial.UntaintNode:
		d.answer, err = e.ask(wire.Request{Taint: &[]corev1.Taint{}})
	case trial.SetImage:
		d.answer, err = e.ask(
			wire.Request{
				SetImage: &wire.SetImage{
					Namespace: pod.Namespace,
					Name:      pod.Name,
					Container: trial.Main,
					Image:     images.FaultOther,
				},
			},
		)
	case trial.BindPod:
		d.answer, err = e.ask(wire.Request{Bind: &wire.Bind{Namespace: pod.Namespace, Name: pod.Name}})
	case trial.CreatePod:
		var companion *corev1.Pod
		if companion, err = stage.Companion(e.trial, cue.Pod); err == nil {
			d.answer, err = e.create(companion, cue.Pod)
		}
	case trial.RecreatePod:
		return e.recreate(pod)
	case trial.RestartKubelet:
		return e.restart()
	case trial.TuneKubelet:
		e.patch = cue.Patch
		return e.restart()
	default:
		err = fmt.Errorf("no cue is called %q", cue.Action)
	}
	return d, err
}

// notice is how long whoever waits for an object's disappearance takes to see it.
const notice = 37 * time.Millisecond

// recreate creates the trial's pod again as soon as its object is gone.
func (e *experiment) recreate(pod *corev1.Pod) (deed, error) {
	until := e.node.clock + int64(stage.DisappearsWithin)
	for !e.record.gone(pod) {
		if e.node.clock >= until {
			return deed{}, fmt.Errorf("pod %s was not gone within %v", pod.Name, stage.DisappearsWithin)
		}
		if err := e.advance(until); err != nil {
			return deed{}, err
		}
	}
	if err := e.sleep(e.node.clock + int64(notice)); err != nil {
		return deed{}, err
	}
	a, err := e.create(e.trial.Pod, "")
	return deed{a, true}, err
}

// restart restarts the kubelet with what the cues changed of its configuration so far.
func (e *experiment) restart() (deed, error) {
	a, err := e.ask(wire.Request{Restart: &wire.Restart{KubeletConfig: e.patch}})
	return deed{a, true}, err
}
