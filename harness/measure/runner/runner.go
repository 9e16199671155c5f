package runner

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	// StartWithin bounds the time from the pods' creation to the start of all their containers by an ordinary runtime.
	StartWithin = 90 * time.Second
	// LongestDelay bounds how much longer a trial waits on a delayed node.
	LongestDelay = time.Minute
	// DisappearsWithin bounds the wait for a pod's object to disappear.
	DisappearsWithin = 60 * time.Second
)

// Runner plays one attempt of a trial on a node: it creates the pods, waits until the trial has begun, injects the
// faults, waits for what the claims measure, and judges the evidence.
type Runner struct {
	Deployment
	On Node
	// Begun is called once, when the pods have started, or why they did not, if the node may be the cause.
	Begun func(unstarted string)
	// OffTick returns the next time at which the lane injects a fault that waits for no point. It may be nil.
	OffTick func(time.Time) time.Time
	// Again means that a further attempt may follow. Then this one ends as soon as it can't conform any more.
	Again bool

	ongoing ongoing
	created time.Time
}

// Completed is the result of one attempt.
type Completed struct {
	trial.Attempt
	// Why is the reason why the attempt was cut, or empty.
	Why string
	// Skipped is the verdict if there was no attempt, for the reason in Why.
	Skipped trial.Verdict
	// Lost means that the node can't be used any more, but another run may use it.
	Lost bool
}

// Play plays the attempt and judges it.
func (p *Runner) Play(ctx context.Context) Completed {
	a := Completed{Attempt: trial.Attempt{Started: time.Now(), Node: p.Node}}
	p.created, p.ongoing = p.On.Now(), ongoing{Deployment: p.Deployment, on: p.On}
	if p.Again {
		p.ongoing.doom = &doom{trial: p.Trial}
	}
	a.Why = p.play(ctx)
	a.Took = time.Since(a.Started)
	p.Judge(&a)
	if p.ongoing.unsupported {
		a.Skipped = trial.Unsupported
	}
	return a
}

// Judge judges an attempt by everything that is known of it now.
func (p *Runner) Judge(a *Completed) {
	r := p.ongoing.look()
	a.Kubelet, a.Evidence = r.Kubelet, r.Evidence
	delays := r.Delays()
	a.Evidence.Cut = a.Why
	a.Result = judge.Judge(p.Trial, timeline.Build(a.Evidence, delays), delays, a.Kubelet)
}

// Created returns when the first pod was created, in the lane's time.
func (p *Runner) Created() time.Time { return p.created }

// Pods returns the pods that were created.
func (p *Runner) Pods() []Deployed { return p.ongoing.pods }

// Undo restores what the attempt changed of the node, the last change first.
func (p *Runner) Undo(ctx context.Context) error { return p.ongoing.restore(ctx) }

// play returns why the attempt ended early, or "".
func (p *Runner) play(ctx context.Context) string {
	if err := p.deploy(ctx); err != nil {
		p.Begun("")
		return err.Error()
	}
	why := p.waitForStart(ctx)
	begun := p.On.Now()
	p.Begun(why)
	if why == "" && p.Trial.Budgets == 1 {
		why = p.ongoing.awaitBudget(ctx)
	}
	if why == "" && p.Trial.Job != nil {
		if err := p.ongoing.createJob(ctx); err != nil {
			return err.Error()
		}
	}
	for _, fault := range p.Trial.Faults {
		if why != "" {
			return why
		}
		why = p.ongoing.deliver(ctx, fault, begun, p.OffTick)
	}
	if why != "" {
		return why
	}
	return p.waitForEnd(ctx, begun)
}

func (p *Runner) deploy(ctx context.Context) error {
	for number := range p.Trial.Budgets {
		if err := p.ongoing.createBudget(ctx, number); err != nil {
			return err
		}
	}
	if p.Trial.Service != nil {
		if err := p.ongoing.createService(ctx); err != nil {
			return err
		}
	}
	for _, pod := range First(p.Trial) {
		if err := p.ongoing.create(ctx, pod.Pod, pod.Companion); err != nil {
			return err
		}
	}
	return nil
}

func (p *Runner) waitForStart(ctx context.Context) string {
	if p.Trial.Unscheduled {
		return ""
	}
	refused, within := false, StartWithin+p.Trial.ContainerStart
	why, _ := p.ongoing.await(ctx, p.On.Now().Add(within), fmt.Sprintf("it did not come within %v", within),
		func(tl *timeline.Timeline, _ formula.Kubelet) (missing string) {
			missing, refused = ToBegin(p.Trial, p.ongoing.pods, tl)
			return missing
		})
	if refused {
		why = "the kubelet does not take it"
	}
	if why == "" {
		return ""
	}
	newest := p.ongoing.look().Newest
	complaint := Complaint(newest)
	if p.External != nil && newest != nil && newest.Status.Phase == corev1.PodRunning {
		complaint += fmt.Sprintf("; does a network policy keep the pods of namespace %s from port %d of each other?",
			p.Namespace, mark.Port)
	}
	return fmt.Sprintf("pod %s on node %s: %s (%s)", p.ongoing.pods[0].Name, p.Node, why, complaint)
}

// waitForEnd waits until every claim can be measured, or the trial's bound since its begin is over, and then for as
// long as the node was delayed in that time. The judge then decides what the absence means.
func (p *Runner) waitForEnd(ctx context.Context, begun time.Time) string {
	bound := p.Trial.Bound()
	wait := func(d time.Duration) (string, bool) {
		return p.ongoing.await(ctx, begun.Add(d), boundOver,
			func(tl *timeline.Timeline, k formula.Kubelet) string { return trial.Missing(p.Trial, tl, k) })
	}
	why, late := wait(bound)
	if late {
		span := p.On.Instant(begun, p.On.Now())
		delays := p.ongoing.look().Delays()
		why, late = wait(bound + min(delays.Total(span.At-span.Early, span.At+span.Late), LongestDelay))
	}
	if late {
		why = ""
	}
	var probed *corev1.Pod
	if len(p.Trial.Faults) == 0 && p.Trial.LongestPeriod() > 0 {
		probed = Own(p.ongoing.pods)
	}
	if err := p.On.Settle(ctx, probed); err != nil && why == "" {
		return fmt.Sprintf("the last marks of pod %s did not come: %v", p.ongoing.pods[0].Name, err)
	}
	return why
}
