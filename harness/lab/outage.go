package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
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

// draining bounds the wait for the last marks of a trial.
const draining = 5 * time.Second

// drain waits until everything that the recorder stamped before now is here, what the node kept waiting
// until now, and which of its programs stand still.
func (n *node) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, draining)
	defer cancel()
	now := time.Now()
	if err := n.answering(ctx); err != nil {
		return err
	}
	if err := n.reader.Drained(ctx, now); err != nil {
		return err
	}
	p, _ := n.reader.Place(now)
	n.mu.Lock()
	n.known = max(n.known, p.At-int64(p.Error))
	n.mu.Unlock()
	return n.sampled(ctx, p.At)
}

// sampled waits until the node's pressure is known up to an instant: what made the last mark late shows
// only in the sample after it, and a verdict must not depend on which of the two the harness saw first. A
// node that never sent a sample has none to send.
func (n *node) sampled(ctx context.Context, at int64) error {
	for {
		n.mu.Lock()
		samples, changed := n.delayed.PSI, n.changed
		n.mu.Unlock()
		if len(samples) == 0 || samples[len(samples)-1].At >= at {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the next sample of the node's pressure: %w", ctx.Err())
		}
	}
}
