package sentences

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/next"
)

// Times of events are given from now on and by the clock, in units that people use.
func TestTimesOfEvents(t *testing.T) {
	now := time.Date(2026, 11, 24, 15, 0, 0, 0, time.UTC)
	for says, bounds := range map[string][2]time.Duration{
		"in 12 to 45 s (15:00:12 to 15:00:45)":                     {12 * time.Second, 45 * time.Second},
		"in 12 to 13 s (15:00:12 to 15:00:13)":                     {12 * time.Second, 12400 * time.Millisecond},
		"within 45 s (until 15:00:45)":                             {-time.Minute, 45 * time.Second},
		"due 45 s ago at the latest (14:59:15)":                    {-time.Minute, -45 * time.Second},
		"in 10 to 20 min (15:10:00 to 15:20:00)":                   {10 * time.Minute, 20 * time.Minute},
		"in 5 to 10 h (20:00:00 to 2026-11-25 01:00:00)":           {5 * time.Hour, 10 * time.Hour},
		"within 4 d (until 2026-11-28 15:00:00)":                   {0, 96 * time.Hour},
		"in 90 s or later (15:01:30)":                              {90 * time.Second, 0},
		"due since 14:58:30":                                       {-90 * time.Second, 0},
		"in 100 to 500 s (15:01:40 to 15:08:20)":                   {100 * time.Second, 500 * time.Second},
		"due 20 h ago at the latest (2026-11-23 19:00:00)":         {-30 * time.Hour, -20 * time.Hour},
		"in 3 to 4 d (2026-11-27 15:00:00 to 2026-11-28 15:00:00)": {72 * time.Hour, 96 * time.Hour},
	} {
		e := next.Event{Earliest: now.Add(bounds[0])}
		if bounds[1] != 0 {
			e.Latest = now.Add(bounds[1])
		}
		NewWithT(t).Expect(timeText(e, now)).To(Equal(says))
	}
	NewWithT(t).Expect(timeText(next.Event{}, now)).To(BeEmpty())
}

// Ready pods with nothing due share a sentence, and a page has few of the others.
func TestSentencesOfPods(t *testing.T) {
	g := NewWithT(t)
	var pods []next.Pod
	for range 13 {
		pods = append(pods, next.Pod{Name: "web", State: "is in CrashLoopBackOff"}, next.Pod{Name: "ok", Quiet: true})
	}
	all := Now(pods, time.Time{})
	g.Expect(all).To(HaveLen(mostPods + 2))
	g.Expect(all[0]).To(Equal(Sentence{"Now", "web is in CrashLoopBackOff; nothing is due"}))
	g.Expect(all[mostPods].Description).To(Equal("3 pods more: -o json has them"))
	g.Expect(all[mostPods+1].Description).To(Equal("13 ready pods: nothing is due"))
}
