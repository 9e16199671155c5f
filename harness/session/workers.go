package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/cluster/nodes"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// workers are the cluster's workers for the lab.
type workers struct{ cluster *cluster.Cluster }

// Tune gives a node a worker's configuration.
func (w workers) Tune(
	ctx context.Context,
	node string,
	config trial.Worker,
) (formula.Kubelet, func(context.Context) error, error) {
	tuning := nodes.Tuning{KubeletConfig: config.KubeletConfig}
	if config.NodeFSMiB > 0 || config.NodeFSInodes > 0 {
		tuning.NodeFS = &nodes.NodeFS{SizeMiB: config.NodeFSMiB, Inodes: config.NodeFSInodes}
	}
	version, err := w.version(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, err
	}
	restore, err := w.cluster.Tune(ctx, node, tuning)
	if err != nil {
		if errors.Is(err, nodes.ErrIgnored) {
			err = fmt.Errorf("%w: %w", stage.ErrUnsupported, err)
		}
		if errors.Is(err, nodes.ErrNotRestored) {
			err = fmt.Errorf("%w: %w", lab.ErrNotRestored, err)
		}
		return formula.Kubelet{}, nil, err
	}
	facts, _, err := w.inspect(ctx, node, version)
	if err != nil {
		if restoring := restore(ctx); restoring != nil {
			err = fmt.Errorf("%w; %w: %w", err, lab.ErrNotRestored, restoring)
		}
		return formula.Kubelet{}, nil, err
	}
	return facts, restore, nil
}

// version returns the version of a node's kubelet as the node reports it.
func (w workers) version(ctx context.Context, node string) (string, error) {
	var n corev1.Node
	if err := w.cluster.Client.Resources().Get(ctx, node, "", &n); err != nil {
		return "", fmt.Errorf("read the kubelet's version on node %s: %w", node, err)
	}
	return n.Status.NodeInfo.KubeletVersion, nil
}

// RestartKubelet restarts a node's kubelet as fast as systemd can.
func (w workers) RestartKubelet(ctx context.Context, node string) (stopping, started time.Time, err error) {
	r, err := w.cluster.RestartKubelet(ctx, node)
	return r.Stopping, r.Started, err
}

// AwaitKubelet waits until a restarted kubelet is Ready.
func (w workers) AwaitKubelet(ctx context.Context, node string, started time.Time) error {
	return w.cluster.AwaitKubelet(ctx, node, started)
}

// AwaitUnpressed waits until a node is under no pressure.
func (w workers) AwaitUnpressed(ctx context.Context, node string) error {
	return w.cluster.AwaitUnpressed(ctx, node)
}

// Health returns the processes of a node's kubelet and container runtime, and fails if one of them does not answer.
func (w workers) Health(ctx context.Context, node string) (string, error) {
	d, err := w.cluster.Health(ctx, node)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// Removals returns when a node's container runtime was asked to remove containers.
func (w workers) Removals(
	ctx context.Context,
	node string,
	since, until time.Time,
	ids []string,
) (map[string]time.Time, error) {
	return w.cluster.Removals(ctx, node, since, until, ids)
}

// NodeLog returns the log lines of a node's kubelet and container runtime.
func (w workers) NodeLog(
	ctx context.Context,
	node string,
	since, until time.Time,
	containing ...string,
) ([]string, error) {
	return w.cluster.NodeLog(ctx, node, since, until, containing...)
}

// inspect reads the kubelet's effective configuration and feature gates from the kubelet itself.
func (w workers) inspect(ctx context.Context, node, version string) (formula.Kubelet, json.RawMessage, error) {
	c, err := w.cluster.KubeletConfig(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("read the configuration of the kubelet on node %s: %w", node, err)
	}
	gates, err := w.cluster.FeatureGates(ctx, node)
	if err != nil {
		return formula.Kubelet{}, nil, err
	}
	k, err := stage.Kubelet(version, gates, c.Raw)
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("node %s: %w", node, err)
	}
	return k, c.Raw, nil
}
