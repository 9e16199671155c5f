// Package event compares the kubelet's events about a pod with the pod's specification, with each other, with the
// lives of its containers and with its status. What does not fit is a misreport of the kubelet. No time is measured
// here.
package event

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// The kinds of reports that the package checks. Each is a formula's: see harness/rules/formula.
const (
	// Forms are the type, the object and the message of each event.
	Forms timeline.Report = "event-forms"
	// Order is what the events before an event must be.
	Order timeline.Report = "event-order"
	// Lives are the events of the starts, the kills and the failed probes that the marks show.
	Lives timeline.Report = "event-lives"
	// States are the events of the failures that the status shows.
	States timeline.Report = "event-states"
)

// Check adds the events of one pod. It leaves out pods without an event of the kubelet, and runs of earlier revisions,
// which did not save who reported an event.
func Check(k timeline.Checked, p Pod) {
	p.Events = slices.DeleteFunc(slices.Clone(p.Events), func(e timeline.Event) bool {
		return e.Source != "kubelet" || e.Type == ""
	})
	if len(p.Events) == 0 {
		return
	}
	c := &checker{Pod: p, checked: k, all: occurrences(p.Events)}
	c.kind = Forms
	for _, e := range p.Events {
		c.checked.Count[Forms]++
		c.form(e)
	}
	if !p.Alone {
		return
	}
	c.complete()
	for _, rule := range complete {
		c.kind = rule.of
		c.checked.Count[rule.of]++
		rule.check(c)
	}
}

// complete leaves the events before which none is missing, and notes until when that is. A kubelet sends its events in
// their order (client-go tools/record/event.go StartRecordingToSink), and the first of a pod in any case. In the
// virtual lane, whose instants have no error, they come at once. The count of events that stand for others is unknown.
func (c *checker) complete() {
	n := slices.IndexFunc(c.all, func(e timeline.Event) bool { return strings.HasPrefix(e.Message, aggregated) })
	if n < 0 {
		n = len(c.all)
	}
	n = min(n, spamBurst)
	switch last := c.all[max(n-1, 0)]; {
	case n == 0:
	case n == len(c.all) && n < spamBurst && last.At.Early == 0 && last.At.Late == 0:
		c.until = c.Known - int64(time.Second)
	default:
		c.until = last.Recorded*int64(time.Second) - int64(startAnswered)
	}
	c.all = c.all[:n]
}

// complete are the rules that need all events.
var complete = []struct {
	of    timeline.Report
	check func(*checker)
}{
	{Order, (*checker).starts}, {Order, (*checker).stops}, {Order, (*checker).probeKills}, {Order, (*checker).resizes},
	{Lives, (*checker).lives}, {Lives, (*checker).kills}, {Lives, (*checker).failedProbes},
	{States, (*checker).waiting}, {States, (*checker).ended},
	{States, (*checker).sandboxes},
}

// spamBurst is how many events about a pod a kubelet sends in any case (client-go tools/record/events_cache.go
// defaultSpamBurst). It may drop later ones.
const spamBurst = 25

// startAnswered is longer than a container runtime takes to answer that it has started a process. Then the kubelet
// records the start.
const startAnswered = 5 * time.Second
