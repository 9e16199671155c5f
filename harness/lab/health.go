package lab

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/lab/pace"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/trial"
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

// disturb notes that the lab restarts the node's kubelet, until undisturbed is called.
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

// restartQuiet is how long a restarted kubelet is left alone: v1.23.1 needs six seconds until it answers.
const restartQuiet = 15 * time.Second

type health struct {
	looking sync.Mutex // one look at a time

	mu sync.Mutex
	// ran is what the look at the time seen found, empty after a restart by the lab.
	ran  string
	seen time.Time
	// restarting counts the lab's restarts under way. restarted is the end of the last one.
	restarting int
	restarted  time.Time
	// restarts are the lab's restarts on the recorder's clock. One under way ends at the latest time.
	restarts []restart
}

type restart struct{ from, to int64 }

// take notes what a look found, and returns what the one before found and when. A look without an answer does not
// count, so the loss lasts until the node answers again.
func (h *health) take(runs string, began time.Time, err error) (ran string, since time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ran, since = h.ran, h.seen
	if since.IsZero() {
		since = began
	}
	if err == nil {
		h.ran, h.seen = runs, began
	}
	return ran, since
}

func (h *health) isRestarting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.restarting > 0
}

func (h *health) quiet() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.restarted.IsZero() {
		return time.Now()
	}
	return h.restarted.Add(restartQuiet)
}

// restartedDuring reports whether a record shows an outage that a restart by the lab caused. Trials that ask for a
// restart expect it, and run alone.
func (h *health) restartedDuring(r mark.Record) bool {
	if r.Kind != mark.NoAnswer || r.Detail.NoAnswer == nil || r.Detail.NoAnswer.Of != mark.Kubelet {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, own := range h.restarts {
		if own.from < r.At && r.At-r.Detail.NoAnswer.NS < own.to {
			return true
		}
	}
	return false
}

// beginRestart notes a restart by the lab until end is called. The caller holds the lock both times.
func (h *health) beginRestart(at func() int64) (end func()) {
	i := len(h.restarts)
	h.restarts = append(h.restarts, restart{from: at(), to: math.MaxInt64})
	return func() { h.restarts[i].to = at() }
}
