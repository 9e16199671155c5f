package lab

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/lab/pace"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// Start begins every selection. It returns at once.
func (l *Lab) Start(selections []stage.Selection) {
	l.Ended = l.end
	ordered := stage.LongestFirst(selections)
	p := pace.New(ordered, l.options.StartsAtOnce, float64(l.options.StartsAtOnce), l.pressed)
	var ordinary []*stage.Run
	own, pooled := map[string][]*stage.Run{}, map[string][]*stage.Run{} // by subject
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
	}
	l.running.Go(func() { l.runOnPool(pooled, p) })
	l.running.Go(func() {
		for i, r := range ordinary {
			n := l.nodes[l.subject(r.Subject).Node]
			if err := p.Await(l.ctx, i, r.Trial.Lasts); err != nil {
				r.Finish()
				continue
			}
			l.running.Go(func() {
				defer r.Finish()
				l.attempts(r, n, p, true)
			})
		}
	})
	for subject, runs := range own {
		l.running.Go(func() {
			if l.options.Guest {
				l.runLast(subject, ordinary, runs, p)
			} else {
				l.runOnSpares(l.subject(subject), jobs(runs), p)
			}
		})
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
	once := time.Duration(l.options.Attempts)*(longest.Bound()+stage.StartWithin+stage.LongestDelay) + 15*time.Minute
	bound := time.Duration(subjects) * once
	if pace.SleepUntil(l.ctx, time.Now().Add(bound)) == nil {
		l.stop(fmt.Errorf("the run took longer than %v", bound))
	}
}
