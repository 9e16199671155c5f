package lab

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

const (
	// podStart bounds the time from a pod's creation to the start of all its containers.
	podStart = 90 * time.Second
	// lookEvery is how often a trial's timeline is looked at again at most, however fast marks come in.
	lookEvery = 200 * time.Millisecond
)

// attempts runs a selection until it is conclusive, at most Options.Attempts times. It holds a place among the starting pods, which
// it gives back as soon as its own pod has started.
func (l *Lab) attempts(r *run, starts *semaphore.Weighted) {
	defer r.finish()
	for number := 1; number <= l.options.Attempts; number++ {
		if number > 1 {
			if err := starts.Acquire(l.ctx, 1); err != nil {
				break
			}
		}
		r.begin(number)
		started := sync.OnceFunc(func() {
			starts.Release(1)
			r.started()
		})
		a, why := l.attempt(r.Selection, number, started)
		started()
		r.keep(a, why)
		if a.Result.Verdict != trial.Inconclusive || l.ctx.Err() != nil {
			break
		}
	}
	r.end()
}

func (r *run) begin(attempt int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase, r.state.Attempt, r.state.Started = Starting, attempt, time.Now()
}

func (r *run) started() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase = Running
}

func (r *run) keep(a trial.Attempt, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Attempts = append(r.outcome.Attempts, a)
	r.outcome.Verdict, r.outcome.Why = a.Result.Verdict, why
}

func (r *run) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase, r.state.Verdict = Done, r.outcome.Verdict
	r.state.Why = cmp.Or(r.outcome.Why, r.outcome.Reason())
}

// attempt runs a trial's pod once and judges what was recorded of it. The reason is empty unless something kept it from
// being measured to the end.
func (l *Lab) attempt(s Selection, number int, started func()) (trial.Attempt, string) {
	a := trial.Attempt{Started: time.Now()}
	ctx, cancel := context.WithTimeoutCause(l.ctx, s.Trial.Bound()+podStart, fmt.Errorf("trial %s was given up after %v", s.Trial.ID, s.Trial.Bound()+podStart))
	defer cancel()
	e := &experiment{lab: l, Selection: s, node: l.nodes[s.Subject], created: a.Started}
	why := e.run(ctx, number, started)
	a.Took = time.Since(a.Started)
	a.Evidence = e.evidence()
	a.Evidence.Cut = why
	noise := e.node.noiseSoFar()
	a.Result = trial.Judge(s.Trial, timeline.Build(a.Evidence, noise), noise, e.node.subject.Kubelet)
	e.remove()
	return a, why
}

// experiment is one pod of a trial.
type experiment struct {
	Selection
	lab      *Lab
	node     *node
	created  time.Time
	pod      *corev1.Pod
	cues     []timeline.Cue
	counters *timeline.Counters
}

// run creates the pod, delivers the cues and returns when everything the claims measure is there. What it returns is why it stopped before.
func (e *experiment) run(ctx context.Context, number int, started func()) string {
	if err := e.create(ctx, number); err != nil {
		return err.Error()
	}
	begun, why := e.waitForStart(ctx)
	started()
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

// create deploys the trial's pod on the subject's node.
func (e *experiment) create(ctx context.Context, number int) error {
	pod := e.Trial.Pod.DeepCopy()
	pod.Name = fmt.Sprintf("%s-%s-%d", strings.ReplaceAll(e.Trial.ID, "/", "-"), e.node.subject.Slug, number)
	pod.Namespace = e.lab.options.Namespace
	pod.Annotations = map[string]string{"podclock.dev/trial": e.Trial.ID, "podclock.dev/about": e.Trial.About}
	pod.Spec.NodeName = e.node.subject.Node
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Image = e.lab.options.FaultImage
	}
	return e.lab.persist(ctx, "create pod "+pod.Name, func(ctx context.Context) error {
		created, err := e.lab.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err == nil {
			e.pod = created
		}
		return err
	})
}

// waitForStart waits until every container of the pod has started its first life.
func (e *experiment) waitForStart(ctx context.Context) (time.Time, string) {
	bounded, cancel := context.WithTimeoutCause(ctx, podStart, fmt.Errorf("it did not come within %v", podStart))
	defer cancel()
	why := e.await(bounded, func(t *timeline.Timeline) string {
		for _, c := range e.pod.Spec.Containers {
			if life := t.Life(c.Name, 1); life == nil || life.Started == nil {
				return "the start of container " + c.Name
			}
		}
		return ""
	})
	if why != "" {
		why = fmt.Sprintf("pod %s on node %s: %s (%s)", e.pod.Name, e.pod.Spec.NodeName, why, e.lab.pods.complaint(string(e.pod.UID)))
	}
	return time.Now(), why
}

// deliver waits for a cue's time and does what it says.
func (e *experiment) deliver(ctx context.Context, cue trial.Cue, begun time.Time) string {
	if err := sleepUntil(ctx, begun.Add(cue.After)); err != nil {
		return fmt.Sprintf("waiting for the cue %s of pod %s: %v", cue.Action, e.pod.Name, err)
	}
	from := time.Now()
	err := e.lab.client.CoreV1().Pods(e.pod.Namespace).Delete(ctx, e.pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: cue.GracePeriodSeconds, Preconditions: metav1.NewUIDPreconditions(string(e.pod.UID)),
	})
	done := timeline.Cue{What: string(cue.Action), At: e.node.place(from, time.Now())}
	if err != nil {
		done.Error = err.Error()
	}
	e.cues = append(e.cues, done)
	if err != nil {
		return fmt.Sprintf("%s pod %s: %v", cue.Action, e.pod.Name, err)
	}
	return ""
}

// waitForEnd waits until every claim can be measured, and reads the kubelet's own counters where the trial has probes. The trial's bound
// counts from its start: a pod that a busy node was slow to start has as much time to be measured as any other.
func (e *experiment) waitForEnd(ctx context.Context, begun time.Time) string {
	bounded, cancel := context.WithDeadline(ctx, begun.Add(e.Trial.Bound()))
	defer cancel()
	why := e.await(bounded, func(t *timeline.Timeline) string { return trial.Missing(e.Trial, t, e.node.subject.Kubelet) })
	if len(e.Trial.Cues) == 0 && ctx.Err() == nil {
		e.counters = e.lab.counters(ctx, e)
	}
	if err := e.node.drain(ctx); err != nil && why == "" {
		why = fmt.Sprintf("the last marks of pod %s did not come: %v", e.pod.Name, err)
		return why
	}
	if why != "" && ctx.Err() == nil {
		return "" // the bound is over: the judge decides what the absence means
	}
	return why
}

// await looks at the pod's timeline whenever something changed, until nothing is missing any more. It returns what was missing
// when ctx ended.
func (e *experiment) await(ctx context.Context, missing func(*timeline.Timeline) string) string {
	for {
		marks, pods := e.node.change(), e.lab.pods.change()
		what := missing(timeline.Build(e.evidence(), timeline.Noise{}))
		if what == "" {
			return ""
		}
		select {
		case <-marks:
		case <-pods:
		case <-ctx.Done():
			return fmt.Sprintf("waited for %s: %v", what, context.Cause(ctx))
		}
		if err := sleepUntil(ctx, time.Now().Add(lookEvery)); err != nil {
			continue // the next look ends it, with all that is known
		}
	}
}

// evidence is everything known of the pod so far.
func (e *experiment) evidence() timeline.Evidence {
	if e.pod == nil {
		return timeline.Evidence{}
	}
	ev := e.node.evidence(string(e.pod.UID), e.node.place(e.created, e.created).At)
	ev.Pod = e.pod.Namespace + "/" + e.pod.Name
	ev.Cues, ev.Counters = e.cues, e.counters
	ev.API = e.lab.pods.changes(string(e.pod.UID), e.node.place)
	return ev
}

// removal bounds the deletion of a pod that is of no use any more.
const removal = 10 * time.Second

// remove deletes the pod without waiting for its end. A failure is only told: the namespace's deletion takes what is left, as it does
// when the lab has ended.
func (e *experiment) remove() {
	if e.pod == nil || e.lab.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.lab.ctx, removal)
	defer cancel()
	now := int64(0)
	err := e.lab.client.CoreV1().Pods(e.pod.Namespace).Delete(ctx, e.pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	if err != nil && !isNotFound(err) {
		_, _ = fmt.Fprintf(e.lab.options.Log, "delete pod %s: %v\n", e.pod.Name, err)
	}
}

func sleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
