// Package trace compares what two kubelets did in one trial under virtual time: their calls of the container runtime,
// their requests of the API server, their events, and the marks of the victims. Two runs of one kubelet with one seed
// have the same traces, so a difference is one of the kubelets. No window is needed.
//
// The package knows no subject, formula or verdict, and prints nothing.
package trace

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// Schema names the format of a saved trace. It changes if a reader of the older format would misunderstand it.
const Schema = "podclock.trace/v1"

// Entry is one thing that happened.
type Entry = wire.Entry

// Trace is all that happened in one trial on one subject. Times are in nanoseconds since the node's clock started.
type Trace struct {
	Schema  string `json:"schema"`
	Trial   string `json:"trial"`
	Subject string `json:"subject"`
	// Seed decided the random numbers.
	Seed uint64 `json:"seed"`
	// Fault is the time of the trial's first fault, or of the creation of its pod.
	Fault   int64   `json:"cue"`
	Entries []Entry `json:"entries"`
}

// Origin is what becomes another name in a trace.
type Origin struct {
	// Version is the kubelet's version, which becomes "VERSION". A mutant has its own.
	Version string
	// Fault is as in [Trace], in nanoseconds since 1970.
	Fault int64
	// Namespace and Pod are those of the trial's own pod, which becomes "pod" in the trace. The names of the others
	// begin with it.
	Namespace, Pod string
}

// New returns a trace of the entries of a virtual node, in canonical order.
//
// Several goroutines of a kubelet act at one instant, and only the scheduler orders them. So the order of entries of
// one instant is that of their pod, container, kind and component. Within these they keep their order, except for those
// of no pod: the node's loops have nothing to do with each other.
func New(trial, subject string, seed uint64, o Origin, entries []Entry) Trace {
	t := Trace{
		Schema: Schema, Trial: trial, Subject: subject, Seed: seed, Fault: o.Fault - start.UnixNano(),
		Entries: slices.Clone(entries),
	}
	replaced := []string{o.Namespace + "/" + o.Pod, "pod", o.Namespace + "_" + o.Pod, "pod", o.Pod, "pod"}
	if o.Version != "" {
		replaced = append(replaced, o.Version, "VERSION")
	}
	names := strings.NewReplacer(replaced...)
	for i := range t.Entries {
		e := &t.Entries[i]
		e.At -= start.UnixNano()
		e.Pod, e.Text, e.Error = names.Replace(e.Pod), relative(names.Replace(e.Text)), names.Replace(e.Error)
	}
	slices.SortStableFunc(t.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.By, b.By), ofNode(a, b))
	})
	return t
}

func ofNode(a, b Entry) int {
	if a.Pod != "" {
		return 0
	}
	return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Error, b.Error))
}

// start is the time at which the clock of a virtual node starts (testing/synctest).
var start = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// instants are times in the JSON of API objects.
var instants = regexp.MustCompile(`2000-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// relative replaces instants by the time since the start, such as "T+12s".
func relative(text string) string {
	if !strings.Contains(text, "2000-") {
		return text
	}
	return instants.ReplaceAllStringFunc(text, func(instant string) string {
		at, err := time.Parse(time.RFC3339Nano, instant)
		if err != nil {
			return instant
		}
		return "T+" + at.Sub(start).String()
	})
}
