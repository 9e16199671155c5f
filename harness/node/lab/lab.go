// Package lab is the node lane: it runs trials on the nodes of a cluster.
//
// Trials mostly wait, so the lab runs them at once, the longest first, with starts spread over the longest one's
// duration. Trials that need a worker of their own get a spare one, tuned and restored. The lab repeats inconclusive
// trials. Every wait has a bound. The lab knows clusters but no formula.
package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// Lab is a cluster ready for trials.
type Lab struct {
	site
	stopped sync.Once
	running sync.WaitGroup
}

// Open starts a recorder on every node and the watches. The lab lives until Close or until ctx ends.
func Open(ctx context.Context, o Options) (*Lab, error) {
	// 32 pods start within 15 s on two cores. Twice as many at one time delayed running victims.
	o.StartsAtOnce = cmp.Or(o.StartsAtOnce, runtime.NumCPU())
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	if o.Unsupported == nil {
		o.Unsupported = func(trial.Trial) string { return "" }
	}
	config := rest.CopyConfig(o.Config)
	config.QPS, config.Burst = 200, 400
	client, server, err := kubeconfig.Clients(config)
	if err != nil {
		return nil, fmt.Errorf("make a client of the cluster: %w", err)
	}
	l := &Lab{site: site{
		opened: time.Now(), Selections: runner.NewSelections(o.Observe),
		options: o, client: client, server: server, nodes: map[string]*node{}, api: newAPIAnswers(),
	}}
	l.ctx, l.stop = context.WithCancelCause(ctx)
	if err := l.open(l.ctx); err != nil {
		// A recorder that stays would hold its ports against the next run on a kept cluster.
		if closing := l.Close(ctx); closing != nil {
			err = fmt.Errorf("%w; and then: %w", err, closing)
		}
		return nil, err
	}
	return l, nil
}

func (l *Lab) open(ctx context.Context) error {
	classes := l.createPriorityClasses
	if l.options.External {
		classes = l.createLowestPriority
	}
	for _, prepare := range []func(context.Context) error{
		l.deleteLeftNamespaces, l.createNamespace, l.createPullSecret, classes, l.awaitServiceAccount,
	} {
		if err := prepare(ctx); err != nil {
			return err
		}
	}
	for _, s := range l.options.Subjects {
		l.add(s, s.Node)
		for _, spare := range s.Spares {
			l.add(s, spare)
		}
	}
	delete(l.nodes, "") // of the subjects of the pool
	for _, name := range l.options.Pool {
		l.add(Placement{}, name)
	}
	if err := l.watch(ctx); err != nil {
		return err
	}
	if err := l.startRecorders(ctx); err != nil {
		return err
	}
	l.watching.Go(func() { l.guard(ctx) })
	if l.options.Workers != nil {
		for i, name := range slices.Sorted(maps.Keys(l.nodes)) {
			// all at once would delay what is measured
			first := time.Duration(i) * healthEvery / time.Duration(len(l.nodes))
			l.watching.Go(func() { l.watchHealth(ctx, l.nodes[name], first) })
		}
	}
	return nil
}

func (l *Lab) add(s Placement, node string) {
	idle := func() bool { return !l.underCPUPressure(pace.Idle) }
	l.nodes[node] = newNode(s, node, pace.NewRoom(l.options.Room[node], idle))
	l.nodes[node].delayed.Slower = l.options.Slower
}

// Nodes returns the nodes of the lab, ordered by name.
func (l *Lab) Nodes() []run.Node {
	var nodes []run.Node
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		n := l.nodes[name]
		became, _ := n.became.Load().(string)
		nodes = append(nodes, run.Node{
			Name: name, Subject: n.subject, Delays: n.delays(), ClockError: n.clockError(),
			Watched: n.watched, Exits: n.exits, Evicted: l.wronglyEvicted(n), EvictedBy: became,
		})
	}
	return nodes
}

// Err returns why the lab ended before it was closed: the API server was away, or the run was interrupted.
func (l *Lab) Err() error { return runner.Ended(l.ctx) }

const closing = 30 * time.Second

// Stop ends what is running at once. It is judged by what was recorded so far.
func (l *Lab) Stop() {
	l.stopped.Do(l.searchExits)
	l.stop(runner.ErrClosed)
	l.running.Wait()
	l.watching.Wait()
}

// Close stops the lab and deletes its namespace, without waiting for the pods. It works after ctx has ended.
func (l *Lab) Close(ctx context.Context) error {
	l.Stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return l.deleteNamespace(ctx, l.options.Namespace)
}
