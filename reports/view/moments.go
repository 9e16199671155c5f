package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
)

// moment is one line of a timeline as people read it.
type moment struct {
	at     timeline.Instant
	source string
	what   string
}

// Origin is the first instant of an attempt: the zero of its timeline. It is 0 if nothing was recorded.
func Origin(e timeline.Evidence) int64 {
	for _, m := range Entries(e, delay.Record{}) {
		if m.at.At != 0 {
			return m.at.At
		}
	}
	return 0
}

// Entries merges marks, changes of API objects, events, faults, losses and the node's delays by time.
func Entries(e timeline.Evidence, delays delay.Record) []moment {
	var all []moment
	add := func(at timeline.Instant, source, what string) { all = append(all, moment{at, source, what}) }
	for _, r := range e.Marks {
		add(timeline.Instant{At: r.At}, "mark", ofMark(r))
	}
	for i, c := range e.Faults {
		add(c.At, "fault", ofFault(i+1, c))
		if c.Done != nil {
			add(*c.Done, "fault", fmt.Sprintf("%d %s is done", i+1, c.What))
		}
	}
	for _, c := range e.API {
		add(c.At, "api", ofChange(c.Change()))
	}
	for _, v := range e.Events {
		add(v.At, "event", ofEvent(v))
	}
	for _, l := range e.Losses {
		add(timeline.Instant{At: l.From}, "loss", fmt.Sprintf("for %s ms: %s", milliseconds(l.To-l.From), l.Why))
	}
	if c := e.Counters; c != nil {
		add(c.Answered, "kubelet", "failed probes by its own count: "+counted(c.Failed))
	}
	if len(all) > 0 {
		all = append(all, delaysAmong(delays, all)...)
	}
	slices.SortStableFunc(all, func(x, y moment) int { return cmp.Compare(x.at.At, y.at.At) })
	return all
}

// delaysAmong returns the late ticks and outages of the node between the first and the last entry.
func delaysAmong(delays delay.Record, among []moment) []moment {
	byTime := func(x, y moment) int { return cmp.Compare(x.at.At, y.at.At) }
	first, last := slices.MinFunc(among, byTime).at.At, slices.MaxFunc(among, byTime).at.At
	var inside []moment
	add := func(from, to int64, what string) {
		if to >= first && from <= last {
			what += fmt.Sprintf(" %s ms", milliseconds(to-from))
			inside = append(inside, moment{timeline.Instant{At: from}, "node", what})
		}
	}
	for _, s := range delays.LateTicks {
		add(s.From, s.To, "delayed by")
	}
	for _, s := range delays.Unanswered {
		add(s.From, s.To, fmt.Sprintf("the %s did not answer for", s.Component))
	}
	return inside
}

func ofMark(r mark.Record) string {
	s := fmt.Sprintf("%s life %d, %s: %s", r.Container, r.Life, r.Role, r.Kind)
	d := r.Detail
	switch {
	case d.Probe != nil:
		s += fmt.Sprintf(", %s over %s, number %d, answers %s", d.Probe.For, d.Probe.Handler, d.Probe.Index+1,
			d.Probe.Answer)
	case d.ExitCode != nil:
		s += fmt.Sprintf(" with %d", *d.ExitCode)
	case d.Signal != "":
		s += ", " + d.Signal
	case d.Note != "":
		s += ", " + d.Note
	}
	return s
}

func ofFault(number int, c timeline.Fault) string {
	s := fmt.Sprintf("%d %s", number, c.What)
	if c.Status != 0 {
		s += fmt.Sprintf(", refused with %d", c.Status)
	}
	if c.Error != "" {
		s += ", failed: " + c.Error
	}
	return s
}

func ofChange(c timeline.Change) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if c.Pod != "" {
		add("pod %s", c.Pod)
	}
	if c.Deleted {
		add("the object is gone")
	}
	if c.Phase != "" {
		add("%s", c.Phase)
	}
	if c.Reason != "" {
		add("reason %s", c.Reason)
	}
	if c.DeletionTimestamp != 0 {
		add("deletionTimestamp %s", ClockTime(c.DeletionTimestamp))
	}
	if c.DeletionGracePeriodSeconds != nil {
		add("deletionGracePeriodSeconds %d", *c.DeletionGracePeriodSeconds)
	}
	if len(c.Conditions) > 0 {
		add("true: %s", strings.Join(c.Conditions, " "))
	}
	for _, s := range c.Containers {
		add("%s", ofStatus(s))
	}
	return strings.Join(parts, "; ")
}

func ofStatus(s timeline.ContainerStatus) string {
	words := []string{s.Name, s.State}
	if s.Reason != "" {
		words = append(words, "("+s.Reason+")")
	}
	if s.Ready {
		words = append(words, "ready")
	}
	if s.RestartCount > 0 {
		words = append(words, "restarts", fmt.Sprint(s.RestartCount))
	}
	if e := s.Ended; e != nil {
		words = append(words, fmt.Sprintf("life %d ended %s with %d", e.Life, ClockTime(e.FinishedAt), e.ExitCode))
	}
	return strings.Join(words, " ")
}

func ofEvent(e timeline.Event) string {
	s := e.Reason
	if e.Pod != "" {
		s = "pod " + e.Pod + ": " + s
	}
	if e.Container != "" {
		s += " of " + e.Container
	}
	if e.Count > 1 {
		s += fmt.Sprintf(" (%d times)", e.Count)
	}
	return s + ": " + strings.Join(strings.Fields(e.Message), " ")
}

// counted formats the kubelet's counts in a fixed order.
func counted(failed map[string]map[string]int) string {
	var parts []string
	for container, kinds := range failed {
		for kind, n := range kinds {
			parts = append(parts, fmt.Sprintf("%s %s %d", container, kind, n))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Line returns a moment with its offset and its observer's error.
func (m moment) Line(zero int64) string {
	spread := ""
	if m.at.Early != 0 || m.at.Late != 0 {
		spread = fmt.Sprintf(" [-%s +%s]", milliseconds(m.at.Early), milliseconds(m.at.Late))
	}
	return fmt.Sprintf("%12s  %-7s  %s%s", Offset(m.at.At, zero), m.source, m.what, spread)
}

// Offset returns the time from zero to at, both in nanoseconds, as milliseconds with three decimals and without a unit.
func Offset(at, zero int64) string { return milliseconds(at - zero) }

func milliseconds(ns int64) string {
	return fmt.Sprintf("%.3f", float64(ns)/float64(time.Millisecond))
}

// ClockTime returns the time of day in UTC, such as 10:00:05, of seconds since 1970.
func ClockTime(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.TimeOnly) }
