package api

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// queue passes things on in order, each at its time. It has no bound, so that put never waits.
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

// next waits for the time of the next thing. ok is false after the queue was closed.
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

// watcher is one watch.
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

// ResultChan implements [watch.Interface].
func (w *watcher) ResultChan() <-chan watch.Event { return w.result }

// Stop implements [watch.Interface].
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

// take passes a change on as its selection sees it: an object that leaves the selection is deleted, one that enters
// it is added.
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

// fieldsOf returns the fields by which an object can be selected.
func fieldsOf(o runtime.Object, m metav1.Object) fields.Set {
	all := fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()}
	if pod, ok := o.(*corev1.Pod); ok {
		all["spec.nodeName"], all["status.phase"] = pod.Spec.NodeName, string(pod.Status.Phase)
		all["spec.restartPolicy"], all["spec.schedulerName"] = string(pod.Spec.RestartPolicy), pod.Spec.SchedulerName
	}
	return all
}
