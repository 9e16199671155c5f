package lab

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// Start begins every selection. It returns at once.
func (l *Lab) Start(selections []runner.Selection) {
	l.Ended = l.end
	ordered := runner.LongestFirst(selections)
	p := pace.New(ordered, l.options.StartsAtOnce, float64(l.options.StartsAtOnce), l.underCPUPressure)
	var ordinary []*runner.Attempts
	own, pooled := map[string][]*runner.Attempts{}, map[string][]*runner.Attempts{} // by subject
	for _, s := range ordered {
		r := l.Add(s)
		subject := l.subject(s.Subject)
		shares := subject.Slug != "" && subject.Node == ""
		switch {
		case !shares && l.nodes[subject.Node] == nil:
			r.Conclude(trial.Inconclusive, "the lab has no subject of this name")
			r.Finish()
		case l.options.Unsupported(s.Trial) != "":
			r.Conclude(trial.Unsupported, l.options.Unsupported(s.Trial))
			r.Finish()
		case shares:
			pooled[s.Subject] = append(pooled[s.Subject], r)
		case s.Trial.Worker == nil:
			ordinary = append(ordinary, r)
		default:
			own[s.Subject] = append(own[s.Subject], r)
		}
	}
	inTurn := 1 + len(pooled)/max(1, len(l.options.Pool))
	p.Prolong(inTurn)
	if len(ordered) > 0 {
		l.watching.Go(func() { l.boundRun(ordered[0].Trial, inTurn) })
		l.watching.Go(func() { l.explainIdle(p) })
	}
	sparesFree, ended := make(chan struct{}), make(chan struct{})
	l.running.Go(func() { l.runAlone(sparesFree, ended, p) })
	l.running.Go(func() {
		defer close(ended)
		var beside, onSpares sync.WaitGroup
		beside.Go(func() { l.runOnPool(pooled, p) })
		beside.Go(func() {
			l.startInTurn(ordinary, p)
			if l.options.External { // each subject has one node, which must be free of others' pods
				l.runOnNodes(own, p)
			}
		})
		for subject, selections := range own {
			if !l.options.External {
				onSpares.Go(func() { l.runOnSpares(l.subject(subject), jobs(selections), p) })
			}
		}
		onSpares.Wait()
		close(sparesFree)
		beside.Wait()
	})
}

// idleFor is how long nodes are less busy than the pace allows, before the log says what trials wait for.
const idleFor = 10 * time.Second

// explainIdle logs what the next start waits for while the nodes are not busy, once for each reason.
func (l *Lab) explainIdle(p *pace.Pace) {
	said, since, why := map[string]bool{}, time.Now(), ""
	for pace.SleepUntil(l.ctx, time.Now().Add(time.Second)) == nil {
		waiting := 0
		for _, s := range l.States() {
			if s.Phase == runner.Waiting {
				waiting++
			}
		}
		if waiting == 0 {
			return
		}
		now := cmp.Or(p.Awaited(), "others that take their turns before them")
		if now != why || l.underCPUPressure(p.Busy) {
			since, why = time.Now(), now
		}
		if time.Since(since) >= idleFor && !said[why] {
			said[why] = true
			l.log("the nodes are not busy, but %d trials wait for %s", waiting, why)
		}
	}
}

// startInTurn starts the trials of ordinary workers as soon as their nodes and the pace allow.
func (l *Lab) startInTurn(all []*runner.Attempts, p *pace.Pace) {
	var running sync.WaitGroup
	defer running.Wait()
	waiting := slices.Clone(all)
	total, started := map[string]int{}, map[string]int{} // by subject
	for _, r := range waiting {
		total[r.Subject]++
	}
	behind := func(r *runner.Attempts) float64 { return float64(started[r.Subject]) / float64(total[r.Subject]) }
	for number := 0; len(waiting) > 0; number++ {
		i, room, err := l.next(waiting, behind, p)
		if err != nil {
			for _, r := range waiting {
				r.Finish()
			}
			return
		}
		r := waiting[i]
		waiting = slices.Delete(waiting, i, i+1)
		started[r.Subject]++
		var first *slot
		if room != nil {
			busy, err := p.Await(l.ctx, number, r.Trial.Lasts)
			if err != nil {
				room.Leave()
				r.Finish()
				continue
			}
			first = &slot{room: room, busy: busy}
		}
		running.Go(func() {
			n := l.nodes[l.subject(r.Subject).Node]
			l.attempts(r, n, p, l.beside(n), first)
		})
	}
}

// next returns the trial that starts next, with its room: the longest that can start of the subject that is behind
// most. One without room has a node that can't be used now, which its attempt waits for.
func (l *Lab) next(
	waiting []*runner.Attempts, behind func(*runner.Attempts) float64, p *pace.Pace,
) (index int, room *pace.Occupant, err error) {
	order := make([]int, len(waiting))
	for i := range waiting {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(behind(waiting[a]), behind(waiting[b])) })
	for {
		why := "nodes whose kubelets are older than the trials' longest probe period"
		for _, i := range order {
			n := l.nodes[l.subject(waiting[i].Subject).Node]
			if n.unusable() != "" {
				return i, nil, nil
			}
			if mature, _ := n.matured(waiting[i].Trial); !mature {
				continue
			}
			if room := n.room.TryEnter(waiting[i].Trial); room != nil {
				return i, room, nil
			}
			why = "room on node " + n.name
		}
		p.Awaits(why)
		if err := pace.SleepUntil(l.ctx, time.Now().Add(pace.LookEvery)); err != nil {
			return 0, nil, err
		}
	}
}

// end passes on an outcome, unless the lab cut the trial short.
func (l *Lab) end(o trial.Outcome) {
	if l.options.Ended == nil || l.ctx.Err() != nil && o.Verdict == trial.Inconclusive || !run.Ended(o) {
		return
	}
	n := l.nodes[l.subject(o.Subject).Node]
	l.options.Ended(o, run.Node{Name: n.name, Subject: o.Subject, Delays: n.delays(), ClockError: n.clockError()})
}

// boundRun ends a run that takes longer than all attempts of its longest trial could, for as many subjects as a node
// has one after another.
func (l *Lab) boundRun(longest trial.Trial, subjects int) {
	once := time.Duration(l.options.Attempts)*(longest.Bound()+runner.StartWithin+runner.LongestDelay) + 15*time.Minute
	bound := time.Duration(subjects) * once
	if pace.SleepUntil(l.ctx, time.Now().Add(bound)) == nil {
		l.stop(fmt.Errorf("the run took longer than %v", bound))
	}
}
