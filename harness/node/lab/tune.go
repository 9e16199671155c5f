package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// tune configures a node for a worker, and returns a function that restores the node.
func (l *site) tune(ctx context.Context, n *node, w trial.Worker) (restore func(context.Context) error, err error) {
	if !w.Tuned() {
		return func(context.Context) error { return nil }, nil
	}
	before := n.runs()
	undisturbed := n.disturb(mark.Kubelet)
	defer undisturbed()
	tuned, back, err := l.options.Workers.Tune(ctx, n.name, w)
	if err != nil {
		err = fmt.Errorf("worker %s on node %s: %w", w.Name, n.name, err)
		if errors.Is(err, runner.ErrNotRestored) {
			l.abandon(n, err)
		}
		return nil, err
	}
	n.setKubelet(tuned)
	return func(ctx context.Context) error {
		undisturbed := n.disturb(mark.Kubelet)
		defer undisturbed()
		if err := back(ctx); err != nil {
			return fmt.Errorf("worker %s on node %s: %w", w.Name, n.name, err)
		}
		n.setKubelet(before)
		return nil
	}, nil
}
