package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

const (
	// podStart bounds the time from a pod's creation to the start of all its containers.
	podStart = 90 * time.Second
	// lookEvery is how often a trial's timeline is looked at again at most, however fast marks come in.
	lookEvery = 200 * time.Millisecond
)

// experiment is one run of a trial's pods.
type experiment struct {
	Selection
	lab     *Lab
	node    *node
	number  int
	created time.Time
	// pods are those created so far: the trial's own first, companions, and any that were created again.
	pods     []deployed
	cues     []timeline.Cue
	counters *timeline.Counters
	// started is called once, when the pods have started or will not.
	started func(failed bool)
	// undo is what the experiment has to put back when it is over, the last first.
	undo []func(context.Context) error
}

// deployed is a pod that was created.
type deployed struct {
	*corev1.Pod
	// companion is its name in the trial, empty for the trial's own pod.
	companion string
}

// run creates the pods, delivers the cues and returns when everything the claims measure is there. What it returns is why it stopped before.
func (e *experiment) run(ctx context.Context) string {
	if e.Trial.Budget {
		if err := e.createBudget(ctx); err != nil {
			e.started(false)
			return err.Error()
		}
	}
	for _, p := range e.first() {
		if err := e.create(ctx, p.Pod, p.companion); err != nil {
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

// first are the pods that no cue creates.
func (e *experiment) first() []deployed {
	pods := []deployed{{Pod: e.Trial.Pod}}
	for _, p := range e.Trial.Companions {
		later := slices.ContainsFunc(e.Trial.Cues, func(c trial.Cue) bool { return c.Action == trial.CreatePod && c.Pod == p.Name })
		if !later {
			pods = append(pods, deployed{Pod: p, companion: p.Name})
		}
	}
	return pods
}

// create deploys one of the trial's pods on the subject's node.
func (e *experiment) create(ctx context.Context, template *corev1.Pod, companion string) error {
	pod := template.DeepCopy()
	pod.Name = e.name(companion)
	pod.Namespace = e.lab.options.Namespace
	pod.Annotations = map[string]string{"podclock.dev/trial": e.Trial.ID, "podclock.dev/about": e.Trial.About}
	if !e.Trial.Unscheduled {
		pod.Spec.NodeName = e.node.name
	}
	if e.Trial.Budget {
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		pod.Labels[budgetLabel] = e.budgeted()
	}
	if len(pod.Spec.Tolerations) == 0 {
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			list[i].Image = e.lab.image(list[i].Image, pod, list[i].Name)
		}
	}
	return e.lab.persist(ctx, "create pod "+pod.Name, func(ctx context.Context) error {
		created, err := e.lab.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err == nil {
			e.pods = append(e.pods, deployed{created, companion})
		}
		return err
	})
}

// name is the name of one of the experiment's pods.
func (e *experiment) name(companion string) string {
	parts := []string{strings.ReplaceAll(e.Trial.ID, "/", "-"), e.node.subject.Slug, fmt.Sprint(e.number)}
	if companion != "" {
		parts = append(parts, companion)
	}
	return strings.Join(parts, "-")
}

// image is the reference of a container's image: an empty one and the names of the fault program's variants become what is on the nodes.
func (l *Lab) image(name string, pod *corev1.Pod, container string) string {
	switch name {
	case "":
		return l.options.Images.Fault
	case victim.OtherImage:
		return l.options.Images.FaultOther
	case victim.StopSignalImage:
		return l.options.Images.FaultStopSignal
	case victim.UnpullableImage:
		return mark.UnpullableImage(pod.Namespace, pod.Name, container)
	}
	return name
}

// waitForStart waits until every container of the pods has started its first life. A trial whose first cue waits for a point of its own, or that
// has no cue at all, begins when its pod's first container does.
func (e *experiment) waitForStart(ctx context.Context) (time.Time, string) {
	if e.Trial.Unscheduled {
		return time.Now(), ""
	}
	bounded, cancel := context.WithTimeoutCause(ctx, podStart, fmt.Errorf("it did not come within %v", podStart))
	defer cancel()
	all := len(e.Trial.Cues) > 0 && e.Trial.Cues[0].When == (trial.Point{})
	refused := false
	why := e.await(bounded, func(t *timeline.Timeline) string {
		if refused = e.refused(t); refused {
			return ""
		}
		for _, pod := range e.pods {
			for _, c := range pod.Spec.Containers {
				if life := t.Life(c.Name, 1); all && (life == nil || life.Started == nil) {
					return "the start of container " + c.Name
				}
			}
		}
		if !stirred(t) {
			return "the start of any container"
		}
		return ""
	})
	if refused {
		why = "the kubelet does not take it"
	}
	if why != "" {
		why = fmt.Sprintf("pod %s on node %s: %s (%s)", e.pods[0].Name, e.node.name, why, e.lab.pods.complaint(string(e.pods[0].UID)))
	}
	return time.Now(), why
}

// refused says whether the kubelet refused the trial's own pod at once: it failed, and nothing of it ever started.
func (e *experiment) refused(t *timeline.Timeline) bool {
	if len(t.Containers) > 0 || len(t.API) == 0 {
		return false
	}
	newest := t.API[len(t.API)-1]
	return newest.Pod == "" && newest.Phase == string(corev1.PodFailed) && len(newest.Containers) == 0
}

// stirred says whether something became of the pods: a container started, or the API says why none can.
func stirred(t *timeline.Timeline) bool {
	for _, c := range t.Containers {
		if len(c.Lives) > 0 && c.Lives[0].Started != nil {
			return true
		}
	}
	for _, c := range t.API {
		for _, s := range c.Containers {
			creating := s.Reason == "" || s.Reason == "ContainerCreating" || s.Reason == "PodInitializing"
			if s.State == "terminated" || s.State == "waiting" && !creating {
				return true
			}
		}
	}
	return false
}

// waitForEnd waits until every claim can be measured, and reads the kubelet's own counters where the trial has probes. The trial's bound
// counts from its start: a pod that a busy node was slow to start has as much time to be measured as any other.
func (e *experiment) waitForEnd(ctx context.Context, begun time.Time) string {
	bounded, cancel := context.WithDeadline(ctx, begun.Add(e.Trial.Bound()))
	defer cancel()
	why := e.await(bounded, func(t *timeline.Timeline) string { return trial.Missing(e.Trial, t, e.node.runs()) })
	if len(e.Trial.Cues) == 0 && e.Trial.LongestPeriod() > 0 && ctx.Err() == nil {
		e.counters = e.lab.counters(ctx, e)
	}
	if err := e.node.drain(ctx); err != nil && why == "" {
		return fmt.Sprintf("the last marks of pod %s did not come: %v", e.pods[0].Name, err)
	}
	if why != "" && bounded.Err() != nil && ctx.Err() == nil {
		return "" // the bound is over: the judge decides what the absence means
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

// await looks at the pods' timeline whenever something changed, until nothing is missing any more. It returns what was missing
// when ctx ended, or why waiting has no sense any more.
func (e *experiment) await(ctx context.Context, missing func(*timeline.Timeline) string) string {
	looked, what := known{seconds: -1}, ""
	for {
		marks, pods, events := e.node.change(), e.lab.pods.change(), e.lab.events.change()
		ended := ctx.Err() != nil
		if now := e.known(); now != looked || ended {
			ev := e.evidence()
			if what = missing(timeline.Build(ev, timeline.Noise{})); what == "" {
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
	ev := timeline.Evidence{
		Pod: pods[0].Namespace + "/" + pods[0].Name, UID: string(pods[0].UID), Losses: losses, Known: known,
		Cues: slices.Clone(e.cues), Counters: e.counters,
	}
	if e.Trial.Worker != nil {
		ev.Node = e.lab.conditions.of(e.node.name, e.created, e.node.place)
	}
	lives := map[string]int{} // of the containers of pods that were created again: how many there were before
	for i, p := range e.pods {
		last := map[string]int{}
		for _, r := range marks[i] {
			last[r.Container] = max(last[r.Container], r.Life)
			if r.Life > 0 {
				r.Life += lives[r.Container]
			}
			ev.Marks = append(ev.Marks, r)
		}
		for _, c := range e.lab.pods.changes(string(p.UID), e.node.place) {
			c.Pod = p.companion
			for j := range c.Containers {
				if s := &c.Containers[j]; s.Ended != nil && lives[s.Name] > 0 {
					end := *s.Ended
					end.Life += lives[s.Name]
					s.Ended = &end
				}
			}
			ev.API = append(ev.API, c)
		}
		for container, n := range last {
			lives[container] += n
		}
		for _, event := range e.lab.events.about(string(p.UID), e.node.place) {
			event.Pod = p.companion
			ev.Events = append(ev.Events, event)
		}
	}
	slices.SortStableFunc(ev.Marks, func(a, b mark.Record) int { return int(int64(a.Seq) - int64(b.Seq)) })
	slices.SortStableFunc(ev.API, func(a, b timeline.Change) int { return int(a.At.At - b.At.At) })
	slices.SortStableFunc(ev.Events, func(a, b timeline.Event) int { return int(a.At.At - b.At.At) })
	return ev
}

const (
	// looking bounds the search for what surrounded a deviation.
	looking = 15 * time.Second
	// mostLogs is of how many deviations the kubelet's log is kept: a kubelet that does all wrong needs no more to show it.
	mostLogs = 25
)

// deviation gathers what a reader wants to see of an attempt that deviates.
func (e *experiment) deviation(until time.Time) *trial.Deviation {
	d := &trial.Deviation{}
	var missing []error
	for _, p := range e.pods {
		text, err := json.Marshal(p.Pod)
		if err != nil {
			missing = append(missing, fmt.Errorf("the spec of pod %s: %w", p.Name, err))
			continue
		}
		d.Pods = append(d.Pods, text)
	}
	if e.lab.options.Workers != nil && e.lab.takeLog() {
		ctx, cancel := context.WithTimeout(e.lab.ctx, looking)
		defer cancel()
		e.lab.logs.Lock() // one search at a time: it disturbs what is measured
		defer e.lab.logs.Unlock()
		var about []string
		for _, p := range e.pods {
			about = append(about, p.Name, string(p.UID))
		}
		var err error
		if d.KubeletLog, err = e.lab.options.Workers.KubeletLog(ctx, e.node.name, e.created, until, about...); err != nil {
			missing = append(missing, err)
		}
	}
	if err := errors.Join(missing...); err != nil {
		d.Missing = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return d
}

// removal bounds the deletion of a pod that is of no use any more.
const removal = 10 * time.Second

// remove puts back what the experiment changed and deletes its pods without waiting for their end. A failure to delete is only told: the
// namespace's deletion takes what is left, as it does when the lab has ended.
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
