package predict

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Answers summarize a container's timelines in numbers.
type Answers struct {
	Readiness
	Restarts  []ProbeRestart
	Kills     Kills
	CrashLoop []Restart
	// Crash is the timeline of CrashLoop, or that of an end for good.
	Crash *Timeline
	// ProbeLoops are the restarts of a container that fails a probe in every life.
	ProbeLoops []ProbeLoop
}

// Readiness is when a container or a pod is ready, over all assumptions.
type Readiness struct {
	// Ready counts from the start. It is nil for a container without a readiness probe.
	Ready *Span
	// Unready counts from the moment from which a readiness probe fails. It is nil without one.
	Unready *Span
	// PastDeadline is set if the pod's deadline ends it before it is ready.
	PastDeadline bool
}

// ProbeLoop is the restarts of a container that a probe kills in every life, over all assumptions.
type ProbeLoop struct {
	Probe    string
	Restarts []Restart
	Timeline *Timeline
	// AtOnce is how many of the first restarts wait for nothing.
	AtOnce int
	// Later is the wait of all others, or nil.
	Later *Span
}

// ProbeRestart is the time until a failing probe restarts a container, over all assumptions.
type ProbeRestart struct {
	Probe string
	// From is FromStart, FromFault or FromFaults, the event from which the times count.
	From      string
	Signalled Span
	// Restarted is the time to the start of the next life, or nil.
	Restarted *Span
}

// The events from which a [ProbeRestart] counts.
const (
	// FromStart is the start of a container whose probe always fails, FromFault the moment from which a healthy
	// one's fails: earliest just before a probe, latest just after one. FromFaults is the same moment for all
	// containers of a pod that have a liveness probe.
	FromStart  = "start"
	FromFault  = "fault"
	FromFaults = "faults"
)

// Kill is the effect of a cause in numbers. Spans count from the timelines' zero, over all assumptions.
type Kill struct {
	Cause   formula.Cause
	Variant string
	// Begins is the event at zero.
	Begins string
	Grace  time.Duration
	// HookRuns reports whether the preStop hook is run, HookInside whether within the grace period.
	HookRuns   bool
	HookInside bool
	SIGTERM    Span
	// SIGKILL is nil if the process always exits in time.
	SIGKILL *Span
	Dead    Span
	// Restarted is the start of the next life, or nil.
	Restarted *Span
}

// Kills has one kill for each cause and variant.
type Kills []Kill

// Of returns the kill by a cause and its variant, or nil.
func (all Kills) Of(cause formula.Cause, variant string) *Kill {
	i := slices.IndexFunc(all, func(k Kill) bool { return k.Cause == cause && k.Variant == variant })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// Restart is one restart of a container that ends in every life.
type Restart struct {
	// Number counts from 1, after the end of life 1.
	Number int
	// Wait is from the end of a life to the start of the next.
	Wait Span
	// Promised is the documented wait, or nil.
	Promised *Span
	// Since is the start of the life that the restart begins: after the first end in a crash loop, after the first
	// start in a probe loop.
	Since Span
}

const fromStart = "from its start"

func answersOf(all []Timeline) Answers {
	a := Answers{Kills: Kills{}}
	for i := range all {
		t := &all[i]
		a.addKill(t)
		a.addRestart(t)
		switch t.Cause {
		case Crashing:
			a.CrashLoop, a.Crash = restartsOf(t), t // the loop is the last of them
		case Starting:
			a.Ready = overStep(a.Ready, t, lifecycle.Ready)
		case Unreadying:
			a.Unready = overStep(a.Unready, t, lifecycle.Unready)
		case Looping:
			a.ProbeLoops = append(a.ProbeLoops, probeLoopOf(t))
		}
	}
	return a
}

// overStep returns the span over a and a timeline's step. Each may be nil.
func overStep(a *Span, t *Timeline, id string) *Span {
	if s := t.find(id); s != nil {
		return Over(a, s.At)
	}
	return a
}

func (a *Answers) addKill(t *Timeline) {
	signal, death := t.find(lifecycle.SIGTERM), t.find(lifecycle.Gone)
	if signal == nil || death == nil || t.Cause == Looping {
		return
	}
	k := a.Kills.Of(t.Cause, t.Variant)
	if k == nil {
		a.Kills = append(a.Kills, Kill{
			Cause: t.Cause, Variant: t.Variant, Begins: t.Begins, SIGTERM: signal.At, Dead: death.At,
		})
		k = &a.Kills[len(a.Kills)-1]
	}
	k.Grace, k.HookRuns, k.HookInside = t.Grace, death.input.RunsHook(), death.input.CountsHook()
	k.SIGTERM, k.Dead = k.SIGTERM.or(signal.At), k.Dead.or(death.At)
	if !t.Assumes.Obeys {
		k.SIGKILL = Over(k.SIGKILL, death.At)
	}
	k.Restarted = overStep(k.Restarted, t, inLife(lifecycle.Started, 2))
}

func (a *Answers) addRestart(t *Timeline) {
	if t.Cause != formula.ByLiveness && t.Cause != formula.ByStartup {
		return
	}
	if t.from == FromFaults {
		a.addTogether(t)
		return
	}
	probe, signal := string(t.Cause), t.find(lifecycle.SIGTERM).At
	i := slices.IndexFunc(a.Restarts, func(r ProbeRestart) bool { return r.Probe == probe && r.From == t.from })
	if i < 0 {
		i = len(a.Restarts)
		a.Restarts = append(a.Restarts, ProbeRestart{Probe: probe, From: t.from, Signalled: signal})
	}
	r := &a.Restarts[i]
	r.Signalled = r.Signalled.or(signal)
	r.Restarted = overStep(r.Restarted, t, inLife(lifecycle.Started, 2))
}

// addTogether adds the restart after a common failure: the container is killed first, as if it were alone, or last.
func (a *Answers) addTogether(t *Timeline) {
	i := slices.IndexFunc(a.Restarts, func(r ProbeRestart) bool {
		return r.Probe == podspec.Liveness && r.From == FromFault
	})
	r := a.Restarts[i]
	r.From, r.Signalled = FromFaults, r.Signalled.or(t.find(lifecycle.SIGTERM).At)
	r.Restarted = Over(r.Restarted, t.find(inLife(lifecycle.Started, 2)).At)
	a.Restarts = append(a.Restarts, r)
}

// startTakes is more than the start of a container takes that waits for nothing.
const startTakes = 5 * time.Second

func probeLoopOf(t *Timeline) ProbeLoop {
	l := ProbeLoop{Probe: t.Variant, Restarts: restartsOf(t), Timeline: t}
	for _, r := range l.Restarts {
		if l.Later == nil && r.Wait.Latest < startTakes {
			l.AtOnce++
		} else {
			l.Later = Over(l.Later, r.Wait)
		}
	}
	return l
}

func restartsOf(t *Timeline) (all []Restart) {
	for n := 1; ; n++ {
		s := t.find(inLife(lifecycle.Started, n+1))
		if s == nil {
			return all
		}
		r := Restart{Number: n, Wait: Span{}.plus(s.Implemented), Since: s.At}
		if s.After == Held {
			r.Wait = s.At // since the first end
		}
		if s.Documented != nil {
			r.Promised = new(Span{}.plus(*s.Documented))
		}
		all = append(all, r)
	}
}
