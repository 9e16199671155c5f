package lab

import (
	"fmt"
	"sync"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// runOnPool runs the trials of subjects without a node: each node of the pool becomes one subject after another.
func (l *Lab) runOnPool(bySubject map[string][]*runner.Attempts, p *pace.Pace) {
	queue := make(chan []*runner.Attempts, len(bySubject))
	for _, s := range l.options.Subjects {
		if selections := bySubject[s.Name]; len(selections) > 0 {
			queue <- selections
		}
	}
	close(queue)
	var working sync.WaitGroup
	for _, name := range l.options.Pool {
		working.Go(func() {
			n := l.nodes[name]
			for !n.isAbandoned() {
				selections, more := <-queue
				if !more {
					return
				}
				l.runAs(n, selections, p)
			}
		})
	}
	working.Wait()
	for selections := range queue {
		job{selections: selections}.skip(trial.Inconclusive, "no node of the pool can be used any more")
	}
}

// runAs runs all trials of one subject on a node: first those that need no other configuration.
func (l *Lab) runAs(n *node, selections []*runner.Attempts, p *pace.Pace) {
	if err := l.become(n, selections[0].Subject); err != nil {
		job{selections: selections}.skip(trial.Inconclusive, err.Error())
		return
	}
	var ordinary, tuned []*runner.Attempts
	for _, r := range selections {
		if r.Trial.Worker == nil {
			ordinary = append(ordinary, r)
		} else {
			tuned = append(tuned, r)
		}
	}
	l.runAll(n, job{selections: ordinary}, p)
	for _, j := range jobs(tuned) {
		l.runJob(n, j, p)
	}
}

func (l *site) become(n *node, subject string) error {
	undisturbed := n.disturb(mark.Kubelet)
	defer undisturbed()
	k, err := l.options.Workers.Become(l.ctx, n.name, subject)
	if err != nil {
		return fmt.Errorf("make node %s that of %s: %w", n.name, subject, err)
	}
	n.setKubelet(k)
	n.became.Store(subject)
	n.startFailed(false) // the subject before this one may have been unable to start pods
	n.become(healthy, "")
	n.awaitNoDelay(l.ctx) // the clients of a new API server come back late
	return l.renewRecorder(n)
}
