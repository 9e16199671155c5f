package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Recorded is what was recorded of one pod.
type Recorded struct {
	Deployed
	Marks     []mark.Record
	Versions  []timeline.Version
	Events    []timeline.Event
	Endpoints []timeline.EndpointChange
	Calls     []timeline.Call
}

// Evidence merges the recordings of a trial's pods, in the order of their creation. The lives of a pod that was
// created again are numbered on. The caller adds what belongs to no pod.
func Evidence(pods []Recorded) timeline.Evidence {
	if len(pods) == 0 {
		return timeline.Evidence{}
	}
	ev := timeline.Evidence{Pod: pods[0].Namespace + "/" + pods[0].Name, UID: string(pods[0].UID)}
	lives := map[string]int{} // of the containers of pods that were created again: how many there were before
	for i, p := range pods {
		before := maps.Clone(lives)
		if slices.ContainsFunc(pods[:i], func(q Recorded) bool { return q.MarkedAs() == p.MarkedAs() }) {
			p.Marks, before = nil, nil // another mirror of one static pod, whose lives count on by themselves
		}
		last := map[string]int{}
		for _, r := range p.Marks {
			last[r.Container] = max(last[r.Container], r.Life)
			if r.Life > 0 {
				r.Life += before[r.Container]
			}
			ev.Marks = append(ev.Marks, r)
		}
		for _, v := range p.Versions {
			if v.Pod = p.Companion; len(before) > 0 {
				v.Before = before
			}
			ev.API = append(ev.API, v)
		}
		for container, n := range last {
			lives[container] += n
		}
		for _, e := range p.Events {
			e.Pod = p.Companion
			ev.Events = append(ev.Events, e)
		}
		for _, e := range p.Endpoints {
			e.Pod = p.Companion
			ev.Endpoints = append(ev.Endpoints, e)
		}
		if slices.ContainsFunc(pods[:i], func(q Recorded) bool { return q.Name == p.Name }) {
			p.Calls = nil // they are those of the name
		}
		for _, c := range p.Calls {
			c.Pod = p.Companion
			ev.Calls = append(ev.Calls, c)
		}
	}
	slices.SortStableFunc(ev.Marks, func(a, b mark.Record) int { return cmp.Compare(a.Seq, b.Seq) })
	slices.SortStableFunc(ev.API, func(a, b timeline.Version) int { return cmp.Compare(a.At.At, b.At.At) })
	slices.SortStableFunc(ev.Calls, func(a, b timeline.Call) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(ev.Endpoints, func(a, b timeline.EndpointChange) int { return cmp.Compare(a.At.At, b.At.At) })
	slices.SortStableFunc(ev.Events, func(a, b timeline.Event) int { return cmp.Compare(a.At.At, b.At.At) })
	return ev
}

// Deviation returns the pods as they were created, the node's log, and why something is missing.
func Deviation(pods []Deployed, nodeLog []string, missing ...error) *trial.Deviation {
	d := &trial.Deviation{NodeLog: nodeLog}
	for _, p := range pods {
		text, err := json.Marshal(p.Pod)
		if err != nil {
			missing = append(missing, fmt.Errorf("the spec of pod %s: %w", p.Name, err))
			continue
		}
		d.Pods = append(d.Pods, text)
	}
	if err := errors.Join(missing...); err != nil {
		d.Missing = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return d
}
