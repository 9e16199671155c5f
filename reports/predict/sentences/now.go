package sentences

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/predict/next"
)

// mostPods is the number of pods with a sentence. The document for programs has all of them.
const mostPods = 10

// Now says what happens from now on to each pod of a cluster, except for those that are ready if nothing is due.
func Now(pods []next.Pod, now time.Time) (all []Sentence) {
	quiet, more := 0, 0
	for _, p := range pods {
		switch {
		case p.Quiet:
			quiet++
		case len(all) == mostPods:
			more++
		default:
			all = append(all, Sentence{"Now", p.Name + " " + podText(p, now)})
		}
	}
	if more > 0 {
		all = append(all, Sentence{"Now", Count(more, "pod") + " more: -o json has them"})
	}
	if quiet > 0 {
		all = append(all, Sentence{"Now", Count(quiet, "ready pod") + ": nothing is due"})
	}
	return all
}

func podText(p next.Pod, now time.Time) string {
	says := p.State
	if !p.Since.IsZero() {
		says += " since " + clock(p.Since, now)
	}
	for _, e := range p.Events {
		says += "; " + e.What
		if at := timeText(e, now); at != "" {
			says += ": " + at
		}
	}
	if len(p.Events) == 0 {
		says += "; nothing is due"
	}
	return says
}

// timeText writes when an event comes, from now on and by the clock: "in 12 to 45 s (15:20:03 to 15:20:36)".
func timeText(e next.Event, now time.Time) string {
	until := clock(e.Latest.Add(time.Second-1), now) // whole seconds, not too early
	switch earliest, latest := e.Earliest.Sub(now), e.Latest.Sub(now); {
	case e.Earliest.IsZero():
		return ""
	case e.Latest.IsZero() && earliest < 0:
		return "due since " + clock(e.Earliest, now)
	case e.Latest.IsZero():
		return fmt.Sprintf("in %s or later (%s)", atLeast(earliest), clock(e.Earliest, now))
	case latest < 0:
		return fmt.Sprintf("due %s ago at the latest (%s)", atLeast(-latest), until)
	case earliest < time.Second:
		return fmt.Sprintf("within %s (until %s)", atMost(latest), until)
	default:
		return fmt.Sprintf("in %s (%s to %s)", between(earliest, latest), clock(e.Earliest, now), until)
	}
}

// clock writes a time in the zone of the reader, with its day unless that is today.
func clock(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// units are those of times from now on. Each serves up to the limit of the next.
var units = []struct {
	unit  time.Duration
	name  string
	until time.Duration
}{{time.Second, " s", inMinutes}, {time.Minute, " min", 3 * time.Hour}, {time.Hour, " h", 72 * time.Hour}}

func unitOf(d time.Duration) (unit time.Duration, name string) {
	for _, u := range units {
		if d < u.until {
			return u.unit, u.name
		}
	}
	return 24 * time.Hour, " d"
}

func whole(d, unit time.Duration, round func(float64) float64) string {
	return strconv.FormatFloat(round(float64(d)/float64(unit)), 'f', -1, 64)
}

// atLeast writes a time from now on that is not too long, atMost one that is not too short.
func atLeast(d time.Duration) string {
	unit, name := unitOf(d)
	return whole(d, unit, math.Floor) + name
}

func atMost(d time.Duration) string {
	unit, name := unitOf(d)
	return whole(d, unit, math.Ceil) + name
}

func between(a, b time.Duration) string {
	unit, _ := unitOf(b)
	if from := whole(a, unit, math.Floor); from != whole(b, unit, math.Ceil) {
		return from + " to " + atMost(b)
	}
	return atMost(b)
}
