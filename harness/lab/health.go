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
	// restartQuiet is how long a kubelet that the lab itself restarted is left alone: v1.23.1 takes six
	// seconds until it answers.
	restartQuiet = 15 * time.Second
	// recovery is how long a trial waits for a node that does not answer.
	recovery = 60 * time.Second
)

// health is what is known of a node's kubelet and container runtime.
type health struct {
	looking sync.Mutex // one look at a time

	mu sync.Mutex
	// ran is what the last look found, empty before the first and after a restart by the lab; seen is when
	// that look began.
	ran  string
	seen time.Time
	// restarting counts the restarts by the lab that are under way, restarted is when the last one was over.
	restarting int
	restarted  time.Time
	// restarts are all restarts by the lab, on the recorder's clock; one under way has no end.
	restarts []restart
}

// restart is a span of the recorder's clock in which the lab restarted a kubelet.
type restart struct{ from, to int64 }

// watchHealth looks at a node again and again. What was measured while its kubelet or container runtime was
// dead, stood still or was started anew says nothing about the formulas. The other nodes go on.
func (l *Lab) watchHealth(ctx context.Context, n *node, first time.Duration) {
	for err := sleepUntil(ctx, time.Now().Add(first)); err == nil; err = sleepUntil(ctx, time.Now().Add(healthEvery)) {
		l.look(ctx, n)
	}
}

// look asks a node once, and notes a loss where it does not answer or is another than before.
func (l *Lab) look(ctx context.Context, n *node) {
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
func (l *Lab) askHealth(ctx context.Context, n *node) (runs string, err error) {
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

// take notes what a look found that began at a time, and returns what the one before did. A node that does
// not answer is as it was: what happens until it answers again is lost, too.
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

// quiet is when a kubelet that the lab restarted can be asked again.
func (h *health) quiet() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.restarted.IsZero() {
		return time.Now()
	}
	return h.restarted.Add(restartQuiet)
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
