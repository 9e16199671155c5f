// Package pace spreads the starts of pods over a run.
package pace

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/podclock/podclock/harness/stage"
)

// Pace spreads the starts of pods, because starts delay what is measured. A run lasts as long as its longest trial, so
// there is time.
type Pace struct {
	// next is held by the pod that starts next.
	next, places *semaphore.Weighted
	// spaced keeps those that waited for quiet nodes apart.
	spaced *rate.Limiter
	begun  time.Time
	// gap is the time between two starts. longest is the duration of the longest trial, or of all starts if longer.
	gap, longest time.Duration
	pressed      func(share float64) bool
	// Busy is the share of time in which some task waits for a core, above which no pod is started.
	Busy float64
}

const (
	// spread is the share of the longest trial over which starts are spread, at most longestGap apart.
	spread     = 0.8
	longestGap = 2 * time.Second
	// trialCost is the CPU time of a trial, load the share of the host's cores that starts may use. With faster starts,
	// more trials needed a further attempt.
	trialCost = 1200 * time.Millisecond
	load      = 0.75
	// inTime is the share of its possible wait after which a trial is due, lateBy how many times the longest trial busy
	// nodes may delay its start. So a slow host takes longer. On a host whose processes start slowly, 16 of 176 quick
	// trials had ended after 5 min with 0.05. With 4, the first 100 were judged in 14 min; then the rest started at
	// once, and 27 of the next 34 were inconclusive.
	inTime        = 0.9
	lateBy        = 8
	pressureEvery = 250 * time.Millisecond
	// busy is the share of time in which some task waits for a core, above which no pod is started, busyWithMany the
	// same if the CPU decides how long the run takes. With one subject, 14 quick trials needed a further attempt with
	// 0.72, and 25 with 0.9, in no less time. With three, 0.72 left a quarter of the cores' time unused. The last
	// attempt waits for calm nodes.
	busy, busyWithMany, Calm = 0.72, 0.9, 0.45
)

// New returns the pace of a run whose longest selection comes first. pressed reports whether tasks waited for a core in
// more than a share of the last seconds.
func New(ordered []stage.Selection, atOnce int, cores float64, pressed func(float64) bool) *Pace {
	p := &Pace{
		next: semaphore.NewWeighted(1), places: semaphore.NewWeighted(int64(atOnce)), begun: time.Now(),
		pressed: pressed, Busy: busy,
	}
	if len(ordered) > 0 {
		n := time.Duration(len(ordered))
		p.longest = ordered[0].Trial.Lasts
		p.gap = min(longestGap, time.Duration(spread*float64(p.longest))/n)
		if least := Least(1, cores); p.gap < least {
			p.gap, p.Busy = least, busyWithMany
			p.longest += time.Duration(float64(least*n) / inTime)
		}
	}
	p.spaced = rate.NewLimiter(rate.Every(p.gap), 1)
	return p
}

// Least returns how long it takes to start so many trials on a number of cores.
func Least(trials int, cores float64) time.Duration {
	return time.Duration(float64(trials) * float64(trialCost) / (load * cores))
}

// Prolong spreads the starts over a run in which a node has so many subjects, one after another.
func (p *Pace) Prolong(subjects int) {
	p.longest *= time.Duration(subjects)
	p.gap *= time.Duration(subjects)
	p.spaced.SetLimit(rate.Every(p.gap))
}

// latest returns when a trial must start to end before the longest does.
func (p *Pace) latest(lasts time.Duration) time.Duration {
	return max(0, time.Duration(inTime*float64(p.longest-lasts)))
}

func (p *Pace) due(number int, lasts time.Duration) time.Time {
	return p.begun.Add(min(time.Duration(number)*p.gap, p.latest(lasts)))
}

// Await waits until a start is due, then until the nodes are not busy or it is late, then for a place.
func (p *Pace) Await(ctx context.Context, number int, lasts time.Duration) error {
	if err := SleepUntil(ctx, p.due(number, lasts)); err != nil {
		return err
	}
	return p.BeginBelow(ctx, p.Busy, lasts)
}

// BeginBelow waits until the share is not exceeded or it is late, then for a place.
func (p *Pace) BeginBelow(ctx context.Context, share float64, lasts time.Duration) error {
	latest := p.begun.Add(p.latest(lasts) + time.Duration(lateBy*float64(p.longest)))
	waits := func() bool { return p.pressed(share) && time.Now().Before(latest) }
	for {
		for waits() {
			if err := SleepUntil(ctx, time.Now().Add(pressureEvery)); err != nil {
				return err
			}
		}
		if err := p.next.Acquire(ctx, 1); err != nil {
			return err
		}
		if !waits() { // still: the pod that started before may have changed it
			defer p.next.Release(1)
			return p.Begin(ctx)
		}
		p.next.Release(1)
	}
}

// Begin waits for a place.
func (p *Pace) Begin(ctx context.Context) error {
	if err := p.spaced.Wait(ctx); err != nil {
		return err
	}
	return p.places.Acquire(ctx, 1)
}

// End gives a place back.
func (p *Pace) End() { p.places.Release(1) }

// SleepUntil waits until a time. Its error is the cause of the context that ended before.
func SleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
