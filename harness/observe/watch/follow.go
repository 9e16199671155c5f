package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/predict/live"
)

// client is a client without a bound of its answers' time.
type client = kubernetes.Interface

// watchable is what is watched of a namespace.
type watchable struct {
	// right is such as "pods".
	right string
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	// listed takes all objects, changed one.
	listed  func(*observe.Observer, runtime.Object, observe.Seen)
	changed func(*observe.Observer, runtime.Object, bool, observe.Seen)
}

// seen is what arrived, for the only goroutine that uses the observer.
type seen func(*observe.Observer) []observe.Fact

// follower watches objects, and begins again where it was if the watch breaks off.
type follower struct {
	watchable
	server    *live.Server
	namespace string
	to        chan<- seen
	note      func(string)
}

// tell notes something in the goroutine of the observer.
func (f follower) tell(text string) {
	f.to <- func(*observe.Observer) []observe.Fact { f.note(text); return nil }
}

func (f follower) now() time.Time {
	t, _ := f.server.Now()
	return t
}

// longOff is how long a watch may be off before that is worth a word. The API server ends each watch now and then.
const longOff = time.Second

// worthAWord is after which time without a watch people learn of it before it is back.
const worthAWord = 3 * time.Second

// the waits between tries to watch again
const (
	firstWait   = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// begin lists the objects for the first time.
func (f follower) begin(ctx context.Context) (version string, err error) {
	all, err := f.list(ctx, metav1.ListOptions{})
	if err != nil {
		return "", f.server.Explain(err, "list", f.right, f.namespace)
	}
	s := observe.Seen{At: f.now(), Before: true}
	f.to <- func(o *observe.Observer) []observe.Fact { f.listed(o, all, s); return nil }
	return all.(metav1.ListInterface).GetResourceVersion(), nil
}

// follow watches from a version on until ctx ends.
func (f follower) follow(ctx context.Context, version string) {
	off, wait, late, told := time.Time{}, firstWait, time.Duration(0), false
	for ctx.Err() == nil {
		w, err := f.watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
		if err == nil {
			if !off.IsZero() {
				late = f.now().Sub(off)
			}
			if late > longOff {
				f.gap(off, fmt.Sprintf("the watch of %s broke off and went on where it was: nothing is missing, but "+
					"times of arrival are late", f.right))
			}
			off, wait, told = time.Time{}, firstWait, false
			version, err = f.drain(w, version, late)
			w.Stop()
		}
		if off.IsZero() {
			off = f.now()
		}
		if expired(err) {
			if again, err := f.again(ctx, off); err == nil {
				version, off, late = again, time.Time{}, 0
				continue
			}
		}
		if f.now().Sub(off) > worthAWord && !told && ctx.Err() == nil {
			told = true
			f.tell(fmt.Sprintf("the watch of %s broke off at %s, and podclock tries again: %v", f.right,
				off.Local().Format(time.TimeOnly), f.server.Explain(err, "watch", f.right, f.namespace)))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, longestWait)
	}
}

// expired reports whether the API server no longer has the changes since a version.
func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// again lists the objects after a gap.
func (f follower) again(ctx context.Context, off time.Time) (version string, err error) {
	all, err := f.list(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	now := f.now()
	s := observe.Seen{At: now, Early: now.Sub(off)}
	f.to <- func(o *observe.Observer) []observe.Fact { f.listed(o, all, s); return nil }
	f.gap(off, fmt.Sprintf("the watch of %s broke off, and the API server had no longer what changed: what began and "+
		"ended in this time is missing", f.right))
	return all.(metav1.ListInterface).GetResourceVersion(), nil
}

func (f follower) gap(from time.Time, what string) {
	g := observe.Gap{From: from, To: f.now(), What: what}
	f.to <- func(*observe.Observer) []observe.Fact { return []observe.Fact{g} }
}

// catchesUp is how long the changes of the time without a watch come after its return.
const catchesUp = 2 * time.Second

// drain passes on what a watch reports, and returns the version of the last change.
func (f follower) drain(w watch.Interface, version string, late time.Duration) (string, error) {
	began := time.Now()
	for e := range w.ResultChan() {
		s := observe.Seen{At: f.now()}
		if time.Since(began) < catchesUp {
			s.Early = late
		}
		if e.Type == watch.Error {
			return version, apierrors.FromObject(e.Object)
		}
		o, is := e.Object.(metav1.Object)
		if !is {
			continue
		}
		version = o.GetResourceVersion()
		if e.Type == watch.Bookmark {
			continue
		}
		removed := e.Type == watch.Deleted
		f.to <- func(to *observe.Observer) []observe.Fact { f.changed(to, e.Object, removed, s); return nil }
	}
	return version, errors.New("the watch ended")
}

// watchables returns what is watched of a namespace, the pods first.
func watchables(s *live.Server, streams client, namespace string) []watchable {
	return []watchable{
		{
			"pods",
			func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return s.CoreV1().Pods(namespace).List(ctx, o)
			},
			streams.CoreV1().Pods(namespace).Watch,
			func(o *observe.Observer, all runtime.Object, s observe.Seen) { o.Pods(all.(*corev1.PodList).Items, s) },
			func(o *observe.Observer, one runtime.Object, removed bool, s observe.Seen) {
				if removed {
					o.Removed(one.(*corev1.Pod), s)
				} else {
					o.Pod(one.(*corev1.Pod), s)
				}
			},
		},
		{
			"events",
			func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				o.Limit = 1 // earlier events are of no interest, but their version is
				return s.CoreV1().Events(namespace).List(ctx, o)
			},
			streams.CoreV1().Events(namespace).Watch,
			func(*observe.Observer, runtime.Object, observe.Seen) {},
			func(o *observe.Observer, one runtime.Object, removed bool, s observe.Seen) {
				if !removed {
					o.Event(one.(*corev1.Event), s)
				}
			},
		},
		{
			"endpointslices.discovery.k8s.io",
			func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return s.DiscoveryV1().EndpointSlices(namespace).List(ctx, o)
			},
			streams.DiscoveryV1().EndpointSlices(namespace).Watch,
			func(o *observe.Observer, all runtime.Object, s observe.Seen) {
				for i := range all.(*discoveryv1.EndpointSliceList).Items {
					o.Slice(&all.(*discoveryv1.EndpointSliceList).Items[i], false, s)
				}
			},
			func(o *observe.Observer, one runtime.Object, removed bool, s observe.Seen) {
				o.Slice(one.(*discoveryv1.EndpointSlice), removed, s)
			},
		},
	}
}
