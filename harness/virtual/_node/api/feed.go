package api

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// feed passes writes on to the lab in their order.
type feed struct {
	queue *queue[change]
	// conditions are the node's true conditions in the last report.
	conditions []string
}

func (f *feed) take(c change) { f.queue.put(c.at.Add(watchLatency), c) }

// feed starts a feed of all changes to the options' functions.
func (s *Server) feed(options Options) {
	f := &feed{queue: newQueue[change]()}
	s.log.mu.Lock()
	s.log.feeds = append(s.log.feeds, f)
	s.log.mu.Unlock()
	go func() {
		for {
			c, ok := f.queue.next()
			if !ok {
				return
			}
			f.pass(c, options)
		}
	}()
}

func (f *feed) pass(c change, options Options) {
	at := time.Now().UnixNano()
	switch o := c.object().(type) {
	case *corev1.Pod:
		if options.TakePod != nil {
			options.TakePod(wire.Pod{At: at, Deleted: c.is == nil, Pod: o.DeepCopy()})
		}
	case *corev1.Event:
		if options.TakeEvent != nil && c.is != nil {
			options.TakeEvent(wire.Event{At: at, Event: o.DeepCopy()})
		}
	case *corev1.Node:
		now := trueConditions(o)
		if options.TakeConditions == nil || slices.Equal(now, f.conditions) {
			return
		}
		f.conditions = now
		options.TakeConditions(wire.Conditions{At: at, True: slices.Clone(now)})
	}
}

// trueConditions returns the sorted types of a node's conditions that are true.
func trueConditions(node *corev1.Node) []string {
	var all []string
	for _, c := range node.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			all = append(all, string(c.Type))
		}
	}
	slices.Sort(all)
	return all
}
