package observe

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Seen is when something arrived here, by the API server's clock.
type Seen struct {
	At time.Time
	// Early is how much earlier it may have happened if no time of the API bounds that: the length of a gap, or of what
	// was before the observation.
	Early time.Duration
	// Before is set if it was so when the observation began.
	Before bool
}

// wholeSecond is how much later than its time in the API something may have happened: the API cuts times to seconds
// (k8s.io/apimachinery pkg/apis/meta/v1 Time.MarshalJSON).
const wholeSecond = time.Second

// usualWay is the longest that a change usually takes to arrive. Nothing but a time of the API bounds it.
const usualWay = time.Second

// arrived returns the instant of a change that the API dates, or does not if t is zero.
func (s Seen) arrived(t metav1.Time) Instant {
	if t.IsZero() {
		return Instant{s.At.Add(-max(s.Early, usualWay)), s.At, s.At, ByWatch}
	}
	i := Instant{Earliest: t.Time, At: s.At, Latest: s.At, By: ByWatch}
	if end := t.Add(wholeSecond); end.Before(s.At) {
		i.At, i.Latest = end, end
		if s.Before || s.Early > 0 {
			i.At, i.By = t.Add(wholeSecond/2), ByStatus
		}
	}
	if i.Earliest.After(i.At) { // the clocks differ by less than a second
		i.Earliest = i.At
	}
	return i
}

// dated returns the instant of a time of the API that was seen.
func (s Seen) dated(t metav1.Time) Instant {
	i := Instant{Earliest: t.Time, Latest: t.Add(wholeSecond), By: ByStatus}
	if s.At.Before(i.Latest) {
		i.Latest = s.At
	}
	if i.Latest.Before(i.Earliest) {
		i.Latest = i.Earliest
	}
	i.At = i.Earliest.Add(i.Latest.Sub(i.Earliest) / 2)
	return i
}

// zero dates what the API does not.
var zero metav1.Time
