package lab

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// healthEvery is how often each node is asked which kubelet and container runtime run there, and
	// healthBound bounds one answer.
	healthEvery = 20 * time.Second
	healthBound = 8 * time.Second
	// healthTries is how often a node that does not answer is asked, retryHealth apart, before it counts as
	// ill: two busy cores may let one question down.
	healthTries = 3
	retryHealth = time.Second
	// recovery is how long a trial waits for a node that does not answer.
	recovery = 60 * time.Second
)

// watchHealth looks at a node again and again. What was measured while its kubelet or container runtime was
// dead, stood still or was started anew says nothing about the formulas. The other nodes go on.
func (l *site) watchHealth(ctx context.Context, n *node, first time.Duration) {
	for err := sleepUntil(ctx, time.Now().Add(first)); err == nil; err = sleepUntil(ctx, time.Now().Add(healthEvery)) {
		l.look(ctx, n)
	}
}

// look asks a node once, and notes a loss where it does not answer or is another than before.
func (l *site) look(ctx context.Context, n *node) {
	n.health.looking.Lock()
	defer n.health.looking.Unlock()
	if n.health.isRestarting() || sleepUntil(ctx, n.health.quiet()) != nil {
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
		why := fmt.Sprintf("the kubelet or the container runtime of node %s was started anew: %s, then %s", n.name, ran, runs)
		n.addLossBetween(since, time.Now(), why)
	}
	n.become(healthy, "")
}

// askHealth asks until there is an answer, healthTries times.
func (l *site) askHealth(ctx context.Context, n *node) (runs string, err error) {
	for range healthTries {
		bounded, cancel := context.WithTimeout(ctx, healthBound)
		runs, err = l.options.Workers.Health(bounded, n.name)
		cancel()
		if err == nil || sleepUntil(ctx, time.Now().Add(retryHealth)) != nil {
			break
		}
	}
	return runs, err
}

// disturb says that the lab itself is about to restart the node's kubelet, until what it returns is called.
func (n *node) disturb() (undisturbed func()) {
	h := &n.health
	h.mu.Lock()
	h.restarting++
	ended := h.beginRestart(n.now)
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

// matured is when the node's kubelet is as old as its probes' period, so that it starts them at once
// (prober/worker.go run): a kubelet that the lab never restarted is.
func (n *node) matured(longestPeriod time.Duration) time.Time {
	n.health.mu.Lock()
	defer n.health.mu.Unlock()
	if n.health.restarted.IsZero() || longestPeriod == 0 {
		return time.Now()
	}
	return n.health.restarted.Add(longestPeriod + time.Second)
}

// recovers waits until a node that does not answer does so again. It says why it does not, or never will.
func (n *node) recovers(ctx context.Context) string {
	deadline := time.Now().Add(recovery)
	for {
		why := n.unusable()
		if why == "" || n.isAbandoned() || time.Now().After(deadline) {
			return why
		}
		if err := sleepUntil(ctx, time.Now().Add(time.Second)); err != nil {
			return err.Error()
		}
	}
}
