package lab

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/mark"
)

const (
	// noticed is how long after its last answer the recorder has surely told, here, that a program stands
	// still (record.silentAfter, one more question, the way).
	noticed = 1500 * time.Millisecond
	// standing is how long a program must have been silent to be waited for: every silence that a recorder
	// tells of (record.silentAfter) may become an outage.
	standing = 750 * time.Millisecond
	// calmFor is how long an outage's aftermath must be over before a trial is run again, and calmWithin
	// how long that is waited for: an API server's takes up to a minute.
	calmFor    = time.Second
	calmWithin = 90 * time.Second
)

// restartedByLab says whether a record tells of a kubelet's silence that the lab itself made, by restarting
// it: trials that ask for that expect it, and no other runs beside them. The caller holds the node's lock.
func (n *node) restartedByLab(r mark.Record) bool {
	if r.Kind != mark.Silence || r.Detail.Silence == nil || r.Detail.Silence.Of != mark.Kubelet {
		return false
	}
	n.health.mu.Lock()
	defer n.health.mu.Unlock()
	for _, own := range n.health.restarts {
		if own.from < r.At && r.At-r.Detail.Silence.NS < own.to {
			return true
		}
	}
	return false
}

// beginRestart notes, on the recorder's clock, that the lab restarts the kubelet until what it returns is
// called. The caller holds the health's lock, then as now.
func (h *health) beginRestart(at func() int64) (end func()) {
	i := len(h.restarts)
	h.restarts = append(h.restarts, restart{from: at(), to: math.MaxInt64})
	return func() { h.restarts[i].to = at() }
}

// now is the present on the recorder's clock.
func (n *node) now() int64 {
	if n.reader == nil {
		return 0
	}
	p, _ := n.reader.Place(time.Now())
	return p.At
}

// answering waits until it is known of every program of the node that it answers: what was late because of
// one that stands still is judged when it is known for how long it did.
func (n *node) answering(ctx context.Context) error {
	from := time.Now()
	for {
		if err := sleepUntil(ctx, from.Add(noticed)); err != nil {
			return err
		}
		last := n.lastSilence()
		if last == nil || last.To < n.now()-int64(noticed) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("waiting for the %s to answer: %w", last.Component, err)
		}
		from = time.Now().Add(-noticed / 2)
	}
}

// calm waits until no program of the node has stood still for a while, or that was waited for long enough.
func (n *node) calm(ctx context.Context) {
	for deadline := time.Now().Add(calmWithin); time.Now().Before(deadline); {
		if n.delays().SettledAt()+int64(calmFor) < n.now() ||
			sleepUntil(ctx, time.Now().Add(time.Second/2)) != nil {
			return
		}
	}
}

// lastSilence is the silence, or the long stall of the recorder, that ended last; nil where there was none.
func (n *node) lastSilence() *delay.Outage {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.delayed.LastOutage(standing)
}
