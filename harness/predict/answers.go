package predict

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
)

// answers are what a container's timelines say in numbers.
func answers(all []Timeline) Answers {
	a := Answers{Kills: []Kill{}}
	for i := range all {
		t := &all[i]
		a.kill(t)
		a.restart(t)
		if t.Cause == Crashing {
			a.CrashLoop = crashLoop(t)
		}
	}
	return a
}

// find is the step of an ID, nil where there is none.
func (t Timeline) find(id string) *Step {
	for i := range t.Steps {
		if t.Steps[i].ID == id {
			return &t.Steps[i]
		}
	}
	return nil
}

// kill adds a timeline to what its cause is in numbers.
func (a *Answers) kill(t *Timeline) {
	signal, death := t.find(SIGTERM), t.find(Death)
	if signal == nil || death == nil {
		return
	}
	i := slices.IndexFunc(a.Kills, func(k Kill) bool { return k.Cause == t.Cause && k.Variant == t.Variant })
	if i < 0 {
		a.Kills = append(a.Kills, Kill{Cause: t.Cause, Variant: t.Variant, SIGTERM: signal.At, Dead: death.At})
		i = len(a.Kills) - 1
	}
	k := &a.Kills[i]
	k.Grace, k.HookRuns, k.HookInside = t.Grace, signal.input.RunsHook(), signal.input.CountsHook()
	k.SIGTERM, k.Dead = k.SIGTERM.or(signal.At), k.Dead.or(death.At)
	if !t.Assumes.Obeys {
		killed := death.At
		if k.SIGKILL != nil {
			killed = killed.or(*k.SIGKILL)
		}
		k.SIGKILL = &killed
	}
}

// restart adds a timeline to what its probe is in numbers.
func (a *Answers) restart(t *Timeline) {
	if t.Cause != formula.ByLiveness && t.Cause != formula.ByStartup {
		return
	}
	from := FromFault
	if t.Variant == fromStart {
		from = FromStart
	}
	signal, start := t.find(SIGTERM).At, t.find(numbered(Start, 2))
	i := slices.IndexFunc(a.Restarts, func(r ProbeRestart) bool { return r.Probe == string(t.Cause) && r.From == from })
	if i < 0 {
		a.Restarts = append(a.Restarts, ProbeRestart{Probe: string(t.Cause), From: from, Signalled: signal})
		i = len(a.Restarts) - 1
	}
	r := &a.Restarts[i]
	r.Signalled = r.Signalled.or(signal)
	if start != nil {
		restarted := start.At
		if r.Restarted != nil {
			restarted = restarted.or(*r.Restarted)
		}
		r.Restarted = &restarted
	}
}

// crashLoop is the restarts of a container that crashes again and again.
func crashLoop(t *Timeline) (all []Restart) {
	for n := 1; ; n++ {
		s := t.find(numbered(Start, n+1))
		if s == nil {
			return all
		}
		r := Restart{Number: n, Wait: Span{}.plus(s.Implemented), Since: s.At}
		if s.Documented != nil {
			promised := Span{}.plus(*s.Documented)
			r.Promised = &promised
		}
		all = append(all, r)
	}
}
