package timeline

import (
	"cmp"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

const (
	// deathSeen is how long after a death the recorder of an idle node stamps it.
	deathSeen = 2 * time.Millisecond
	// longestWay bounds a mark's way to the recorder. One clock stamps both ends. The longest seen was 0.3 s.
	longestWay = time.Second
	// attempt is longer than one attempt to pull an image. Attempts are at least ten seconds apart.
	attempt = 3 * time.Second
)

func (t *Timeline) add(r mark.Record, delays delay.Record) {
	if r.Kind == mark.Unreadable {
		t.doubt("", r.At-int64(longestWay), "connection %d was cut off: %s", r.Conn, r.Detail.Note)
		return
	}
	if r.Container == "" {
		return
	}
	if r.Kind == mark.Pulled {
		t.addPull(r.Container, instant(r, delays))
		return
	}
	if r.Life < 1 {
		if r.Role == mark.Run {
			t.doubt(r.Container, r.At, "a mark %s of container %s belongs to no life", r.Kind, r.Container)
		}
		return
	}
	if way := time.Duration(r.At - r.Sent); r.Sent != 0 && (way > longestWay || way < -longestWay) {
		t.doubt("", min(r.Sent, r.At), "mark %s of container %s arrived %v after it was sent: "+
			"the node was paused, or its clock set", r.Kind, r.Container, way.Round(time.Millisecond))
	}
	life := t.life(r.Container, r.Life)
	at := instant(r, delays)
	switch r.Role {
	case mark.Run:
		life.addRun(r, at)
	case mark.Hook:
		life.addHook(r, at)
	}
}

func (t *Timeline) addPull(container string, at Instant) {
	c := t.container(container)
	if n := len(c.Pulls); n == 0 || at.At-c.Pulls[n-1].At > int64(attempt) {
		c.Pulls = append(c.Pulls, at)
	}
}

func (l *Life) addRun(r mark.Record, at Instant) {
	switch r.Kind {
	case mark.Connected:
		if l.Connected == nil {
			l.Connected = &at
		}
	case mark.Started:
		// An earlier end was that of a connection on which the process failed to reach the recorder.
		l.Started, l.connection, l.Gone = &at, r.Conn, nil
	case mark.SIGTERM:
		if l.SIGTERMs = append(l.SIGTERMs, at); len(l.SIGTERMs) == 1 {
			l.Signal = cmp.Or(r.Detail.Signal, "SIGTERM")
		}
	case mark.Exiting:
		l.Exiting, l.OwnExitCode = &at, r.Detail.ExitCode
	case mark.Gone:
		if l.Started == nil || l.connection == r.Conn {
			l.Gone = &at
		}
	case mark.Probed:
		if p := r.Detail.Probe; p != nil {
			l.Probes = append(l.Probes, Probe{At: at, For: p.For, Handler: p.Handler, Answer: p.Answer})
		}
	case mark.FillBegan:
		l.FillBegan = &at
	case mark.Filled:
		l.Filled, l.FillNote = &at, r.Detail.Note
	case mark.Requested:
		if l.LastRequest = nil; l.Requested == nil {
			l.Requested = &at
		}
	case mark.LastRequest: // the requests ended at some time of the pause that shows it
		l.LastRequest = &Instant{At: r.Sent, Late: r.At - r.Sent}
	default:
		l.addHook(r, at)
	}
}

func (l *Life) addHook(r mark.Record, at Instant) {
	switch r.Kind {
	case mark.HookBegan:
		l.Hooks = append(l.Hooks, Hook{Began: at, connection: r.Conn})
	case mark.HookEnded:
		end(l.Hooks, r.Conn, at)
	case mark.PostStartBegan:
		l.PostStarts = append(l.PostStarts, Hook{Began: at, connection: r.Conn})
	case mark.PostStartEnded:
		end(l.PostStarts, r.Conn, at)
	}
}

func end(hooks []Hook, connection uint64, at Instant) {
	for i := range hooks {
		if h := &hooks[i]; h.connection == connection && h.Ended == nil {
			h.Ended = &at
			return
		}
	}
}

// instant dates a mark by its arrival. A closed connection has no sender's stamp: it may be late by deathSeen and by
// the recorder's late tick.
func instant(r mark.Record, delays delay.Record) Instant {
	early := int64(deathSeen) + int64(delays.OfMark(r.At))
	if r.Sent != 0 {
		early = max(0, r.At-r.Sent)
	}
	return Instant{At: r.At, Early: early}
}
