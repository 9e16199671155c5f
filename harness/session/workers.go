package session

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/rules/formula"
)

type workers struct {
	*cluster.Cluster
	become become
}

// become puts a subject's programs on a node, or into the node's cluster.
type become func(ctx context.Context, node, subject string) (formula.Kubelet, error)

func (w workers) Become(ctx context.Context, node, subject string) (formula.Kubelet, error) {
	return w.become(ctx, node, subject)
}

func (w workers) Tune(
	ctx context.Context, node string, config trial.Worker,
) (formula.Kubelet, func(context.Context) error, error) {
	system, err := w.system(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, err
	}
	restore, err := w.change(ctx, node, config)
	if err != nil {
		return formula.Kubelet{}, nil, err
	}
	facts, _, err := w.inspect(ctx, node, system.Kubelet, system.Runtime)
	if err != nil {
		if restoring := restore(ctx); restoring != nil {
			err = fmt.Errorf("%w; %w: %w", err, runner.ErrNotRestored, restoring)
		}
		return formula.Kubelet{}, nil, err
	}
	return facts, restore, nil
}

// change makes a node what a worker needs.
func (w workers) change(
	ctx context.Context, node string, config trial.Worker,
) (restore func(context.Context) error, err error) {
	if config.Proxy != "" {
		return w.StartProxy(ctx, node, string(config.Proxy))
	}
	tuning := nodes.Tuning{KubeletConfig: config.KubeletConfig}
	if config.NodeFSMiB > 0 || config.NodeFSInodes > 0 {
		tuning.NodeFS = &nodes.NodeFS{SizeMiB: config.NodeFSMiB, Inodes: config.NodeFSInodes}
	}
	return w.Cluster.Tune(ctx, node, tuning)
}

func (w workers) system(ctx context.Context, node string) (run.System, error) {
	n := &corev1.Node{}
	if err := w.Client.Get(ctx, node, "", n); err != nil {
		return run.System{}, fmt.Errorf("read the kubelet's version on node %s: %w", node, err)
	}
	return external.SystemOf(n), nil
}

func (w workers) inspect(
	ctx context.Context, node, version, runtime string,
) (formula.Kubelet, json.RawMessage, error) {
	c, err := w.KubeletConfig(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("read the configuration of the kubelet on node %s: %w", node, err)
	}
	gates, err := w.FeatureGates(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, err
	}
	given, err := w.GivenConfig(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, err
	}
	k, err := formula.KubeletOf(version, gates, c, given)
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("node %s: %w", node, err)
	}
	k.Runtime = formula.OtherRuntime(runtime)
	return k, c, nil
}
