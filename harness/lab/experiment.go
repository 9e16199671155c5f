package lab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// lookEvery is how often a trial's timeline is looked at again at most, however fast marks come in.
const lookEvery = 200 * time.Millisecond

// experiment is one run of a trial's pods.
type experiment struct {
	stage.Selection
	lab        *Lab
	node       *node
	deployment stage.Deployment
	created    time.Time
	// pods are those created so far: the trial's own first, companions, and any that were created again.
	pods     []stage.Deployed
	cues     []timeline.Cue
	counters *timeline.Counters
	// removals are asked for where a verdict would be deviates.
	removals []timeline.Removal
	// started is called once, when the pods have started or will not.
	started func(failed bool)
	// unsupported says that the kubelet's version does not know what a cue configures.
	unsupported bool
	// undo is what the experiment has to put back when it is over, the last first.
	undo []func(context.Context) error
}

// run creates the pods, delivers the cues and returns when everything the claims measure is there. What it
// returns is why it stopped before.
func (e *experiment) run(ctx context.Context) string {
	if e.Trial.Budget {
		if err := e.createBudget(ctx); err != nil {
			e.started(false)
			return err.Error()
		}
	}
	for _, p := range stage.First(e.Trial) {
		if err := e.create(ctx, p.Pod, p.Companion); err != nil {
			e.started(false)
			return err.Error()
		}
	}
	begun, why := e.waitForStart(ctx)
	e.started(why != "" && e.lab.ctx.Err() == nil)
	if why == "" && e.Trial.Budget {
		why = e.awaitBudget(ctx)
	}
	if why != "" {
		return why
	}
	for _, cue := range e.Trial.Cues {
		if why := e.deliver(ctx, cue, begun); why != "" {
			return why
		}
	}
	return e.waitForEnd(ctx, begun)
}

// create deploys one of the trial's pods on the subject's node.
func (e *experiment) create(ctx context.Context, template *corev1.Pod, companion string) error {
	pod := e.deployment.Fill(template, companion)
	return e.lab.persist(ctx, "create pod "+pod.Name, func(ctx context.Context) error {
		created, err := e.lab.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err == nil {
			e.pods = append(e.pods, stage.Deployed{Pod: created, Companion: companion})
		}
		return err
	})
}

// deployment is what there is to know of one attempt to fill in its pods.
func (l *Lab) deployment(t trial.Trial, n *node, attempt int) stage.Deployment {
	return stage.Deployment{
		Trial: t, Slug: n.subject.Slug, Attempt: attempt, Namespace: l.options.Namespace, Node: n.name,
		Images: l.options.Images.Images,
	}
}

// waitForStart waits until the trial has begun.
func (e *experiment) waitForStart(ctx context.Context) (time.Time, string) {
	if e.Trial.Unscheduled {
		return time.Now(), ""
	}
	bounded, cancel := context.WithTimeoutCause(
		ctx,
		stage.StartWithin,
		fmt.Errorf("it did not come within %v", stage.StartWithin),
	)
	defer cancel()
	refused := false
	why := e.await(bounded, func(t *timeline.Timeline) (missing string) {
		missing, refused = stage.ToBegin(e.Trial, e.pods, t)
		return missing
	})
	if refused {
		why = "the kubelet does not take it"
	}
	if why != "" {
		why = fmt.Sprintf(
			"pod %s on node %s: %s (%s)",
			e.pods[0].Name,
			e.node.name,
			why,
			e.lab.pods.complaint(string(e.pods[0].UID)),
		)
	}
	return time.Now(), why
}

// waitForEnd waits until every claim can be measured, and reads the kubelet's own counters where the trial
// has probes. The trial's bound counts from its start: a pod that a busy node was slow to start has as much
// time to be measured as any other.
func (e *experiment) waitForEnd(ctx context.Context, begun time.Time) string {
	bounded, cancel := context.WithDeadline(ctx, begun.Add(e.Trial.Bound()))
	defer cancel()
	why := e.await(bounded, func(t *timeline.Timeline) string { return trial.Missing(e.Trial, t, e.node.runs()) })
	if len(e.Trial.Cues) == 0 && e.Trial.LongestPeriod() > 0 && ctx.Err() == nil {
		e.counters = e.lab.counters(ctx, e)
	}
	if why != "" && bounded.Err() != nil && ctx.Err() == nil {
		why = "" // the bound is over: the judge decides what the absence means
	}
	if err := e.drain(ctx); err != nil && why == "" {
		return fmt.Sprintf("the last marks of pod %s did not come: %v", e.pods[0].Name, err)
	}
	return why
}

// known counts what is known of an experiment, so that its timeline is only built again when there is more of it.
type known struct {
	marks, versions, events, cues, conditions int
	seconds                                   int64
}

func (e *experiment) known() known {
	k := known{versions: e.lab.pods.count(e.pods), events: e.lab.events.count(e.pods), cues: len(e.cues)}
	k.marks, k.seconds = e.node.seen(e.pods)
	k.conditions = e.lab.conditions.count(e.node.name)
	return k
}

// await looks at the pods' timeline whenever something changed, until nothing is missing any more. It
// returns what was missing when ctx ended, or why waiting has no sense any more.
func (e *experiment) await(ctx context.Context, missing func(*timeline.Timeline) string) string {
	looked, what := known{seconds: -1}, ""
	for {
		marks, pods, events := e.node.change(), e.lab.pods.change(), e.lab.events.change()
		ended := ctx.Err() != nil
		if now := e.known(); now != looked || ended {
			ev := e.evidence()
			if what = missing(timeline.Build(ev, delay.Record{})); what == "" {
				return ""
			}
			if len(ev.Losses) > 0 { // nothing that comes now can make it conclusive
				return fmt.Sprintf("waited for %s: %s", what, ev.Losses[0].Why)
			}
			looked = now
		}
		if why := e.node.unusable(); why != "" {
			return fmt.Sprintf("waited for %s: %s", what, why)
		}
		if ended {
			return fmt.Sprintf("waited for %s: %v", what, context.Cause(ctx))
		}
		select {
		case <-marks:
		case <-pods:
		case <-events:
		case <-time.After(time.Second): // a node's conditions wake nobody
		case <-ctx.Done():
		}
		_ = sleepUntil(ctx, time.Now().Add(lookEvery))
	}
}

// evidence is everything known of the pods so far.
func (e *experiment) evidence() timeline.Evidence {
	if len(e.pods) == 0 {
		return timeline.Evidence{}
	}
	pods := make([]*corev1.Pod, len(e.pods))
	for i, p := range e.pods {
		pods[i] = p.Pod
	}
	begin := e.node.place(e.created, e.created)
	marks, losses, known := e.node.recorded(pods, begin.At)
	recorded := make([]stage.Recorded, len(e.pods))
	for i, p := range e.pods {
		uid := string(p.UID)
		recorded[i] = stage.Recorded{
			Deployed: p,
			Marks:    marks[i],
			Changes:  e.lab.pods.changes(uid, e.node.place),
			Events:   e.lab.events.about(uid, e.node.place),
		}
	}
	ev := stage.Evidence(recorded)
	ev.Losses, ev.Known, ev.Cues, ev.Counters, ev.Removals = losses, known, slices.Clone(e.cues), e.counters, e.removals
	if e.Trial.Worker != nil {
		ev.Node = e.lab.conditions.of(e.node.name, e.created, e.node.place)
	}
	return ev
}

// looking bounds the search for what surrounded a deviation.
const looking = 15 * time.Second

// deviation gathers what a reader wants to see of an attempt that deviates.
func (e *experiment) deviation(until time.Time) *trial.Deviation {
	if e.lab.options.Workers == nil || !e.lab.takeLog() {
		return stage.Deviation(e.pods, nil)
	}
	ctx, cancel := context.WithTimeout(e.lab.ctx, looking)
	defer cancel()
	e.lab.logs.Lock() // one search at a time: it disturbs what is measured
	defer e.lab.logs.Unlock()
	var about []string
	for _, p := range e.pods {
		about = append(about, p.Name, string(p.UID))
	}
	// the container runtime names no pod but a sandbox's
	about = slices.AppendSeq(about, maps.Keys(instances(e.evidence().API)))
	log, err := e.lab.options.Workers.NodeLog(ctx, e.node.name, e.created, until, about...)
	return stage.Deviation(e.pods, log, err)
}

// removal bounds the deletion of a pod that is of no use any more.
const removal = 10 * time.Second

// remove puts back what the experiment changed and deletes its pods without waiting for their end. A
// failure to delete is only told: the namespace's deletion takes what is left, as it does when the lab has
// ended.
func (e *experiment) remove() {
	if e.lab.ctx.Err() != nil {
		return // the cluster goes, or what is left is put right when it is adopted
	}
	for _, p := range e.pods {
		e.lab.delete(p.Pod)
	}
	for _, undo := range slices.Backward(e.undo) {
		if err := undo(e.lab.ctx); err != nil {
			e.lab.giveUp(e.node, err)
		}
	}
}

// delete removes a pod without grace, and does not wait for its end.
func (l *Lab) delete(p *corev1.Pod) {
	ctx, cancel := context.WithTimeout(l.ctx, removal)
	defer cancel()
	now := int64(0)
	err := l.client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(p.UID)),
	})
	if err != nil && !isNotFound(err) {
		l.say("delete pod %s: %v", p.Name, err)
	}
}

func (l *Lab) say(format string, args ...any) {
	_, _ = fmt.Fprintf(l.options.Log, format+"\n", args...)
}
