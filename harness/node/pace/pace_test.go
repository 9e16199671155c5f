package pace

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestPace(t *testing.T) {
	g := NewWithT(t)
	var ordered []runner.Selection
	for _, lasts := range []time.Duration{100, 95, 20, 20, 20, 10, 10, 10, 10, 10} {
		ordered = append(ordered, runner.Selection{Trial: trial.Trial{Lasts: lasts * time.Second}})
	}
	p := New(ordered, 2, 1.2/load, func(float64) bool { return false })
	last := time.Duration(0)
	for i, s := range ordered {
		due := p.due(i, s.Trial.Lasts).Sub(p.begun)
		g.Expect(due).To(BeNumerically(">=", last), "in order")
		g.Expect(due+s.Trial.Lasts).To(BeNumerically("<=", 100*time.Second), "it ends before the longest does")
		g.Expect(due - last).To(BeNumerically("<=", longestGap+3*time.Second))
		last = due
	}
	g.Expect(last).To(BeNumerically(">", 10*time.Second), "the starts are spread")
}

// The cores limit the starts of many short trials. Faster starts would only cause further attempts.
func TestPaceOfManyShortTrials(t *testing.T) {
	g := NewWithT(t)
	ordered := make([]runner.Selection, 160)
	for i := range ordered {
		ordered[i].Trial.Lasts = 40 * time.Second
	}
	last := len(ordered) - 1
	for cores, spread := range map[int]time.Duration{2: 62 * time.Second, 4: 31 * time.Second, 64: 32 * time.Second} {
		p := New(ordered, 2, float64(cores), func(float64) bool { return false })
		g.Expect(p.gap*time.Duration(last)).To(BeNumerically("~", spread, time.Second), "%d cores", cores)
		g.Expect(p.Busy == busyWithMany).To(Equal(cores <= 4), "the CPU of %d cores decides how long it takes", cores)
		if cores <= 4 {
			g.Expect(p.due(last, 40*time.Second).Sub(p.begun)).
				To(Equal(p.gap*time.Duration(last)), "the longest trial does not make a start earlier")
		}
		p.Prolong(3)
		g.Expect(p.gap*time.Duration(last)).To(BeNumerically("~", 3*spread, 3*time.Second), "three runs in turn")
		g.Expect(p.latest(40 * time.Second)).To(BeNumerically(">=", 80*time.Second*9/10))
	}
}

// A start waits while the nodes are busy, but not for ever. The last attempt waits for idle nodes.
func TestPaceWaitsForIdleNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		begun := time.Now()
		pressure := func() float64 {
			switch at := time.Since(begun); {
			case at < 5*time.Second:
				return 0.6
			case at < 10*time.Second:
				return 0.1
			}
			return 1
		}
		ordered := []runner.Selection{
			{Trial: trial.Trial{Lasts: 100 * time.Second}},
			{Trial: trial.Trial{Lasts: 20 * time.Second}},
		}
		p := New(ordered, 40, 1.2/load, func(share float64) bool { return pressure() > share })
		below := func(share float64) bool {
			busy, err := p.BeginBelow(t.Context(), share)
			g.Expect(err).NotTo(HaveOccurred())
			return busy
		}
		_, err := p.Await(t.Context(), 0, 100*time.Second)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(time.Since(begun)).To(BeZero(), "0.6 is not busy")
		g.Expect(below(p.Busy)).To(BeFalse())
		g.Expect(time.Since(begun)).To(Equal(p.gap), "the gap after the last start")
		g.Expect(below(Idle)).To(BeFalse())
		g.Expect(time.Since(begun)).To(BeNumerically("~", 5*time.Second, time.Second), "0.6 is not idle")
		time.Sleep(6 * time.Second)
		waits := func(futile bool, want time.Duration) {
			before := time.Now()
			g.Expect(below(p.Busy)).To(BeTrue(), "the nodes stay busy")
			g.Expect(time.Since(before)).To(BeNumerically("~", want, time.Second))
			p.Judged(futile)
		}
		waits(false, firstWait-6*time.Second)
		waits(false, firstWait/2)
		waits(true, firstWait/4)
		waits(true, firstWait/2)
		for range 9 {
			p.Judged(false)
		}
		waits(true, shortestWait)
		for range 9 {
			p.Judged(true)
		}
		waits(true, longestWait)
	})
}

// Those who waited for quiet nodes do not start together: each start may make the nodes busy again.
func TestStartsWaitForTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		ordered := make([]runner.Selection, 20)
		for i := range ordered {
			ordered[i].Trial.Lasts = 100 * time.Second
		}
		begun, quiet := time.Now(), time.Now().Add(10*time.Second)
		p := New(ordered, len(ordered), 1.2/load, func(float64) bool { return time.Now().Before(quiet) })
		var started []time.Duration
		var mu sync.Mutex
		var all sync.WaitGroup
		for range ordered {
			all.Go(func() {
				_, err := p.BeginBelow(t.Context(), p.Busy)
				g.Expect(err).NotTo(HaveOccurred())
				mu.Lock()
				defer mu.Unlock()
				started, quiet = append(started, time.Since(begun)), time.Now().Add(10*time.Second)
			})
		}
		all.Wait()
		g.Expect(slices.Max(started)).
			To(BeNumerically(">", 80*time.Second), "at most two start until the first of them shows")
	})
}
