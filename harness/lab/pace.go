package lab

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/stage"
)

// pace spreads the starts of pods. Two cores can start many pods at once, but what runs meanwhile is then
// measured on a busy node; and as a run lasts as long as its longest trial, there is time to start them one
// after another, and to wait while the nodes are busy.
type pace struct {
	places *semaphore.Weighted
	// spaced keeps all starts a gap apart, those that waited for quieter nodes, too: they would begin all
	// at once when these come.
	spaced *rate.Limiter
	begun  time.Time
	// gap is the time between two starts, longest the time of the longest trial, and that of all starts
	// where these take the cores' time.
	gap, longest time.Duration
	// pressed says whether some task of the nodes waited for a core in more than a share of the time just now.
	pressed func(share float64) bool
}

const (
	// spread is the share of the longest trial's time over which the starts are spread, and longestGap
	// bounds the time between two.
	spread     = 0.8
	longestGap = 2 * time.Second
	// trialCost is the CPU time of a trial (up to 2 s with its share of what the nodes do anyway), and load
	// the part of the host's cores that starting trials may keep busy. What many short trials save by
	// starting sooner they lose by running again: a wave of 24 mutants whose 160 trials of at most 42 s
	// started within 33 s took 4 min 11 s, most of it to run again, and the quick profile, started within
	// two minutes on one of the slower hosts, had two trials of eleven to run again.
	trialCost = 1200 * time.Millisecond
	load      = 0.65
	// inTime is the part of the time it could wait after which a trial is due all the same, so that it ends
	// before the longest does; lateBy is the part of the longest trial's time by which it may be later
	// while the nodes are busy. With 0.5 a run of the quick profile took a minute longer, and had no fewer
	// trials to run again.
	inTime = 0.9
	lateBy = 0.05
	// pressureEvery is how often busy nodes are looked at.
	pressureEvery = 250 * time.Millisecond
	// busy is the share of time, in which some task waited for a core, above which no pod is started: with
	// more, one trial of the quick profile in six had to be run again. The last attempt waits for nodes
	// that are calm.
	busy, calm = 0.72, 0.45
)

// newPace spreads the starts of trials, the longest first, so that they keep so many cores busy at most.
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

// latest is when a trial that lasts so long must start, to end before the longest does.
func (p *pace) latest(lasts time.Duration) time.Duration {
	return max(0, time.Duration(inTime*float64(p.longest-lasts)))
}

// due is when the start with a number, from 0, of a trial that lasts so long should come.
func (p *pace) due(number int, lasts time.Duration) time.Time {
	return p.begun.Add(min(time.Duration(number)*p.gap, p.latest(lasts)))
}

// await waits for the time of a start, then while the nodes are busy and it is not too late, then for a
// place among the starting pods.
func (p *pace) await(ctx context.Context, number int, lasts time.Duration) error {
	if err := sleepUntil(ctx, p.due(number, lasts)); err != nil {
		return err
	}
	return p.beginBelow(ctx, busy, lasts)
}

// again is await for a trial that has to be run again, and for the last time.
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

// end gives a place back: the pod has started.
func (p *pace) end() { p.places.Release(1) }

// recently is the time over which a node's pressure is looked at before a pod is started, and how old the
// last sample may be.
const recently = 2 * time.Second

// pressed says whether some task waited for a core in more than a share of the time just now. Pressure is
// the kernel's, so the newest sample of any node of a kind cluster speaks for all.
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
