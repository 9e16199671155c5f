// Package delay holds what can make a node's evidence untrue, and computes how much.
//
// - A delay is work that came late because the node's cores or disk were busy.
// - An outage is a component that did not answer for long enough to matter.
// - A loss is a span in which marks may be missing.
// - A doubt is a reason not to trust evidence. Others derive doubts from these three.
//
// The package knows no cluster, no trial and no verdict.
package delay

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// Record is what a recorder measured of its node, and what is known of the node's host.
type Record struct {
	// LateTicks are the spans in which the recorder itself did not run.
	LateTicks []Span `json:"stalls,omitempty"`
	// PSI are samples of /proc/pressure, in order.
	PSI Samples `json:"pressure,omitempty"`
	// Unanswered are the spans in which a component did not answer. The longer ones are outages.
	Unanswered []Outage `json:"silences,omitempty"`
	// CoreNS is the CPU time of a fixed computation on a core of the node, in nanoseconds, or 0 if unknown.
	CoreNS int64 `json:"coreNS,omitempty"`
	// Slower is how many times as much CPU time as usual a process takes to start on the node's host, or 0 if unknown.
	Slower float64 `json:"slower,omitempty"`
}

// Span is a span of the recorder's clock, in nanoseconds since 1970.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Outage is a span without an answer, in nanoseconds since 1970 on the recorder's clock.
type Outage struct {
	// Component is the name that package mark gives it.
	Component string `json:"of"`
	From      int64  `json:"from"`
	To        int64  `json:"to"`
}

// Loss is a span of the recorder's clock in which marks may be missing, and why.
type Loss struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Why  string `json:"why"`
}

// Clone returns a copy that shares no memory with r.
func (r Record) Clone() Record {
	return Record{slices.Clone(r.LateTicks), slices.Clone(r.PSI), slices.Clone(r.Unanswered), r.CoreNS, r.Slower}
}

// Last returns the newest time of a late tick or a sample, 0 without any.
func (r Record) Last() (at int64) {
	if n := len(r.LateTicks); n > 0 {
		at = r.LateTicks[n-1].To
	}
	if n := len(r.PSI); n > 0 {
		at = max(at, r.PSI[n-1].At)
	}
	return at
}

// Since returns the part of the record after a time. Outages that ended after it are complete.
func (r Record) Since(at int64) Record {
	r = r.Clone()
	r.LateTicks = slices.DeleteFunc(r.LateTicks, func(s Span) bool { return s.To <= at })
	r.PSI = slices.DeleteFunc(r.PSI, func(s Sample) bool { return s.At <= at })
	r.Unanswered = slices.DeleteFunc(r.Unanswered, func(o Outage) bool { return o.To <= at })
	return r
}

// Add adds what a mark reports about the node. It ignores other marks.
func (r *Record) Add(m mark.Record) {
	switch d := m.Detail; {
	case m.Kind == mark.LateTick:
		r.LateTicks = append(r.LateTicks, Span{From: m.At - d.LateNS, To: m.At})
	case m.Kind == mark.PSISample && d.PSI != nil:
		r.PSI = append(r.PSI, Sample{At: m.At, CPUNS: d.PSI.CPUNS, IONS: d.PSI.IONS})
	case m.Kind == mark.CoreSpeed:
		r.CoreNS = d.CoreNS
	case m.Kind == mark.NoAnswer && d.NoAnswer != nil:
		r.AddOutage(Outage{Component: d.NoAnswer.Of, From: m.At - d.NoAnswer.NS, To: m.At})
	}
}

// AddOutage adds a span without an answer, or extends one that it overlaps.
func (r *Record) AddOutage(o Outage) {
	for i := len(r.Unanswered) - 1; i >= 0; i-- {
		known := &r.Unanswered[i]
		if known.Component == o.Component && known.From < o.To && o.From < known.To {
			known.From, known.To = min(known.From, o.From), max(known.To, o.To)
			return
		}
	}
	r.Unanswered = append(r.Unanswered, o)
}

// Outages returns the spans of at least a length in which a component or the recorder did not answer.
func (r Record) Outages(atLeast time.Duration) []Outage {
	var all []Outage
	for _, o := range r.Unanswered {
		if o.To-o.From >= int64(atLeast) {
			all = append(all, o)
		}
	}
	for _, s := range r.LateTicks {
		if s.To-s.From >= int64(atLeast) {
			all = append(all, Outage{Component: mark.TheRecorder, From: s.From, To: s.To})
		}
	}
	return all
}

// LastOutage returns the one of [Record.Outages] that ended last, or nil.
func (r Record) LastOutage(atLeast time.Duration) *Outage {
	var last *Outage
	for _, o := range r.Outages(atLeast) {
		if last == nil || o.To > last.To {
			last = &o
		}
	}
	return last
}

// recently is the time over which pressure is measured. The newest sample may be twice as old.
const recently = 2 * time.Second

// Pressure returns the share of the last seconds in which some task waited for a core, 0 if no sample is new enough.
func Pressure(samples []Sample, now time.Time) float64 {
	i := len(samples) - 1
	if i < 1 || now.Sub(time.Unix(0, samples[i].At)) > 2*recently {
		return 0
	}
	last := samples[i]
	for i > 0 && last.At-samples[i].At < int64(recently) {
		i--
	}
	return float64(last.CPUNS-samples[i].CPUNS) / float64(last.At-samples[i].At)
}
