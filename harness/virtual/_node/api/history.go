package api

import (
	"slices"
	"strconv"
	"sync"
	"time"

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

// remembered is the number of changes that the history keeps. A watch that starts before them must list again.
const remembered = 2000

// change is one write. was is nil for a creation, is for a deletion.
type change struct {
	at       time.Time
	revision uint64
	resource schema.GroupVersionResource
	was, is  runtime.Object
	// last is a deleted object with the revision of its deletion.
	last runtime.Object
}

// object returns the object that watchers get.
func (c change) object() runtime.Object {
	if c.is == nil {
		return c.last
	}
	return c.is
}

// history numbers all writes of the server and passes them on to watchers. The objects in it never change.
type history struct {
	mu       sync.Mutex
	revision uint64
	changes  []change
	current  map[schema.GroupVersionResource]map[types.NamespacedName]runtime.Object
	watchers []*watcher
	feeds    []*feed
}

func newHistory() *history {
	return &history{current: map[schema.GroupVersionResource]map[types.NamespacedName]runtime.Object{}}
}

// write records a change of one object, and returns its revision. A nil object is a deletion.
func (h *history) write(resource schema.GroupVersionResource, name types.NamespacedName, is runtime.Object) uint64 {
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

// version returns the resource version of the newest write.
func (h *history) version() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strconv.FormatUint(h.revision, 10)
}

// list copies the selected objects, ordered by namespace and name, and returns their revision.
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
	slices.SortFunc(names, func(a, b types.NamespacedName) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	selected := make([]runtime.Object, len(names))
	for i, name := range names {
		selected[i] = objects[name]
	}
	return selected
}

// watch starts a watch of a selection after a resource version. If the version is empty or 0, it begins with the
// existing objects.
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

// selection is the filter of a list or a watch.
type selection struct {
	resource  schema.GroupVersionResource
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func newSelection(
	resource schema.GroupVersionResource, namespace string, options metav1.ListOptions,
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
