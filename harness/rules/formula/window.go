// Package formula is the oracle: pure functions from facts about a pod, its kubelet and earlier measurements
// to windows.
//
// Every formula has up to two windows: what the documentation promises and what the kubelet's source computes.
// Each window is a sum of named terms, so every tolerance has an explanation. Numbers that come from Kubernetes
// are constants with their upstream names. Unless a comment names another version, a source was read in
// Kubernetes v1.36.3.
//
// The package knows no clusters, marks or verdicts.
package formula

import (
	"fmt"
	"strings"
	"time"
)

// Unit is what the numbers of a window count.
type Unit string

const (
	// Nanoseconds is a duration.
	Nanoseconds Unit = "ns"
	// Count is a number of things that happened.
	Count Unit = "count"
	// ExitCode is the exit code of a process.
	ExitCode Unit = "exit code"
	// Seconds is a number of whole seconds in the API, such as deletionGracePeriodSeconds.
	Seconds Unit = "s"
	// Signal is the number of a signal.
	Signal Unit = "signal"
	// Status is the HTTP status of the API server's answer.
	Status Unit = "HTTP status"
)

// Window is a prediction: the measured value is between Earliest and Latest, both included. Both are sums over Terms.
type Window struct {
	Unit     Unit   `json:"unit"`
	Earliest int64  `json:"earliest"`
	Latest   int64  `json:"latest"`
	Terms    []Term `json:"terms"`
}

// Term is one named part of a window: what it adds to the earliest and the latest value.
type Term struct {
	Name     string `json:"name"`
	Earliest int64  `json:"earliest"`
	Latest   int64  `json:"latest"`
	// Usual is where its value lies on a quiet node. A saved run omits it.
	Usual Usual `json:"-"`
}

// Usual is the distribution of a term's value on a quiet node. The zero value states nothing: the value may lie
// anywhere between Earliest and Latest.
type Usual struct {
	// Half of the values are at most Half, nine of ten at most Most, 99 of 100 at most three times Most, and all at
	// most Latest. Both are nanoseconds.
	Half, Most int64
	// Even is set for a random wait of the kubelet: its values spread evenly from Earliest on, over this many
	// nanoseconds at least, and up to Latest at most.
	Even int64
}

func (t Term) usually(half, most time.Duration) Term {
	t.Usual = Usual{Half: int64(half), Most: int64(most)}
	return t
}

func window(unit Unit, terms ...Term) Window {
	w := Window{Unit: unit, Terms: terms}
	for _, t := range terms {
		w.Earliest += t.Earliest
		w.Latest += t.Latest
	}
	return w
}

func span(terms ...Term) Window { return window(Nanoseconds, terms...) }

// With returns the window with one more term.
func (w Window) With(t Term) Window {
	w.Earliest += t.Earliest
	w.Latest += t.Latest
	w.Terms = append(append([]Term(nil), w.Terms...), t)
	return w
}

// unless returns the window with another outcome, this far away, if that is possible.
func (w Window) unless(possible bool, name string, away int64) Window {
	if !possible {
		return w
	}
	return w.With(Term{Name: name, Earliest: min(0, away), Latest: max(0, away)})
}

// Contains reports whether a measured value is inside the window.
func (w Window) Contains(v int64) bool { return w.Earliest <= v && v <= w.Latest }

// Miss returns how far a value is outside the window: negative if early, positive if late, 0 inside.
func (w Window) Miss(v int64) int64 {
	switch {
	case v < w.Earliest:
		return v - w.Earliest
	case v > w.Latest:
		return v - w.Latest
	}
	return 0
}

// Margin returns how far a value inside the window is from its nearer end. It is negative outside.
func (w Window) Margin(v int64) int64 { return min(v-w.Earliest, w.Latest-v) }

// String formats the window for people: "[4.900 s, 5.500 s]", or one number.
func (w Window) String() string {
	if w.Earliest == w.Latest {
		return w.Unit.Format(w.Earliest)
	}
	return "[" + w.Unit.Format(w.Earliest) + ", " + w.Unit.Format(w.Latest) + "]"
}

// Explain lists the terms for people.
func (w Window) Explain() string {
	parts := make([]string, len(w.Terms))
	for i, t := range w.Terms {
		if t.Earliest == t.Latest {
			parts[i] = fmt.Sprintf("%s %s", t.Name, w.Unit.Format(t.Earliest))
		} else {
			parts[i] = fmt.Sprintf("%s %s to %s", t.Name, w.Unit.Format(t.Earliest), w.Unit.Format(t.Latest))
		}
	}
	return strings.Join(parts, " + ")
}

// Format formats a value of this unit for people.
func (u Unit) Format(v int64) string {
	switch u {
	case Nanoseconds:
		return fmt.Sprintf("%.3f s", time.Duration(v).Seconds())
	case Seconds:
		return fmt.Sprintf("%d s", v)
	}
	return fmt.Sprint(v)
}

func exactly(name string, d time.Duration) Term {
	return Term{Name: name, Earliest: int64(d), Latest: int64(d)}
}

// slowly returns the window of a container's start by a runtime that may be slow.
func (in Input) slowly(w Window) Window {
	if in.ContainerStart == 0 {
		return w
	}
	return w.With(exactly("start by a slow runtime", in.ContainerStart))
}

func between(name string, earliest, latest time.Duration) Term {
	return Term{Name: name, Earliest: int64(earliest), Latest: int64(latest)}
}

// upTo returns a delay of at most d.
func upTo(name string, d time.Duration) Term { return between(name, 0, d) }

func count(name string, n int) Window {
	return window(Count, Term{Name: name, Earliest: int64(n), Latest: int64(n)})
}

func always(w Window) func(Input) Window { return func(Input) Window { return w } }

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
