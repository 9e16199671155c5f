package cluster

import (
	"context"
	"fmt"
	"time"
)

// Every wait of this package has a bound. None of them is a measurement; they
// only end what hangs, so they are generous.
const (
	// createTimeout holds kind's own bounds (30 s for a node's boot, 4 min
	// for kubeadm) and the pull of a published node image.
	createTimeout = 15 * time.Minute
	// abortTimeout is for kind's Create to notice that its nodes are gone. It
	// takes a second, except while an image is being pulled.
	abortTimeout = 20 * time.Second
	// deleteTimeout is for the engine to remove every node.
	deleteTimeout = 2 * time.Minute
	// registerTimeout is from the end of Create until every node is known to
	// the API server and has its pod CIDR.
	registerTimeout = time.Minute
	// readyTimeout is from the pod network's set-up until every node is Ready.
	readyTimeout = 2 * time.Minute
	// adoptTimeout is for the nodes of a kept cluster to prove Ready.
	adoptTimeout = 20 * time.Second
	// commandTimeout is for one command on a node.
	commandTimeout = time.Minute
	// loadTimeout is for one image archive to be imported on a node.
	loadTimeout = 3 * time.Minute
	// crashLoopRestarts is how often systemd restarts a kubelet, a second
	// apart, before it is called broken.
	crashLoopRestarts = 5
	// kubeletTimeout is for a restarted kubelet to report Ready.
	kubeletTimeout = 90 * time.Second
	// componentTimeout is for a new component of the control plane to run, and
	// for all others to be Ready again: one that ended without an API server may
	// be in a back-off of up to 40 s by then.
	componentTimeout = 3 * time.Minute
	// componentInterval is between two looks at it, and componentLooks how many
	// in a row must find nothing missing.
	componentInterval = time.Second
	componentLooks    = 5
	// statsTimeout is for a restarted kubelet to report its file systems.
	statsTimeout = 30 * time.Second
	// pressureTimeout is for a node without pressure to say so and to lose its
	// taints: the kubelet synchronizes every 10 s (eviction manager) after its
	// transition period, and the controller manager follows.
	pressureTimeout = time.Minute
	// daemonsTimeout is for systemd to say what it runs.
	daemonsTimeout = 10 * time.Second
	// diagnoseTimeout is for the reasons of a failed boot to be collected.
	diagnoseTimeout = 20 * time.Second
	// logsTimeout is for all logs of all nodes to be saved.
	logsTimeout = 2 * time.Minute
	// pollInterval is between two looks at the API server or a node.
	pollInterval = 200 * time.Millisecond
)

// bounded runs a call that knows no context. When the context or the bound
// ends first, the call goes on in the background and its result is dropped.
func bounded(ctx context.Context, limit time.Duration, what string, call func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s took longer than %v", what, limit))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
