package observe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Observer makes facts of what is seen of pods. Its methods are called in the order of what they report.
type Observer struct {
	selected  func(*corev1.Pod) bool
	predictor predictor
	pods      map[types.UID]*watched
	endpoints endpoints
	// nodes are those whose node part reports, ends the ends of containers that they reported, by ID.
	nodes map[string]bool
	ends  map[string]Instant
	// due are facts that wait for what may still change them, the first due first.
	due []due
	// going are pods without a successor yet, coming are new pods that are ready.
	going, coming []*watched
}

type due struct {
	at   time.Time
	fact func() Fact
}

// settles is how long a fact waits: for events, changes of EndpointSlices, and ends that a node part reports. Each has
// a way of its own.
const settles = 2 * time.Second

// New returns an observer of the pods that are selected. kubelet returns the kubelet of a node.
func New(selected func(*corev1.Pod) bool, kubelet func(node string) (formula.Kubelet, error)) *Observer {
	return &Observer{
		selected: selected, predictor: predictor{kubelet: kubelet, known: map[string]predict.Prediction{}},
		pods:      map[types.UID]*watched{},
		endpoints: endpoints{map[string]map[string]bool{}, map[string]map[string]*membership{}},
		nodes:     map[string]bool{}, ends: map[string]Instant{},
	}
}

// Pod takes the next version of a pod.
func (o *Observer) Pod(p *corev1.Pod, s Seen) {
	if !o.selected(p) {
		return
	}
	w := o.pods[p.UID]
	if w == nil {
		w = &watched{
			first: s, known: map[string]bool{}, running: map[string]process{}, waited: map[string]bool{},
			kills: map[string][]kill{}, dead: map[string]*Death{},
		}
		o.pods[p.UID] = w
	}
	deleted, ready := w.requested != nil, w.ready != nil
	for _, e := range w.update(p, s) {
		o.died(w, e)
	}
	if !s.Before {
		o.restarted(w, s)
	}
	ended := p.Status.Phase == corev1.PodFailed && ofPod(p).cause != "" && p.DeletionTimestamp == nil
	if ended && w.gone == nil && !s.Before {
		w.gone = new(s.arrived(lastTransition(p)))
		o.departs(w, s)
	}
	if !s.Before && w.ready != nil && !ready {
		o.coming = append(o.coming, w)
	}
	if (w.requested != nil && !deleted || ended) && !slices.Contains(o.going, w) && !w.replaced && !s.Before {
		o.going = append(o.going, w)
	}
	o.match(s)
}

// Removed takes the last version of a pod.
func (o *Observer) Removed(p *corev1.Pod, s Seen) {
	w := o.pods[p.UID]
	if w == nil {
		return
	}
	o.Pod(p, s)
	for _, e := range w.remove(s) {
		o.died(w, e)
	}
	if w.gone == nil {
		w.gone = new(s.arrived(zero))
		if w.requested == nil { // removed at once
			w.requested = w.gone
			o.going = append(o.going, w)
		}
		if w.gone.Earliest.Before(w.requested.Earliest) {
			w.gone.Earliest = w.requested.Earliest
		}
		o.departs(w, s)
	}
}

// Pods takes all pods at once, such as after a gap: those that are missing are gone.
func (o *Observer) Pods(all []corev1.Pod, s Seen) {
	listed := map[types.UID]bool{}
	for i := range all {
		listed[all[i].UID] = true
		o.Pod(&all[i], s)
	}
	for uid, w := range o.pods {
		if !listed[uid] && (w.gone == nil || !w.departed) {
			o.Removed(w.now, s)
		}
	}
}

// Event takes the next version of an event. What the observation knows of pods comes before.
func (o *Observer) Event(e *corev1.Event, s Seen) {
	w := o.pods[e.InvolvedObject.UID]
	switch {
	case w != nil && e.Reason == "Killing":
		path := e.InvolvedObject.FieldPath
		name := strings.TrimSuffix(path[strings.Index(path, "{")+1:], "}")
		at := e.LastTimestamp
		if at.IsZero() {
			at = e.FirstTimestamp
		}
		w.kills[name] = append(w.kills[name], kill{s.arrived(at), e.Message})
	case w != nil && announced(e.Reason, e.Message).cause != "":
		w.announced = announced(e.Reason, e.Message)
	case e.Reason == "SuccessfulDelete": // pkg/controller/controller_utils.go SuccessfulDeletePodReason
		for _, w := range o.pods {
			if strings.HasSuffix(e.Message, " "+w.Name) && w.Namespace == e.Namespace {
				w.byOwner = "by its " + e.InvolvedObject.Kind + ": a rollout or a scale-down"
			}
		}
	}
}

// Slice takes the next version of an EndpointSlice.
func (o *Observer) Slice(e *discoveryv1.EndpointSlice, removed bool, s Seen) {
	o.endpoints.take(e, removed, s)
}

// Watches notes whether the node part of a node reports.
func (o *Observer) Watches(node string, is bool) { o.nodes[node] = is }

// Ended takes the end of a container's process that a node reported, by the API server's clock.
func (o *Observer) Ended(container string, at Instant) { o.ends[container] = at }

// Due returns the facts that nothing can change any more.
func (o *Observer) Due(now time.Time) (facts []Fact) {
	slices.SortStableFunc(o.due, func(a, b due) int { return a.at.Compare(b.at) })
	n := 0
	for ; n < len(o.due) && !o.due[n].at.After(now); n++ {
		if f := o.due[n].fact(); f != nil {
			facts = append(facts, f)
		}
	}
	o.due = slices.Delete(o.due, 0, n)
	o.forget(now)
	return facts
}

// remembers is how long removed pods and the ends of unknown containers are kept: a successor may be late.
const remembers = time.Hour

func (o *Observer) forget(now time.Time) {
	old := func(w *watched) bool { return !w.removed.IsZero() && now.Sub(w.removed) > remembers }
	for uid, w := range o.pods {
		if old(w) {
			delete(o.pods, uid)
			delete(o.endpoints.of, string(uid))
		}
	}
	for id, at := range o.ends {
		if now.Sub(at.Latest) > remembers {
			delete(o.ends, id)
		}
	}
	o.going, o.coming = slices.DeleteFunc(o.going, old), slices.DeleteFunc(o.coming, old)
}

// Rest returns all facts that still wait, and the deaths that a node part saw and no status shows yet.
func (o *Observer) Rest() []Fact {
	for _, w := range o.pods {
		for name, p := range w.running {
			if at, ended := o.ends[p.id]; ended && !w.known[p.id] {
				w.known[p.id] = true
				o.died(w, end{name, p.id, p.life, nil, p.started, Seen{At: at.Latest}, w.requested != nil})
			}
		}
	}
	return o.Due(time.Unix(1<<40, 0))
}

// Quiet reports whether no pod is being deleted and no fact waits.
func (o *Observer) Quiet() bool {
	for _, w := range o.pods {
		if w.requested != nil && w.gone == nil {
			return false
		}
	}
	return len(o.due) == 0
}

func (o *Observer) later(s Seen, after time.Duration, fact func() Fact) {
	o.due = append(o.due, due{s.At.Add(after), fact})
}

// died reports a death once it is settled. If the API shows no end, the process may live for its grace period.
func (o *Observer) died(w *watched, e end) {
	after := settles
	if e.terminated == nil && o.nodes[w.Node] {
		after += w.graceOf(e.name, "")
	}
	d := &Death{}
	w.dead[e.name] = d
	o.diesAt(w, e, d, after)
}

// explains is how long a status may come after a kill that it explains: the kubelet shows why a pod failed when all its
// containers have ended.
const explains = 10 * time.Second

// diesAt reports a death after a time, or a little later if a kill is not explained yet.
func (o *Observer) diesAt(w *watched, e end, d *Death, after time.Duration) {
	o.later(e.seen, after, func() Fact {
		node, seen := o.ends[e.id]
		if mirrors(w.now) && e.terminated == nil && !seen {
			return nil // the object may go without its pod
		}
		*d = o.death(w, e)
		if d.Cause == Unreported && d.Began != nil && after < w.graceOf(e.name, "")+explains {
			if seen {
				o.ends[e.id] = node
			}
			o.diesAt(w, e, d, after+time.Second)
			return nil
		}
		return *d
	})
}

// death makes the fact of a container's end.
func (o *Observer) death(w *watched, e end) Death {
	d := Death{Pod: w.Pod, Container: e.name, Life: e.life, Outcome: Unknown}
	if t := e.terminated; reported(t) {
		d.At, d.Outcome, d.ExitCode = e.seen.dated(t.FinishedAt), outcome(*t), &t.ExitCode
	} else {
		d.At = Instant{e.started, e.seen.At, e.seen.At, ByWatch}
	}
	node, seen := o.ends[e.id]
	if seen {
		d.At = node
		delete(o.ends, e.id)
	}
	d.APIOnly = !seen && o.nodes[w.Node]
	o.explain(&d, w, e)
	if d.Began != nil && d.At.By != ByNode && d.At.Earliest.Before(d.Began.Earliest) {
		d.At.Earliest = d.Began.Earliest
		if d.At.By == ByStatus {
			d.At.At = d.At.Earliest.Add(d.At.Latest.Sub(d.At.Earliest) / 2)
		}
	}
	o.compare(&d, w)
	return d
}

// explain says why a container died.
func (o *Observer) explain(d *Death, w *watched, e end) {
	k, pod := w.killOf(e.name, e.started, d.At), ofPod(w.now)
	if pod.cause == "" {
		pod = w.announced
	}
	asked := w.requested != nil && e.asked && !d.At.Latest.Before(w.requested.Earliest)
	switch {
	case e.terminated != nil && e.terminated.Reason == restartingAll:
		d.is(ended{formula.ByRestartAll, "the end of another container restarts all"})
		if k != nil {
			d.Began = &k.at
		}
	case e.terminated != nil && e.terminated.Reason == oomKilled && k == nil:
		d.is(byItself(*e.terminated))
	case k != nil && killed(k.message) != "":
		d.is(ended{killed(k.message), k.message})
		d.Began, d.Grace = &k.at, w.graceOf(e.name, d.Cause)
	case mirrors(w.now) && e.terminated == nil:
		d.is(ended{formula.ByRemoval, "the manifest of this static pod was removed or changed"})
	case pod.cause != "" && asked:
		d.is(pod)
		if pod.cause == formula.ByDelete && w.byOwner != "" {
			d.Why = w.byOwner
		}
		d.Began, d.Grace = w.requested, time.Duration(w.grace)*time.Second
	case pod.cause != "" && w.now.DeletionTimestamp == nil && k != nil:
		d.is(pod)
		d.Began = &k.at
	case k != nil && !asked:
		d.is(o.without(w, e.name, k.message))
		d.Began, d.Grace = &k.at, w.graceOf(e.name, d.Cause)
	case reported(e.terminated):
		d.is(byItself(*e.terminated))
	case asked:
		d.is(ended{formula.ByDelete, "its object was removed while it ran"})
		d.Began, d.Grace = w.requested, time.Duration(w.grace)*time.Second
	default:
		d.is(ended{Unreported, "the API does not show its end"})
	}
}

func (d *Death) is(e ended) { d.Cause, d.Why = e.cause, e.why }

// without returns the cause of a kill that no event and no status names.
func (o *Observer) without(w *watched, name, message string) ended {
	if restartsAll(w.now) {
		return ended{formula.ByRestartAll, message}
	}
	for _, c := range w.now.Spec.InitContainers {
		if c.Name == name && c.RestartPolicy != nil {
			return ended{formula.ByCompletion, "the main containers have ended"}
		}
	}
	return ended{Unreported, message}
}

// compare adds the windows of a death that something asked for.
func (o *Observer) compare(d *Death, w *watched) {
	took, asked := d.Took()
	if !asked {
		return
	}
	c := Compared{What: "from the kill to the death", Measured: took}
	byRequest := d.Began == w.requested
	if byRequest {
		c.What = "from the delete to the death"
	}
	found, why := o.predicted(w, d.Container)
	switch {
	case why != "":
		c.Unpredicted = why
	case byRequest && w.starting:
		c.Unpredicted = "a container was still starting, and the kill waits for that"
	case byRequest && w.again:
		c.Unpredicted = "a second delete changed the grace period"
	case w.otherKill(d.Container, d.Began.Earliest.Add(-w.graceOf("", "")-explains), d.At.Latest):
		c.Unpredicted = "the kill of another container was under way"
	case d.Cause == Unreported:
		c.Unpredicted = "its cause is not known"
	case d.Outcome == Unknown:
		c.Unpredicted = "the runtime did not report its end"
	default:
		own := w.graceOf(d.Container, "")
		var known bool
		if byRequest {
			c.Window, known = afterDelete(found, int64(own/time.Second), w.grace, d.Outcome)
		} else {
			c.Window, known = afterKill(found, d.Cause, d.Outcome)
			if d.Grace == 0 {
				d.Grace = graceOf(found, d.Cause)
			}
		}
		if !known {
			c.Unpredicted = fmt.Sprintf("podclock predicts no %s of this container", d.Cause)
		}
	}
	d.Windows = append(d.Windows, c)
}

// predicted returns the prediction of a container, or why there is none.
func (o *Observer) predicted(w *watched, name string) (*predict.Container, string) {
	var grace *int64
	if w.requested != nil {
		grace = &w.grace
	}
	p, err := o.predictor.of(w.now, grace)
	if err != nil {
		return nil, err.Error()
	}
	if p.NotCovered != "" {
		return nil, p.NotCovered
	}
	if c := container(p, name); c != nil {
		return c, ""
	}
	return nil, "podclock predicts nothing of this container"
}

// departs reports the end of a pod once it is settled.
func (o *Observer) departs(w *watched, s Seen) {
	if w.departed {
		return
	}
	w.departed = true
	o.later(s, settles, func() Fact {
		cause := ofPod(w.now)
		if cause.cause == formula.ByDelete && w.byOwner != "" {
			cause.why = w.byOwner
		}
		if cause.cause == "" {
			cause = ended{formula.ByDelete, "its object was removed at once"}
		}
		d := Departure{Pod: w.Pod, Cause: cause.cause, Why: cause.why, Requested: w.requested, Gone: *w.gone}
		from := w.gone
		if w.requested != nil {
			from = w.requested
		}
		d.Services = o.endpoints.since(w.UID, *from)
		return d
	})
}

// restarted reports containers that are ready again.
func (o *Observer) restarted(w *watched, s Seen) {
	if w.requested != nil {
		return
	}
	for _, c := range statuses(w.now) {
		d, id := w.dead[c.Name], idOf(c.ContainerID)
		if d == nil || !c.Ready || c.State.Running == nil || w.known[id] {
			continue
		}
		delete(w.dead, c.Name)
		ready, started := s.arrived(zero), s.dated(c.State.Running.StartedAt)
		if ready.Earliest.Before(started.Earliest) {
			ready.Earliest = started.Earliest
		}
		// A little later than the death, of which the fact tells.
		o.later(s, settles+time.Millisecond, func() Fact {
			f := Successor{Of: w.Pod, Container: c.Name, Pod: w.Pod, Ready: ready, After: ready.Since(d.At)}
			f.After.Least, f.After.Probably = max(0, f.After.Least), max(0, f.After.Probably)
			f.Windows = append(f.Windows, o.restart(w, d, started))
			return f
		})
	}
}

// backOffReset is after which time a back-off may begin again: twice the longest back-off
// (k8s.io/client-go/util/flowcontrol backoff.go hasExpired).
const backOffReset = 10 * time.Minute

// restart compares the wait of a container for its next life.
func (o *Observer) restart(w *watched, d *Death, started Instant) Compared {
	c := Compared{What: "from the death to the next start", Measured: started.Since(d.At)}
	c.Measured.Least, c.Measured.Probably = max(0, c.Measured.Least), max(0, c.Measured.Probably)
	found, why := o.predicted(w, d.Container)
	var known bool
	switch {
	case why != "":
		c.Unpredicted = why
	case w.waited[d.Container]:
		c.Unpredicted = "its start waited for something else, such as its image"
	case pullsAlways(w.now, d.Container):
		c.Unpredicted = "each start asks for the image"
	case w.otherKill(d.Container, d.At.Earliest.Add(-w.graceOf("", "")-explains), started.Latest):
		c.Unpredicted = "the kill of another container was under way"
	case restartsAll(w.now):
		c.Unpredicted = "the end of another container may restart it"
	case d.Life > 1 && started.Latest.Sub(w.now.CreationTimestamp.Time) > backOffReset:
		c.Unpredicted = "lives before the observation decide its back-off"
	default:
		if c.Window, known = afterDeath(found, d.Cause, d.Life); !known {
			c.Unpredicted = fmt.Sprintf("podclock predicts no restart %d after %s", d.Life, d.Cause)
		}
	}
	return c
}

// match gives pods that go their successors.
func (o *Observer) match(s Seen) {
	for _, g := range slices.Clone(o.going) {
		i := slices.IndexFunc(o.coming, func(c *watched) bool { return succeeds(c, g) })
		if i < 0 {
			continue
		}
		c := o.coming[i]
		g.replaced = true
		o.coming = slices.Delete(o.coming, i, i+1)
		o.going = slices.DeleteFunc(o.going, func(w *watched) bool { return w == g })
		o.later(s, settles, func() Fact {
			from := g.requested
			if from == nil {
				from = g.gone
			}
			return Successor{Of: g.Pod, Pod: c.Pod, Ready: *c.ready, After: c.ready.Since(*from)}
		})
	}
}

// succeeds reports whether a new pod replaces one that goes: it is a later one of its workload, or one of another
// revision. Those of a StatefulSet keep their names, and those of a DaemonSet their nodes.
func succeeds(next, last *watched) bool {
	if next == last || next.Workload != last.Workload || next.Namespace != last.Namespace || next.requested != nil {
		return false
	}
	kind, _, _ := strings.Cut(last.Workload, "/")
	if kind == "pod" || kind == "statefulset" && next.Name != last.Name ||
		kind == "daemonset" && next.Node != last.Node {
		return false
	}
	from := last.requested
	if from == nil {
		from = last.gone
	}
	return revision(next.now) != revision(last.now) ||
		!next.now.CreationTimestamp.Add(wholeSecond).Before(from.Earliest)
}
