// Package formula is the oracle: what a kubelet should do to a pod, as pure functions from facts about the
// pod, its kubelet and what was measured so far, to windows.
//
// Every formula carries up to two windows: what the documentation promises and what the kubelet's source
// computes. Each window is a sum of named terms, so that no tolerance stands unexplained. Numbers that come
// from Kubernetes are constants with their upstream names. Unless a comment names another version, a source
// was read in Kubernetes v1.36.3.
//
// The package knows nothing of clusters, marks or verdicts.
package formula

import (
	"fmt"
	"strings"
	"time"
)

// Unit is what a window's numbers count.
type Unit string

const (
	// Nanoseconds of a duration.
	Nanoseconds Unit = "ns"
	// Count of things that happened.
	Count Unit = "count"
	// ExitCode of a process.
	ExitCode Unit = "exit code"
	// Seconds are whole seconds that the API shows, such as deletionGracePeriodSeconds.
	Seconds Unit = "s"
	// Signal is the number of a signal.
	Signal Unit = "signal"
	// Status is the HTTP status of an answer of the API server.
	Status Unit = "HTTP status"
)

// Window is a prediction: the measured value lies between Earliest and Latest, both included. Both are the
// sums over Terms.
type Window struct {
	Unit     Unit   `json:"unit"`
	Earliest int64  `json:"earliest"`
	Latest   int64  `json:"latest"`
	Terms    []Term `json:"terms"`
}

// Term is one named part of a window: what it adds to the window's earliest and latest value.
type Term struct {
	Name     string `json:"name"`
	Earliest int64  `json:"earliest"`
	Latest   int64  `json:"latest"`
}

// window sums terms.
func window(unit Unit, terms ...Term) Window {
	w := Window{Unit: unit, Terms: terms}
	for _, t := range terms {
		w.Earliest += t.Earliest
		w.Latest += t.Latest
	}
	return w
}

// span returns the window of a time that is the sum of its terms.
func span(terms ...Term) Window { return window(Nanoseconds, terms...) }

// With returns the window with one more term.
func (w Window) With(t Term) Window {
	w.Earliest += t.Earliest
	w.Latest += t.Latest
	w.Terms = append(append([]Term(nil), w.Terms...), t)
	return w
}

// Contains says whether a measured value is inside the window, its ends included.
func (w Window) Contains(v int64) bool { return w.Earliest <= v && v <= w.Latest }

// Miss is how far a value lies outside the window: negative when it is too early or too few, positive when
// too late or too many, 0 inside.
func (w Window) Miss(v int64) int64 {
	switch {
	case v < w.Earliest:
		return v - w.Earliest
	case v > w.Latest:
		return v - w.Latest
	}
	return 0
}

// Margin is how far a value inside the window is from its nearer end; it is negative outside.
func (w Window) Margin(v int64) int64 { return min(v-w.Earliest, w.Latest-v) }

// String writes the window as people read it: "[4.900 s, 5.500 s]", or a single number where both ends agree.
func (w Window) String() string {
	if w.Earliest == w.Latest {
		return w.Unit.Format(w.Earliest)
	}
	return "[" + w.Unit.Format(w.Earliest) + ", " + w.Unit.Format(w.Latest) + "]"
}

// Explain lists the terms, in words.
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

// Format writes a value of this unit: durations in seconds to the millisecond, others as whole numbers.
func (u Unit) Format(v int64) string {
	switch u {
	case Nanoseconds:
		return fmt.Sprintf("%.3f s", time.Duration(v).Seconds())
	case Seconds:
		return fmt.Sprintf("%d s", v)
	}
	return fmt.Sprint(v)
}

// exactly is a term without spread.
func exactly(name string, d time.Duration) Term {
	return Term{Name: name, Earliest: int64(d), Latest: int64(d)}
}

// between is a term that lies anywhere between two durations.
func between(name string, earliest, latest time.Duration) Term {
	return Term{Name: name, Earliest: int64(earliest), Latest: int64(latest)}
}

// upTo is a delay of at most d.
func upTo(name string, d time.Duration) Term { return between(name, 0, d) }

// count is a window on an exact number of things.
func count(name string, n int) Window {
	return window(Count, Term{Name: name, Earliest: int64(n), Latest: int64(n)})
}

// always returns a rule that computes the same window for every input.
func always(w Window) func(Input) Window { return func(Input) Window { return w } }

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
