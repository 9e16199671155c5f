package api

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

type gvr = schema.GroupVersionResource

const remembered = 2000

// watchLatency is the time from a write to its arrival at watchers.
const watchLatency = 1313 * time.Microsecond

type change struct {
	at       time.Time
	revision uint64
	resource gvr
	was, is  runtime.Object
	last     runtime.Object
}

func (c change) object() runtime.Object {
	if c.is == nil {
		return c.last
	}
	return c.is
}

// history numbers all writes of the server and passes them to watchers. Its objects never change.
type history struct {
	mu       sync.Mutex
	revision uint64
	changes  []change
	current  map[gvr]map[types.NamespacedName]runtime.Object
	watchers []*watcher
	feeds    []*feed
}

func newHistory() *history {
	return &history{current: map[gvr]map[types.NamespacedName]runtime.Object{}}
}

// write records a change, to nil for a deletion, and returns its revision.
func (h *history) write(resource gvr, name types.NamespacedName, is runtime.Object) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revision++
	objects := h.current[resource]
	if objects == nil {
		objects = map[types.NamespacedName]runtime.Object{}
		h.current[resource] = objects
	}
	c := change{at: time.Now(), revision: h.revision, resource: resource, was: objects[name], is: is}
	if is == nil {
		c.last = c.was.DeepCopyObject()
		stampRevision(c.last, h.revision)
		delete(objects, name)
	} else {
		stampRevision(is, h.revision)
		objects[name] = is
	}
	if h.changes = append(h.changes, c); len(h.changes) > remembered {
		h.changes = slices.Delete(h.changes, 0, len(h.changes)-remembered)
	}
	for _, w := range h.watchers {
		w.take(c)
	}
	for _, f := range h.feeds {
		f.take(c)
	}
	return h.revision
}

func (h *history) version() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strconv.FormatUint(h.revision, 10)
}

// object copies an object, nil if there is none.
func (h *history) object(resource gvr, name types.NamespacedName) runtime.Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o := h.current[resource][name]; o != nil {
		return o.DeepCopyObject()
	}
	return nil
}

// list copies the selected objects, ordered by namespace and name.
func (h *history) list(s selection) ([]runtime.Object, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []runtime.Object
	for _, o := range h.objects(s) {
		all = append(all, o.DeepCopyObject())
	}
	return all, strconv.FormatUint(h.revision, 10)
}

func (h *history) objects(s selection) []runtime.Object {
	objects := h.current[s.resource]
	names := make([]types.NamespacedName, 0, len(objects))
	for name, o := range objects {
		if s.selects(o) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b types.NamespacedName) int { return strings.Compare(a.String(), b.String()) })
	selected := make([]runtime.Object, len(names))
	for i, name := range names {
		selected[i] = objects[name]
	}
	return selected
}

// watch watches a selection after a resource version; at "" or "0" it begins with the existing objects.
func (h *history) watch(s selection, resourceVersion string) (*watcher, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := newWatcher(h, s)
	switch since, err := strconv.ParseUint(resourceVersion, 10, 64); {
	case resourceVersion == "" || resourceVersion == "0":
		for _, o := range h.objects(s) {
			w.send(time.Now(), watch.Event{Type: watch.Added, Object: o.DeepCopyObject()})
		}
	case err != nil:
		return nil, apierrors.NewBadRequest("the resourceVersion " + resourceVersion + " is not a number")
	case len(h.changes) > 0 && since+1 < h.changes[0].revision:
		return nil, apierrors.NewResourceExpired("too old resource version: " + resourceVersion)
	default:
		for _, c := range h.changes {
			if c.revision > since {
				w.take(c)
			}
		}
	}
	h.watchers = append(h.watchers, w)
	go w.run()
	return w, nil
}

func (h *history) forget(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers = slices.DeleteFunc(h.watchers, func(other *watcher) bool { return other == w })
}

func stampRevision(o runtime.Object, revision uint64) {
	if m, err := meta.Accessor(o); err == nil {
		m.SetResourceVersion(strconv.FormatUint(revision, 10))
	}
}

type selection struct {
	resource  gvr
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func newSelection(
	resource gvr, namespace string, options metav1.ListOptions,
) (selection, error) {
	s := selection{resource: resource, namespace: namespace}
	var err error
	if s.labels, err = labels.Parse(options.LabelSelector); err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	if s.fields, err = fields.ParseSelector(options.FieldSelector); err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	return s, nil
}

func (s selection) selects(o runtime.Object) bool {
	if o == nil {
		return false
	}
	m, err := meta.Accessor(o)
	if err != nil {
		return false
	}
	if s.namespace != "" && m.GetNamespace() != s.namespace {
		return false
	}
	return s.labels.Matches(labels.Set(m.GetLabels())) && (s.fields.Empty() || s.fields.Matches(fieldsOf(o, m)))
}

// queue passes things on in order, each at its time. put never waits.
type queue[T any] struct {
	mu     sync.Mutex
	filled *sync.Cond
	things []due[T]
	closed bool
}

type due[T any] struct {
	at    time.Time
	thing T
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.filled = sync.NewCond(&q.mu)
	return q
}

func (q *queue[T]) put(at time.Time, thing T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.things = append(q.things, due[T]{at, thing})
	q.filled.Signal()
}

func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Broadcast()
}

// next waits for the time of the next thing. ok is false after close.
func (q *queue[T]) next() (thing T, ok bool) {
	q.mu.Lock()
	for len(q.things) == 0 && !q.closed {
		q.filled.Wait()
	}
	if q.closed {
		q.mu.Unlock()
		return thing, false
	}
	first := q.things[0]
	q.things = q.things[1:]
	q.mu.Unlock() // a mutex held during a sleep would stop the bubble's clock
	time.Sleep(time.Until(first.at))
	return first.thing, true
}

type watcher struct {
	history   *history
	selection selection
	queue     *queue[watch.Event]
	result    chan watch.Event
	stop      func()
	stopped   chan struct{}
}

func newWatcher(h *history, s selection) *watcher {
	w := &watcher{
		history:   h,
		selection: s,
		queue:     newQueue[watch.Event](),
		result:    make(chan watch.Event),
		stopped:   make(chan struct{}),
	}
	w.stop = sync.OnceFunc(func() { close(w.stopped) })
	return w
}

func (w *watcher) ResultChan() <-chan watch.Event { return w.result }

func (w *watcher) Stop() {
	w.stop()
	w.queue.close()
	w.history.forget(w)
}

func (w *watcher) run() {
	defer close(w.result)
	for {
		e, ok := w.queue.next()
		if !ok {
			return
		}
		select {
		case w.result <- e:
		case <-w.stopped:
			return
		}
	}
}

func (w *watcher) send(written time.Time, e watch.Event) { w.queue.put(written.Add(watchLatency), e) }

// take passes a change on: objects that leave the selection are deleted, those that enter it are added.
func (w *watcher) take(c change) {
	if c.resource != w.selection.resource {
		return
	}
	was, is := w.selection.selects(c.was), w.selection.selects(c.is)
	switch {
	case was && is:
		w.send(c.at, watch.Event{Type: watch.Modified, Object: c.is.DeepCopyObject()})
	case is:
		w.send(c.at, watch.Event{Type: watch.Added, Object: c.is.DeepCopyObject()})
	case was && c.is == nil:
		w.send(c.at, watch.Event{Type: watch.Deleted, Object: c.last.DeepCopyObject()})
	case was:
		gone := c.was.DeepCopyObject()
		stampRevision(gone, c.revision)
		w.send(c.at, watch.Event{Type: watch.Deleted, Object: gone})
	}
}

func fieldsOf(o runtime.Object, m metav1.Object) fields.Set {
	all := fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()}
	if pod, ok := o.(*corev1.Pod); ok {
		all["spec.nodeName"], all["status.phase"] = pod.Spec.NodeName, string(pod.Status.Phase)
		all["spec.restartPolicy"], all["spec.schedulerName"] = string(pod.Spec.RestartPolicy), pod.Spec.SchedulerName
	}
	return all
}

// feed passes writes to the lab in their order.
type feed struct {
	queue      *queue[change]
	conditions []string
}

func (f *feed) take(c change) { f.queue.put(c.at.Add(watchLatency), c) }
