package lab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// job is the trials that share a worker. They run on one spare worker.
type job struct {
	worker     trial.Worker
	selections []*runner.Attempts
	// last is the job of last attempts.
	last bool
}

func (j job) lasts() time.Duration {
	var trials []trial.Trial
	for _, r := range j.selections {
		trials = append(trials, r.Trial)
	}
	return runner.TimeOn(j.worker, trials)
}

func jobs(selections []*runner.Attempts) []job {
	var all []job
	for _, r := range selections {
		i := slices.IndexFunc(all, func(j job) bool { return j.worker.Name == r.Trial.Worker.Name })
		if i < 0 {
			i, all = len(all), append(all, job{worker: *r.Trial.Worker})
		}
		all[i].selections = append(all[i].selections, r)
	}
	slices.SortStableFunc(all, func(a, b job) int { return cmp.Compare(b.lasts(), a.lasts()) })
	return all
}

// runOnNodes runs trials with a worker of their own on the ordinary nodes of their subjects.
func (l *Lab) runOnNodes(own map[string][]*runner.Attempts, p *pace.Pace) {
	var working sync.WaitGroup
	for subject, selections := range own {
		working.Go(func() {
			for _, j := range jobs(selections) {
				l.runJob(l.nodes[l.subject(subject).Node], j, p)
			}
		})
	}
	working.Wait()
}

func (l *Lab) runOnSpares(s Placement, all []job, p *pace.Pace) {
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
	for _, r := range j.selections {
		r.Conclude(v, why)
		r.Finish()
	}
}

func (l *Lab) runJob(n *node, j job, p *pace.Pace) {
	j.selections = slices.DeleteFunc(j.selections, func(r *runner.Attempts) bool {
		why := r.Trial.Unsupported(n.runs())
		if why != "" {
			job{selections: []*runner.Attempts{r}}.skip(trial.Unsupported, why)
		}
		return why != ""
	})
	if len(j.selections) == 0 {
		return
	}
	if l.options.Workers == nil && j.worker.Tuned() {
		j.skip(trial.Inconclusive, "this cluster's workers can't be tuned")
		return
	}
	restore, err := l.tune(l.ctx, n, j.worker)
	if err != nil {
		verdict := trial.Inconclusive
		if errors.Is(err, runner.ErrUnsupported) {
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
	most := l.beside(n)
	if j.last {
		most = l.most(n)
	}
	var running sync.WaitGroup
	for _, r := range j.selections {
		running.Go(func() {
			l.attempts(r, n, p, most, nil)
		})
		if j.worker.Alone {
			running.Wait()
		}
	}
	running.Wait()
}
