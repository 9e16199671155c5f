package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/podclock/podclock/harness/trial"
)

// What Workers.Tune wraps: the kubelet's version knows a part of the configuration not at all, and a node
// that could not be put back as it was.
var (
	ErrIgnored     = errors.New("this kubelet's version does not know a part of the configuration")
	ErrNotRestored = errors.New("the node could not be put back as it was")
)

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
		err = fmt.Errorf("worker %s on node %s: %w", w.Name, n.name, err)
		if errors.Is(err, ErrNotRestored) {
			l.giveUp(n, err)
		}
		return nil, err
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

// giveUp runs no more trials on a node.
func (l *Lab) giveUp(n *node, why error) {
	if !n.givenUp() {
		l.say("node %s is not used any more: %v", n.name, why)
	}
	n.giveUp(why.Error())
}
