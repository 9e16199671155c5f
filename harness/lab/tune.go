package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// ErrIgnored is what Workers.Tune wraps when the kubelet's version knows a part of the configuration not at all.
var ErrIgnored = errors.New("this kubelet's version does not know a part of the configuration")

// tune gives a node a worker's configuration. What it returns puts everything back.
func (l *Lab) tune(ctx context.Context, n *node, w trial.Worker) (restore func(context.Context) error, err error) {
	if !w.Tuned() {
		return func(context.Context) error { return nil }, nil
	}
	before := n.runs()
	undisturbed := n.disturb()
	defer undisturbed()
	tuned, back, err := l.options.Workers.Tune(ctx, n.name, w)
	if err != nil {
		return nil, fmt.Errorf("worker %s on node %s: %w", w.Name, n.name, err)
	}
	n.become(tuned)
	return func(ctx context.Context) error {
		undisturbed := n.disturb()
		defer undisturbed()
		if err := back(ctx); err != nil {
			return fmt.Errorf("worker %s on node %s: %w", w.Name, n.name, err)
		}
		n.become(before)
		return nil
	}, nil
}

// disturb says that the lab itself is about to restart the node's kubelet, until what it returns is called.
func (n *node) disturb() (undisturbed func()) {
	n.mu.Lock()
	n.restarting++
	n.mu.Unlock()
	return func() {
		n.mu.Lock()
		n.restarting--
		n.changedHealth = true
		n.mu.Unlock()
	}
}

const (
	// healthEvery is how often each node is asked which kubelet and container runtime run there, and healthBound bounds one answer.
	healthEvery = 20 * time.Second
	healthBound = 8 * time.Second
)

// watchHealth notes when a node's kubelet or container runtime ended or stood still: what was measured there meanwhile says nothing about
// the formulas. The other nodes go on.
func (l *Lab) watchHealth(ctx context.Context, n *node) {
	var ran string
	seen := time.Now()
	for ; ctx.Err() == nil; _ = sleepUntil(ctx, time.Now().Add(healthEvery)) {
		asked := time.Now()
		bounded, cancel := context.WithTimeout(ctx, healthBound)
		runs, err := l.options.Workers.Health(bounded, n.name)
		cancel()
		if ctx.Err() != nil {
			return
		}
		switch n.judgeHealth(ran, runs, err) {
		case healthy:
			n.mend()
		case changed:
			n.loseBetween(seen, time.Now(), fmt.Sprintf("the kubelet or the container runtime of node %s was started anew: %s, then %s", n.name, ran, runs))
			n.mend()
		case sick:
			why := fmt.Sprintf("the kubelet or the container runtime of node %s does not answer: %v", n.name, err)
			n.loseBetween(seen, time.Now(), why)
			n.fallIll(why)
			continue // since was: what happens until it answers again is lost, too
		}
		ran, seen = runs, asked
	}
}

type health int

const (
	healthy health = iota
	changed
	sick
)

// judgeHealth compares two looks at a node. What the lab itself restarted is no change.
func (n *node) judgeHealth(ran, runs string, err error) health {
	n.mu.Lock()
	defer n.mu.Unlock()
	own := n.restarting > 0 || n.changedHealth
	if n.restarting == 0 {
		n.changedHealth = false
	}
	switch {
	case own, ran == "" && err == nil:
		return healthy
	case err != nil:
		return sick
	case ran != runs:
		return changed
	}
	return healthy
}
