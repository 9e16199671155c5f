package lab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
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
	p := pace.New(ordered, l.options.StartsAtOnce, pace.Load*l.options.Cores, l.pressed)
	var ordinary []*stage.Run
	own, pooled := map[string][]*stage.Run{}, map[string][]*stage.Run{} // by subject
	for _, s := range ordered {
		r := l.Add(s)
		switch subject := l.subject(s.Subject); {
		case subject.Slug != "" && subject.Node == "":
			pooled[s.Subject] = append(pooled[s.Subject], r)
		case l.nodes[subject.Node] == nil:
			r.Conclude(trial.Inconclusive, "the lab has no subject of this name")
			r.Finish()
		case l.refuses(s.Trial) != "":
			r.Conclude(trial.Unsupported, l.refuses(s.Trial))
			r.Finish()
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
		l.running.Go(func() { l.runOnSpares(l.subject(subject), jobs(runs), p) })
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

// refuses returns why the cluster's owner has no use for a trial, or "".
func (l *Lab) refuses(t trial.Trial) string {
	if l.options.Unsupported == nil {
		return ""
	}
	return l.options.Unsupported(t)
}

// boundRun ends a run that takes longer than all attempts of its longest trial could, for as many subjects as a node has
// one after another.
func (l *Lab) boundRun(longest trial.Trial, subjects int) {
	once := time.Duration(l.options.Attempts)*(longest.Bound()+stage.StartWithin+stage.LongestDelay) + 15*time.Minute
	bound := time.Duration(subjects) * once
	if pace.SleepUntil(l.ctx, time.Now().Add(bound)) == nil {
		l.stop(fmt.Errorf("the run took longer than %v", bound))
	}
}

func (l *site) subject(name string) Subject {
	i := slices.IndexFunc(l.options.Subjects, func(s Subject) bool { return s.Name == name })
	if i < 0 {
		return Subject{Name: name}
	}
	return l.options.Subjects[i]
}

// job is the trials that share a worker. They run on one spare worker.
type job struct {
	worker trial.Worker
	runs   []*stage.Run
}

func (j job) lasts() time.Duration {
	var trials []trial.Trial
	for _, r := range j.runs {
		trials = append(trials, r.Trial)
	}
	return stage.TimeOn(j.worker, trials)
}

func jobs(runs []*stage.Run) []job {
	var all []job
	for _, r := range runs {
		i := slices.IndexFunc(all, func(j job) bool { return j.worker.Name == r.Trial.Worker.Name })
		if i < 0 {
			i, all = len(all), append(all, job{worker: *r.Trial.Worker})
		}
		all[i].runs = append(all[i].runs, r)
	}
	slices.SortStableFunc(all, func(a, b job) int { return cmp.Compare(b.lasts(), a.lasts()) })
	return all
}

func (l *Lab) runOnSpares(s Subject, all []job, p *pace.Pace) {
	queue := make(chan job, len(all))
	for _, j := range all {
		queue <- j
	}
	close(queue)
	var working sync.WaitGroup
	for _, spare := range s.Spares {
		working.Go(func() {
			n := l.nodes[spare]
			for !n.isAbandoned() {
				if why := n.recovers(l.ctx); why != "" && l.ctx.Err() == nil {
					l.abandon(n, errors.New(why))
					return
				}
				j, more := <-queue
				if !more {
					return
				}
				l.runJob(n, j, p)
			}
		})
	}
	working.Wait()
	for j := range queue { // no spare worker, or none that can be used any more
		why := fmt.Sprintf("subject %s has no spare worker for the configuration %s", s.Name, j.worker.Name)
		if len(s.Spares) > 0 {
			why += " that can be used: " + l.nodes[s.Spares[0]].unusable()
		}
		j.skip(trial.Inconclusive, why)
	}
}

func (j job) skip(v trial.Verdict, why string) {
	for _, r := range j.runs {
		r.Conclude(v, why)
		r.Finish()
	}
}

func (l *Lab) runJob(n *node, j job, p *pace.Pace) {
	j.runs = slices.DeleteFunc(j.runs, func(r *stage.Run) bool {
		why := r.Trial.Unsupported(n.runs())
		if why != "" {
			r.Conclude(trial.Unsupported, why)
			r.Finish()
		}
		return why != ""
	})
	if len(j.runs) == 0 {
		return
	}
	if l.options.Workers == nil {
		j.skip(trial.Inconclusive, "this cluster's workers can't be tuned")
		return
	}
	restore, err := l.tune(l.ctx, n, j.worker)
	if err != nil {
		verdict := trial.Inconclusive
		if errors.Is(err, stage.ErrUnsupported) {
			verdict = trial.Unsupported
		}
		j.skip(verdict, err.Error())
		return
	}
	l.runAll(n, j, p)
	if l.ctx.Err() != nil {
		return // the cluster goes, or puts its spare workers back itself when it is adopted
	}
	if err := restore(l.ctx); err != nil {
		l.abandon(n, err)
	}
}

func (l *Lab) runAll(n *node, j job, p *pace.Pace) {
	var running sync.WaitGroup
	for _, r := range j.runs {
		running.Go(func() {
			defer r.Finish()
			l.attempts(r, n, p, false)
		})
		if j.worker.Alone {
			running.Wait()
		}
	}
	running.Wait()
}
