package trial

import (
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

const (
	waiting event   = "waiting"
	pulled  event   = "pull"
	starts  counted = "starts"
)

// Waiting is when the API first showed a life of a container to have ended and the container to wait for a
// reason, such as "CrashLoopBackOff".
func Waiting(reason string) Point {
	return Point{event: waiting, container: Main, life: 1, kind: reason}
}

// PullAttempt is attempt number n, from 1, to pull the image of a container that has an image which can't
// be had (victim.UnpullableImage).
func PullAttempt(n int) Point { return Point{event: pulled, container: Main, number: n} }

// Starts counts the lives that a container has begun until so long after a point.
func Starts(container string, after Point, within time.Duration) Measure {
	kind := container
	if container == Main {
		kind = ""
	}
	return Measure{counted: starts, kind: kind, at: after, within: within}
}

func (p Point) ofWaiting(t *timeline.Timeline) *timeline.Instant {
	for i := range t.API {
		for _, s := range t.API[i].Containers {
			// A waiting container has the count of the life that ended last.
			if s.Name == p.container && s.State == "waiting" && s.Reason == p.kind && int(s.RestartCount) == p.life-1 {
				return &t.API[i].At
			}
		}
	}
	return nil
}

func (p Point) ofPulls(t *timeline.Timeline) *timeline.Instant {
	c := t.Containers[p.container]
	if c == nil || p.index() >= len(c.Pulls) {
		return nil
	}
	return &c.Pulls[p.index()]
}

// startsUntil is how many lives of a container began until an instant.
func startsUntil(t *timeline.Timeline, container string, until int64) int64 {
	if container == "" {
		container = Main
	}
	n := int64(0)
	if c := t.Containers[container]; c != nil {
		for _, l := range c.Lives {
			if l.Connected != nil && l.Connected.At <= until || l.Started != nil && l.Started.At <= until {
				n++
			}
		}
	}
	return n
}

// cuesOf are the times of the cues of some actions that took place.
func cuesOf(tl *timeline.Timeline, actions ...Action) []time.Duration {
	var times []time.Duration
	for _, c := range tl.Cues {
		for _, a := range actions {
			if c.What == string(a) && c.Status == 0 {
				times = append(times, time.Duration(c.At.At))
			}
		}
	}
	return times
}

// attempt is the number of the pull that a measure ends with, 0 for a measure of anything else.
func (m Measure) attempt() int {
	if m.To.event != pulled {
		return 0
	}
	return m.To.index() + 1
}
