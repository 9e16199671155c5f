package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// ongoing is an attempt under way: what was created and done so far. Faults act on it.
type ongoing struct {
	Deployment
	on Node
	// pods are in the order of their creation, the trial's own first.
	pods   []Deployed
	faults []timeline.Fault
	// delay is how much later than the trial defines it the first fault without a point comes; later ones keep their
	// distance.
	delay *time.Duration
	undo  []func(context.Context) error
	// placed means that a static pod's file was written again, so other mirrors can come.
	placed bool
	// doom is nil if the attempt is played to its end.
	doom *doom
	// unsupported means that the kubelet does not know what a fault configures, or the API server a pod's field.
	unsupported bool
}

func (s *ongoing) create(ctx context.Context, template *corev1.Pod, companion string) error {
	pod, created := s.Fill(template, companion), &corev1.Pod{}
	var err error
	if s.Trial.Static && companion == "" {
		created, err = s.createStatic(ctx, pod)
	} else {
		err = s.on.Do(ctx, Request{
			Method: http.MethodPost, Resource: "pods", Namespace: pod.Namespace, Body: pod, Into: created,
		})
	}
	if err != nil {
		s.unsupported = s.External != nil && refusals.MatchString(err.Error())
		return fmt.Errorf("create pod %s: %w", pod.Name, err)
	}
	s.pods = append(s.pods, Deployed{Pod: created, Companion: companion})
	if field := dropped(fields(pod), fields(created), "spec"); field != "" {
		s.unsupported = true
		return fmt.Errorf("create pod %s: the API server drops %s, a field of another release or feature gate",
			pod.Name, field)
	}
	if s.External != nil {
		if change := altered(fields(pod), fields(created), "spec"); change != "" {
			s.unsupported = true
			return fmt.Errorf("on admission, the cluster %s: it is not the trial's pod any more", change)
		}
	}
	return nil
}

// mirrored bounds the wait for a static pod's mirror.
const mirrored = 30 * time.Second

// createStatic writes a static pod's file and returns its mirror.
func (s *ongoing) createStatic(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	s.undo = append(s.undo, func(ctx context.Context) error { return s.on.Place(ctx, pod.Name, nil) })
	if err := s.place(ctx, pod); err != nil {
		return nil, err
	}
	until := s.on.Now().Add(mirrored)
	for {
		mirror, err := s.mirror(ctx)
		if err == nil || !apierrors.IsNotFound(err) {
			return mirror, err
		}
		if !s.on.Now().Before(until) {
			return nil, fmt.Errorf("the kubelet made no mirror of it within %v: %w", mirrored, err)
		}
		if err := s.on.Sleep(ctx, s.on.Now().Add(100*time.Millisecond)); err != nil {
			return nil, err
		}
	}
}

func (s *ongoing) place(ctx context.Context, pod *corev1.Pod) error {
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	return s.on.Place(ctx, pod.Name, pod)
}

// mirror returns the object of the static pod in the API.
func (s *ongoing) mirror(ctx context.Context) (*corev1.Pod, error) {
	mirror := &corev1.Pod{}
	return mirror, s.on.Do(ctx, Request{
		Method: http.MethodGet, Resource: "pods", Namespace: s.Namespace, Name: s.Name("") + "-" + s.Node, Into: mirror,
	})
}

// adopt adds the mirror that the kubelet has made of a file that was written again. A kubelet that makes none is what
// the claims show.
func (s *ongoing) adopt(ctx context.Context) {
	if !s.placed {
		return
	}
	mirror, err := s.mirror(ctx)
	if err != nil || slices.ContainsFunc(s.pods, func(p Deployed) bool { return p.UID == mirror.UID }) {
		return
	}
	d := Deployed{Pod: mirror}
	for _, c := range s.Trial.Companions {
		if c.Spec.Containers[0].Name == mirror.Spec.Containers[0].Name {
			d.Companion = c.Name
		}
	}
	s.pods = append(s.pods, d)
}

func (s *ongoing) restore(ctx context.Context) error {
	var all []error
	for _, undo := range slices.Backward(s.undo) {
		all = append(all, undo(ctx))
	}
	s.undo = nil
	return errors.Join(all...)
}

// inject does what a fault says, and adds to ongoing.undo what restores the node. It returns the span of a fault longer
// than a request. An error that wraps [ErrUnsupported] means that this kubelet lacks what the fault needs.
//
// A new fault is an action in trial/fault.go and its inject in podFaults or nodeFaults. A new API request needs a
// handler in virtual/_node/api/requests.go.
type inject func(ctx context.Context, s *ongoing, c trial.Fault) (*span, error)

type span struct{ began, ended time.Time }

const boundOver = "the trial's bound is over"

// await looks at the timeline whenever there is more to see, until nothing is missing. It returns why it stopped
// waiting; late means that the time was over.
func (s *ongoing) await(
	ctx context.Context, until time.Time, over string, missing func(*timeline.Timeline, formula.Kubelet) string,
) (why string, late bool) {
	var ended error
	for {
		late := !s.on.Now().Before(until)
		s.adopt(ctx)
		r := s.look()
		what := missing(timeline.Build(r.Evidence, delay.Record{}), r.Kubelet)
		doomed := ""
		if what != "" {
			doomed = s.doom.sealed(r, what, s.on.Now())
		}
		switch {
		case what == "":
			return "", false
		case doomed != "":
			return fmt.Sprintf("waited for %s, which can't help any more: %s", what, doomed), false
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

func (s *ongoing) look() Record {
	r := s.on.Look(s.pods)
	if len(s.pods) == 0 {
		r.Evidence = timeline.Evidence{}
		return r
	}
	r.Evidence.Faults = slices.Clone(s.faults)
	if s.External != nil {
		r.Evidence.Losses = append(r.Evidence.Losses, taken(s.Trial, r.Evidence)...)
	}
	return r
}
