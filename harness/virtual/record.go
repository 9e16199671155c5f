package virtual

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// record is everything that a node has reported. It has one clock, so no instant has an error.
type record struct {
	marks  map[string][]mark.Record // by the pod's UID, pulls by namespace/name
	pods   map[string][]timeline.Version
	newest map[string]*corev1.Pod
	events map[string][]timeline.Event
	node   []timeline.NodeChange
	calls  map[string][]timeline.Call // by namespace/name
}

func newRecord() record {
	return record{
		marks: map[string][]mark.Record{}, pods: map[string][]timeline.Version{},
		newest: map[string]*corev1.Pod{}, events: map[string][]timeline.Event{},
	}
}

func at(clock int64) timeline.Instant { return timeline.Instant{At: clock} }

func (r *record) take(a wire.Answer) (news bool) {
	for _, m := range a.Marks {
		of := m.UID
		if of == "" { // a pull, by a path that can't hold the UID
			of = m.Pod
		}
		r.marks[of] = append(r.marks[of], m)
	}
	for _, p := range a.Pods {
		uid := string(p.Pod.UID)
		r.pods[uid] = append(r.pods[uid], timeline.VersionOf(p.Pod, p.Deleted, at(p.At)))
		r.newest[uid] = p.Pod
	}
	for _, e := range a.Events {
		if e.Event.InvolvedObject.Kind == "Pod" {
			uid := string(e.Event.InvolvedObject.UID)
			r.events[uid] = append(r.events[uid], runner.Event(e.Event, at(e.At)))
		}
	}
	for _, c := range a.Conditions {
		r.node = append(r.node, timeline.NodeChange{At: at(c.At), Conditions: slices.Sorted(slices.Values(c.True))})
	}
	return len(a.Marks)+len(a.Pods)+len(a.Events)+len(a.Conditions) > 0
}

func (r *record) of(p runner.Deployed) runner.Recorded {
	uid := string(p.UID)
	return runner.Recorded{
		Deployed: p,
		Marks:    slices.Concat(r.marks[p.MarkedAs()], r.marks[p.Namespace+"/"+p.Name]),
		Versions: r.pods[uid],
		Events:   r.events[uid],
		Calls:    r.calls[p.Namespace+"/"+p.Name],
	}
}

// named returns the newest version of the pod that has a name now, or nil.
func (r *record) named(namespace, name string) *corev1.Pod {
	for _, p := range r.newest {
		if p.Namespace == namespace && p.Name == name && !r.gone(p) {
			return p
		}
	}
	return nil
}

func (r *record) gone(p *corev1.Pod) bool {
	return slices.ContainsFunc(r.pods[string(p.UID)], func(v timeline.Version) bool { return v.Deleted })
}

// since returns the changes of the node's conditions since a time. The first is the state at that time.
func (r *record) since(clock int64) []timeline.NodeChange {
	first := 0
	for i, c := range r.node {
		if c.At.At <= clock {
			first = i
		}
	}
	return slices.Clone(r.node[min(first, len(r.node)):])
}
