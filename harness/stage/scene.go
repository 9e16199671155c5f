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
func (p *scene) create(ctx context.Context, template *corev1.Pod, companion string) error {
	pod, created := p.Fill(template, companion), &corev1.Pod{}
	err := p.on.Do(ctx, Request{
		Method: http.MethodPost, Resource: "pods", Namespace: pod.Namespace, Body: pod, Into: created,
	})
	if err != nil {
		return fmt.Errorf("create pod %s: %w", pod.Name, err)
	}
	p.pods = append(p.pods, Deployed{Pod: created, Companion: companion})
	return nil
}

// restore restores what the attempt changed of the node, the last change first.
func (p *scene) restore(ctx context.Context) error {
	var all []error
	for _, undo := range slices.Backward(p.undo) {
		all = append(all, undo(ctx))
	}
	p.undo = nil
	return errors.Join(all...)
}

// span is the duration of a cue, in the lane's time.
type span struct{ began, ended time.Time }

// boundOver is the reason of a wait that ended with the trial's bound.
const boundOver = "the trial's bound is over"

// await looks at the pods' timeline whenever there is more to see, until nothing is missing. It returns what
// was missing and why it stopped waiting; late reports that the time was over, for the given reason.
func (p *scene) await(
	ctx context.Context, until time.Time, over string, missing func(*timeline.Timeline, formula.Kubelet) string,
) (why string, late bool) {
	var ended error
	for {
		late := !p.on.Now().Before(until)
		r := p.look()
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
		ended = p.on.Wait(ctx, until)
	}
}

// look returns what is known of the attempt, its cues included.
func (p *scene) look() Record {
	r := p.on.Look(p.pods)
	if len(p.pods) == 0 {
		r.Evidence = timeline.Evidence{}
		return r
	}
	r.Evidence.Cues = slices.Clone(p.cues)
	return r
}
