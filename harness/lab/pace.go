package lab

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/stage"
)

// pace spreads the starts of pods. Starts delay what is measured meanwhile. A run lasts as long as its
// longest trial, so there is time to start pods one after another and to wait while the nodes are busy.
type pace struct {
	places *semaphore.Weighted
	// spaced keeps all starts a gap apart. Else those that waited for quiet nodes would come all at once.
	spaced *rate.Limiter
	begun  time.Time
	// gap is the time between two starts. longest is the duration of the longest trial or, if the cores
	// limit the starts, of all starts.
	gap, longest time.Duration
	// pressed reports whether some task waited for a core in more than this share of the last seconds.
	pressed func(share float64) bool
}

const (
	// spread is the share of the longest trial's duration over which the starts are spread. longestGap
	// bounds the time between two.
	spread     = 0.8
	longestGap = 2 * time.Second
	// trialCost is the CPU time of a trial: up to 2 s with its share of the nodes' own work. load is the
	// share of the host's cores that starts may use. With faster starts, more trials needed a further
	// attempt: 160 trials of at most 42 s, started within 33 s, took 4 min 11 s.
	trialCost = 1200 * time.Millisecond
	load      = 0.65
	// inTime is the share of its possible wait after which a trial starts in any case, so that it ends
	// before the longest does. lateBy is the share of the longest trial's duration by which busy nodes may
	// delay that start. With 0.5, a run of the quick profile took a minute longer and had as many further
	// attempts.
	inTime = 0.9
	lateBy = 0.05
	// pressureEvery is the time between two looks at busy nodes.
	pressureEvery = 250 * time.Millisecond
	// busy is the share of time in which some task waited for a core, above which no pod is started. Above
	// it, one trial of the quick profile in six needed a further attempt. The last attempt waits for calm
	// nodes.
	busy, calm = 0.72, 0.45
)

// newPace spreads the starts of trials, the longest first, so that they use at most this many cores.
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

// latest returns when a trial of this duration must start to end before the longest does.
func (p *pace) latest(lasts time.Duration) time.Duration {
	return max(0, time.Duration(inTime*float64(p.longest-lasts)))
}

// due returns when the start with this number, from 0, is due.
func (p *pace) due(number int, lasts time.Duration) time.Time {
	return p.begun.Add(min(time.Duration(number)*p.gap, p.latest(lasts)))
}

// await waits until a start is due and, while it is not too late, until the nodes are not busy; then for a
// place among the starting pods.
func (p *pace) await(ctx context.Context, number int, lasts time.Duration) error {
	if err := sleepUntil(ctx, p.due(number, lasts)); err != nil {
		return err
	}
	return p.beginBelow(ctx, busy, lasts)
}

// again is await for a further attempt of a trial. The last attempt waits for calm nodes.
func (p *pace) again(ctx context.Context, lasts time.Duration, last bool) error {
	if last {
		return p.beginBelow(ctx, calm, lasts)
	}
	return p.beginBelow(ctx, busy, lasts)
}

// beginBelow waits while the nodes' pressure is above a share and it is not too late, then for a place.
func (p *pace) beginBelow(ctx context.Context, share float64, lasts time.Duration) error {
	latest := p.begun.Add(p.latest(lasts) + time.Duration(lateBy*float64(p.longest)))
	for p.pressed(share) && time.Now().Before(latest) {
		if err := sleepUntil(ctx, time.Now().Add(pressureEvery)); err != nil {
			return err
		}
	}
	return p.begin(ctx)
}

// begin waits for its turn, then for a place among the starting pods.
func (p *pace) begin(ctx context.Context) error {
	if err := p.spaced.Wait(ctx); err != nil {
		return err
	}
	return p.places.Acquire(ctx, 1)
}

// end returns the place of a pod that has started.
func (p *pace) end() { p.places.Release(1) }

// recently is the time over which pressure is measured before a start. The newest sample may be twice as old.
const recently = 2 * time.Second

// pressed reports whether some task waited for a core in more than this share of the last seconds. The
// kernel counts for the whole host, so the newest sample of any node of a kind cluster is enough.
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
