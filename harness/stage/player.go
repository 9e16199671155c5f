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
	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

const (
	// StartWithin bounds the time from the creation of the pods to the start of all their containers.
	StartWithin = 90 * time.Second
	// DisappearsWithin bounds the wait for a pod's object to go before the pod is created again.
	DisappearsWithin = 60 * time.Second
)

// Player plays one attempt of a trial on a node that is ready for it. It holds the order of the attempt: it
// creates the pods, waits until the trial has begun, injects the cues, waits for what the claims measure,
// and judges the evidence.
type Player struct {
	Deployment
	On Node
	// Begun is called once: the pods have started, or will not. Failed reports that they did not start.
	Begun func(failed bool)
	// OffTick returns the first time, from a time on, at which the lane injects a cue that waits for no
	// point. Nil means any time.
	OffTick func(time.Time) time.Time

	created time.Time
	// pods are in the order of their creation: the trial's own first, companions, pods that were created again.
	pods []Deployed
	cues []timeline.Cue
	// delay is how much later than the trial defines it the first cue without a point comes. Later ones keep
	// their distance from it. It is nil before that cue.
	delay *time.Duration
	// undo restores what cues changed, in the reverse order.
	undo        []func(context.Context) error
	unsupported bool
}

// Played is the result of one attempt.
type Played struct {
	trial.Attempt
	// Why is the reason why the attempt was not measured to its end, empty if it was.
	Why string
	// Skipped is the verdict if there was no attempt, for the reason in Why.
	Skipped trial.Verdict
}

// Play plays the attempt and judges it.
func (p *Player) Play(ctx context.Context) Played {
	a := Played{Attempt: trial.Attempt{Started: time.Now(), Node: p.Deployment.Node}}
	p.created = p.On.Now()
	a.Why = p.play(ctx)
	a.Took = time.Since(a.Started)
	p.Judge(&a)
	if p.unsupported {
		a.Skipped = trial.Unsupported
	}
	return a
}

// Judge judges an attempt by everything that is known of it now.
func (p *Player) Judge(a *Played) {
	r := p.look()
	a.Kubelet, a.Evidence = r.Kubelet, r.Evidence
	a.Evidence.Cut = a.Why
	a.Result = judge.Judge(p.Trial, timeline.Build(a.Evidence, r.Delays), r.Delays, a.Kubelet)
}

// Created returns when the first pod was created, in the lane's time.
func (p *Player) Created() time.Time { return p.created }

// Pods returns the pods that were created.
func (p *Player) Pods() []Deployed { return p.pods }

// Undo restores what the attempt changed of the node, the last change first.
func (p *Player) Undo(ctx context.Context) error {
	var all []error
	for _, undo := range slices.Backward(p.undo) {
		all = append(all, undo(ctx))
	}
	p.undo = nil
	return errors.Join(all...)
}

// play returns why the attempt ended early, empty if it did not.
func (p *Player) play(ctx context.Context) string {
	if err := p.deploy(ctx); err != nil {
		p.Begun(false)
		return err.Error()
	}
	why := p.waitForStart(ctx)
	begun := p.On.Now()
	p.Begun(why != "")
	if why == "" && p.Trial.Budget {
		why = p.awaitBudget(ctx)
	}
	for _, cue := range p.Trial.Cues {
		if why != "" {
			return why
		}
		why = p.deliver(ctx, cue, begun)
	}
	if why != "" {
		return why
	}
	return p.waitForEnd(ctx, begun)
}

// deploy creates the pods that no cue creates.
func (p *Player) deploy(ctx context.Context) error {
	if p.Trial.Budget {
		if err := p.createBudget(ctx); err != nil {
			return err
		}
	}
	for _, pod := range First(p.Trial) {
		if err := p.create(ctx, pod.Pod, pod.Companion); err != nil {
			return err
		}
	}
	return nil
}

// create creates one of the trial's pods.
func (p *Player) create(ctx context.Context, template *corev1.Pod, companion string) error {
	pod, created := p.Fill(template, companion), &corev1.Pod{}
	err := p.On.Do(ctx, Request{
		Method: http.MethodPost, Resource: "pods", Namespace: pod.Namespace, Body: pod, Into: created,
	})
	if err != nil {
		return fmt.Errorf("create pod %s: %w", pod.Name, err)
	}
	p.pods = append(p.pods, Deployed{Pod: created, Companion: companion})
	return nil
}

// waitForStart waits until the trial has begun.
func (p *Player) waitForStart(ctx context.Context) string {
	if p.Trial.Unscheduled {
		return ""
	}
	refused := false
	why, _ := p.await(ctx, p.On.Now().Add(StartWithin), fmt.Sprintf("it did not come within %v", StartWithin),
		func(tl *timeline.Timeline, _ formula.Kubelet) (missing string) {
			missing, refused = ToBegin(p.Trial, p.pods, tl)
			return missing
		})
	if refused {
		why = "the kubelet does not take it"
	}
	if why == "" {
		return ""
	}
	complaint := Complaint(p.look().Newest)
	return fmt.Sprintf("pod %s on node %s: %s (%s)", p.pods[0].Name, p.Deployment.Node, why, complaint)
}

// waitForEnd waits until every claim can be measured. The trial's bound counts from its start, so a slow
// start leaves as much time as any other. After the bound, the judge decides what the absence means.
func (p *Player) waitForEnd(ctx context.Context, begun time.Time) string {
	why, late := p.await(ctx, begun.Add(p.Trial.Bound()), boundOver,
		func(tl *timeline.Timeline, k formula.Kubelet) string { return trial.Missing(p.Trial, tl, k) })
	if late {
		why = ""
	}
	var probed *corev1.Pod
	if len(p.Trial.Cues) == 0 && p.Trial.LongestPeriod() > 0 {
		probed = Own(p.pods)
	}
	if err := p.On.Settle(ctx, probed); err != nil && why == "" {
		return fmt.Sprintf("the last marks of pod %s did not come: %v", p.pods[0].Name, err)
	}
	return why
}

// boundOver is the reason of a wait that ended with the trial's bound.
const boundOver = "the trial's bound is over"

// await looks at the pods' timeline whenever there is more to see, until nothing is missing. It returns what
// was missing and why it stopped waiting; late reports that the time was over, for the given reason.
func (p *Player) await(
	ctx context.Context, until time.Time, over string, missing func(*timeline.Timeline, formula.Kubelet) string,
) (why string, late bool) {
	var ended error
	for {
		late := !p.On.Now().Before(until)
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
		ended = p.On.Wait(ctx, until)
	}
}

// look returns what is known of the attempt, its cues included.
func (p *Player) look() Record {
	r := p.On.Look(p.pods)
	if len(p.pods) == 0 {
		r.Evidence = timeline.Evidence{}
		return r
	}
	r.Evidence.Cues = slices.Clone(p.cues)
	return r
}
