package lab

import (
	"fmt"
	"sync"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// runOnPool runs the trials of subjects without a node: each node of the pool becomes one subject after another.
func (l *Lab) runOnPool(bySubject map[string][]*runner.Run, p *pace.Pace) {
	queue := make(chan []*runner.Run, len(bySubject))
	for _, s := range l.options.Subjects {
		if runs := bySubject[s.Name]; len(runs) > 0 {
			queue <- runs
		}
	}
	close(queue)
	var working sync.WaitGroup
	for _, name := range l.options.Pool {
		working.Go(func() {
			n := l.nodes[name]
			for !n.isAbandoned() {
				runs, more := <-queue
				if !more {
					return
				}
				l.runAs(n, runs, p)
			}
		})
	}
	working.Wait()
	for runs := range queue {
		job{runs: runs}.skip(trial.Inconclusive, "no node of the pool can be used any more")
	}
}

// runAs runs all trials of one subject on a node: first those that need no other configuration.
func (l *Lab) runAs(n *node, runs []*runner.Run, p *pace.Pace) {
	if err := l.become(n, runs[0].Subject); err != nil {
		job{runs: runs}.skip(trial.Inconclusive, err.Error())
		return
	}
	var ordinary, tuned []*runner.Run
	for _, r := range runs {
		if r.Trial.Worker == nil {
			ordinary = append(ordinary, r)
		} else {
			tuned = append(tuned, r)
		}
	}
	l.runAll(n, job{runs: ordinary}, p)
	for _, j := range jobs(tuned) {
		l.runJob(n, j, p)
	}
}

func (l *site) become(n *node, subject string) error {
	undisturbed := n.disturb()
	defer undisturbed()
	k, err := l.options.Workers.Become(l.ctx, n.name, subject)
	if err != nil {
		return fmt.Errorf("make node %s that of %s: %w", n.name, subject, err)
	}
	n.setKubelet(k)
	n.became.Store(subject)
	n.startFailed(false) // the subject before this one may have been unable to start pods
	n.become(healthy, "")
	n.calm(l.ctx) // the clients of a new API server come back late
	return l.renewRecorder(n)
}
