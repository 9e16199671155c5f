package lab

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/stage"
)

// pace spreads the starts of pods, because starts delay what is measured. A run lasts as long as its longest trial, so
// there is time.
type pace struct {
	places *semaphore.Weighted
	// spaced keeps those that waited for quiet nodes apart.
	spaced *rate.Limiter
	begun  time.Time
	// gap is the time between two starts. longest is the duration of the longest trial, or of all starts if longer.
	gap, longest time.Duration
	pressed      func(share float64) bool
}

const (
	// spread is the share of the longest trial over which starts are spread, at most longestGap apart.
	spread     = 0.8
	longestGap = 2 * time.Second
	// trialCost is the CPU time of a trial, load the share of the host's cores that starts may use. With faster starts,
	// more trials needed a further attempt.
	trialCost = 1200 * time.Millisecond
	load      = 0.75
	// inTime is the share of its possible wait after which a trial starts in any case. lateBy is the share of the
	// longest trial by which busy nodes may delay that start; 0.5 avoided no further attempts.
	inTime        = 0.9
	lateBy        = 0.05
	pressureEvery = 250 * time.Millisecond
	// busy is the share of time in which some task waited for a core, above which no pod is started. Above it, one
	// quick trial in six needed a further attempt. The last attempt waits for calm nodes.
	busy, calm = 0.72, 0.45
)

func newPace(ordered []stage.Selection, atOnce int, cores float64, pressed func(float64) bool) *pace {
	p := &pace{places: semaphore.NewWeighted(int64(atOnce)), begun: time.Now(), pressed: pressed}
	if len(ordered) > 0 {
		n := time.Duration(len(ordered))
		p.longest = ordered[0].Trial.Lasts
		p.gap = min(longestGap, time.Duration(spread*float64(p.longest))/n)
		if least := time.Duration(float64(trialCost) / cores); p.gap < least {
			p.gap = least
			p.longest += time.Duration(float64(least*n) / inTime)
		}
	}
	p.spaced = rate.NewLimiter(rate.Every(p.gap), 1)
	return p
}

// latest returns when a trial must start to end before the longest does.
func (p *pace) latest(lasts time.Duration) time.Duration {
	return max(0, time.Duration(inTime*float64(p.longest-lasts)))
}

func (p *pace) due(number int, lasts time.Duration) time.Time {
	return p.begun.Add(min(time.Duration(number)*p.gap, p.latest(lasts)))
}

// await waits until a start is due, then until the nodes are not busy or it is late, then for a place.
func (p *pace) await(ctx context.Context, number int, lasts time.Duration) error {
	if err := sleepUntil(ctx, p.due(number, lasts)); err != nil {
		return err
	}
	return p.beginBelow(ctx, busy, lasts)
}

func (p *pace) beginBelow(ctx context.Context, share float64, lasts time.Duration) error {
	latest := p.begun.Add(p.latest(lasts) + time.Duration(lateBy*float64(p.longest)))
	for p.pressed(share) && time.Now().Before(latest) {
		if err := sleepUntil(ctx, time.Now().Add(pressureEvery)); err != nil {
			return err
		}
	}
	return p.begin(ctx)
}

func (p *pace) begin(ctx context.Context) error {
	if err := p.spaced.Wait(ctx); err != nil {
		return err
	}
	return p.places.Acquire(ctx, 1)
}

func (p *pace) end() { p.places.Release(1) }

// recently is the time over which pressure is measured. The newest sample may be twice as old.
const recently = 2 * time.Second

// pressed reports whether some task waited for a core in more than this share of the last seconds. The kernel counts
// for the whole host, so one node's sample is enough.
func (l *site) pressed(share float64) bool {
	var newest []delay.Sample
	for _, n := range l.nodes {
		n.mu.Lock()
		samples := n.delayed.PSI
		n.mu.Unlock()
		if len(samples) > 1 && (newest == nil || samples[len(samples)-1].At > newest[len(newest)-1].At) {
			newest = samples
		}
	}
	if newest == nil {
		return false
	}
	i := len(newest) - 1
	last := newest[i]
	if time.Since(time.Unix(0, last.At)) > 2*recently {
		return false
	}
	for i > 0 && last.At-newest[i].At < int64(recently) {
		i--
	}
	return float64(last.CPUNS-newest[i].CPUNS) > share*float64(last.At-newest[i].At)
}
