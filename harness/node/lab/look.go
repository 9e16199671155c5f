package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

const (
	healthEvery = 20 * time.Second
	healthBound = 8 * time.Second
	// healthTries is how often, retryHealth apart, a node is asked before it is unavailable. One question may fail on
	// two busy cores.
	healthTries = 3
	retryHealth = time.Second
	recovery    = 60 * time.Second
)

func (l *site) watchHealth(ctx context.Context, n *node, first time.Duration) {
	for wait := first; pace.SleepUntil(ctx, time.Now().Add(wait)) == nil; wait = healthEvery {
		l.look(ctx, n)
	}
}

// look asks a node once, and notes a loss if the node does not answer or runs other processes than before.
func (l *site) look(ctx context.Context, n *node) {
	n.health.looking.Lock()
	defer n.health.looking.Unlock()
	if n.health.isRestarting() || pace.SleepUntil(ctx, n.health.quiet()) != nil {
		return
	}
	began := time.Now()
	runs, err := l.askHealth(ctx, n)
	if ctx.Err() != nil || n.health.isRestarting() {
		return
	}
	ran, since := n.health.take(runs, began, err)
	switch {
	case err != nil:
		why := fmt.Sprintf("the kubelet or the container runtime of node %s does not answer: %v", n.name, err)
		n.addLossBetween(since, time.Now(), why)
		n.become(unavailable, why)
		return
	case ran != "" && ran != runs:
		const restarted = "the kubelet or the container runtime of node %s was restarted: %s, then %s"
		why := fmt.Sprintf(restarted, n.name, ran, runs)
		n.addLossBetween(since, time.Now(), why)
	}
	n.become(healthy, "")
}

func (l *site) askHealth(ctx context.Context, n *node) (runs string, err error) {
	for range healthTries {
		bounded, cancel := context.WithTimeout(ctx, healthBound)
		runs, err = l.options.Workers.Health(bounded, n.name)
		cancel()
		if err == nil || pace.SleepUntil(ctx, time.Now().Add(retryHealth)) != nil {
			break
		}
	}
	return runs, err
}

// disturb notes that the lab restarts programs of the node, until undisturbed is called.
func (n *node) disturb(programs ...string) (undisturbed func()) {
	h := &n.health
	h.mu.Lock()
	h.restarting++
	ended := h.beginRestart(programs, n.now)
	h.mu.Unlock()
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		ended()
		h.restarting--
		h.restarted, h.ran = time.Now(), ""
		h.seen = h.restarted
	})
}

// matured reports whether the kubelet is as old as the longest period of the probes, so that it starts them at once
// (prober/worker.go run), and when it will be.
func (n *node) matured(t trial.Trial) (is bool, when time.Time) {
	n.health.mu.Lock()
	defer n.health.mu.Unlock()
	since := n.health.restarted
	if since.IsZero() {
		since = n.found
	}
	if period := time.Duration(t.LongestPeriod()) * time.Second; period > 0 {
		when = since.Add(period + time.Second)
	}
	return !time.Now().Before(when), when
}

// recovers waits until a node answers. It returns why the node does not, or "".
func (n *node) recovers(ctx context.Context) string {
	deadline := time.Now().Add(recovery)
	for {
		why := n.unusable()
		if why == "" || n.isAbandoned() || time.Now().After(deadline) {
			return why
		}
		if err := pace.SleepUntil(ctx, time.Now().Add(time.Second)); err != nil {
			return err.Error()
		}
	}
}
