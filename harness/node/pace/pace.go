// Package pace spreads the starts of pods over a run.
package pace

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/podclock/podclock/harness/measure/runner"
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
	gap, longest     time.Duration
	underCPUPressure func(share float64) bool
	// Busy is the share of time in which some task waits for a core, above which no pod is started.
	Busy float64

	mu      sync.Mutex
	started time.Time     // the last start
	maxWait time.Duration // from the last start to one on busy nodes
	awaits  string
}

const (
	// spread is the share of the longest trial over which starts are spread, at most longestGap apart.
	spread     = 0.8
	longestGap = 2 * time.Second
	// trialCost is the CPU time of a trial, load the share of the host's cores that starts may use. Starts
	// may come eager times as often as these allow, because not all trials cost that: the pressure decides.
	trialCost = 1400 * time.Millisecond
	load      = 0.9
	eager     = 2
	// inTime is the share of its possible wait after which a trial is due.
	inTime = 0.9
	// mostLonger bounds a run whose longest trial needs a second attempt, in durations of a run that needs none. The
	// aim is 1.3, which leaves time for the start.
	mostLonger = 1.25
	// LookEvery is the time between two looks at what a start waits for.
	LookEvery = 250 * time.Millisecond
	// busy is the share of time in which some task waits for a core, above which no pod is started, busyWithMany the
	// same if the CPU decides how long the run takes. With one subject, 14 quick trials needed a further attempt with
	// 0.72, and 25 with 0.9, in no less time. With three, 0.72 left a quarter of the cores' time unused.
	busy, busyWithMany = 0.72, 0.9
	// Idle is this share for last attempts, which wait for idle nodes.
	Idle = 0.45
	// Nodes that stay busy get a start after maxWait. That grows while attempts that began so are futile, and shrinks
	// while they are conclusive. Without it, a load that lasts would end the run, not slow it down.
	firstWait, shortestWait, longestWait = 20 * time.Second, 2 * time.Second, 2 * time.Minute
)

// New returns the pace of a run whose longest selection comes first. underCPUPressure reports whether tasks waited for
// a core in more than a share of the last seconds.
func New(ordered []runner.Selection, atOnce int, cores float64, underCPUPressure func(float64) bool) *Pace {
	p := &Pace{
		next: semaphore.NewWeighted(1), places: semaphore.NewWeighted(int64(atOnce)),
		underCPUPressure: underCPUPressure, Busy: busy, begun: time.Now(), started: time.Now(), maxWait: firstWait,
	}
	if len(ordered) > 0 {
		n := time.Duration(len(ordered))
		p.longest = ordered[0].Trial.Lasts
		p.gap = min(longestGap, time.Duration(spread*float64(p.longest))/n)
		if least := Least(1, cores); p.gap < least {
			p.gap, p.Busy = time.Duration(float64(least)/eager), busyWithMany
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

// Longest returns the duration of the longest trial, or of all starts if longer.
func (p *Pace) Longest() time.Duration { return p.longest }

// latest returns when a trial must start to end before the longest does.
func (p *Pace) latest(lasts time.Duration) time.Duration {
	return max(0, time.Duration(inTime*float64(p.longest-lasts)))
}

// Again returns when the second attempt of a trial must start to end within mostLonger of the run, and whether it would
// be too late for that if the first one showed at its end that it is inconclusive.
func (p *Pace) Again(lasts time.Duration) (when time.Time, long bool) {
	most := time.Duration(mostLonger * float64(p.longest))
	return p.begun.Add(most - lasts), 2*lasts > most
}

func (p *Pace) due(number int, lasts time.Duration) time.Time {
	return p.begun.Add(min(time.Duration(number)*p.gap, p.latest(lasts)))
}

// Await waits until a start is due, then as BeginBelow.
func (p *Pace) Await(ctx context.Context, number int, lasts time.Duration) (stillBusy bool, err error) {
	p.Awaits(p.spread())
	if err := SleepUntil(ctx, p.due(number, lasts)); err != nil {
		return false, err
	}
	return p.BeginBelow(ctx, p.Busy)
}

// BeginBelow waits until the share is not exceeded, at most for maxWait after the last start, then for a place. It
// reports whether the nodes were still busy.
func (p *Pace) BeginBelow(ctx context.Context, share float64) (stillBusy bool, err error) {
	for {
		p.Awaits("tasks that wait for a core")
		for p.underCPUPressure(share) && !p.overdue() {
			if err := SleepUntil(ctx, time.Now().Add(LookEvery)); err != nil {
				return false, err
			}
		}
		if err := p.next.Acquire(ctx, 1); err != nil {
			return false, err
		}
		// still: the pod that started before may have changed it
		if stillBusy = p.underCPUPressure(share); !stillBusy || p.overdue() {
			defer p.next.Release(1)
			return stillBusy, p.Begin(ctx)
		}
		p.next.Release(1)
	}
}

func (p *Pace) overdue() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.started) >= p.maxWait
}

// Judged notes how an attempt ended that began on busy nodes.
func (p *Pace) Judged(futile bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if futile {
		p.maxWait = min(2*p.maxWait, longestWait)
	} else {
		p.maxWait = max(p.maxWait/2, shortestWait)
	}
}

func (p *Pace) spread() string {
	return fmt.Sprintf("a start every %v, because starts delay what is measured", p.gap.Round(time.Second/10))
}

// Awaits notes what the next start waits for.
func (p *Pace) Awaits(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awaits = what
}

// Awaited returns what the next start waits for, or "".
func (p *Pace) Awaited() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.awaits
}

// Begin waits for a place.
func (p *Pace) Begin(ctx context.Context) error {
	p.Awaits(p.spread())
	if err := p.spaced.Wait(ctx); err != nil {
		return err
	}
	p.Awaits("pods that start")
	if err := p.places.Acquire(ctx, 1); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started, p.awaits = time.Now(), ""
	return nil
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
