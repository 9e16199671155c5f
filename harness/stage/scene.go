package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// scene is an attempt under way: what the player has created and done so far. Cues act on it.
type scene struct {
	Deployment
	on Node
	// pods are in the order of their creation: the trial's own first, companions, pods that were created again.
	pods []Deployed
	cues []timeline.Cue
	// delay is how much later than the trial defines it the first cue without a point comes. Later ones keep
	// their distance from it. It is nil before that cue.
	delay *time.Duration
	// undo restores what cues changed, in the reverse order.
	undo []func(context.Context) error
	// unsupported reports that the kubelet's version does not know what a cue configures.
	unsupported bool
}

// create creates one of the trial's pods.
func (s *scene) create(ctx context.Context, template *corev1.Pod, companion string) error {
	pod, created := s.Fill(template, companion), &corev1.Pod{}
	err := s.on.Do(ctx, Request{
		Method: http.MethodPost, Resource: "pods", Namespace: pod.Namespace, Body: pod, Into: created,
	})
	if err != nil {
		return fmt.Errorf("create pod %s: %w", pod.Name, err)
	}
	s.pods = append(s.pods, Deployed{Pod: created, Companion: companion})
	return nil
}

// restore restores what the attempt changed of the node, the last change first.
func (s *scene) restore(ctx context.Context) error {
	var all []error
	for _, undo := range slices.Backward(s.undo) {
		all = append(all, undo(ctx))
	}
	s.undo = nil
	return errors.Join(all...)
}

// inject does what a cue says. It returns the span of a cue that takes longer than a request. It adds to
// scene.undo what restores the node; the trial's pods need no undo. An error that wraps [ErrUnsupported] means
// that the cue is not available with this kubelet.
//
// A new cue is an action in trial/cue.go and its inject here, in podCues or nodeCues. If its API request is a
// new one, virtual/_node/api/requests.go needs a handler.
type inject func(ctx context.Context, s *scene, c trial.Cue) (*span, error)

// span is the duration of a cue, in the lane's time.
type span struct{ began, ended time.Time }

// boundOver is the reason of a wait that ended with the trial's bound.
const boundOver = "the trial's bound is over"

// await looks at the pods' timeline whenever there is more to see, until nothing is missing. It returns what
// was missing and why it stopped waiting; late reports that the time was over, for the given reason.
func (s *scene) await(
	ctx context.Context, until time.Time, over string, missing func(*timeline.Timeline, formula.Kubelet) string,
) (why string, late bool) {
	var ended error
	for {
		late := !s.on.Now().Before(until)
		r := s.look()
		what := missing(timeline.Build(r.Evidence, delay.Record{}), r.Kubelet)
		switch {
		case what == "":
			return "", false
		case len(r.Evidence.Losses) > 0: // nothing that comes now can make it conclusive
			return fmt.Sprintf("waited for %s: %s", what, r.Evidence.Losses[0].Why), false
		case ended != nil:
			return fmt.Sprintf("waited for %s: %v", what, ended), false
		case late:
			return fmt.Sprintf("waited for %s: %s", what, over), true
		}
		ended = s.on.Wait(ctx, until)
	}
}

// look returns what is known of the attempt, its cues included.
func (s *scene) look() Record {
	r := s.on.Look(s.pods)
	if len(s.pods) == 0 {
		r.Evidence = timeline.Evidence{}
		return r
	}
	r.Evidence.Cues = slices.Clone(s.cues)
	return r
}
