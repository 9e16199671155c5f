package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/pace"
)

const (
	noticed = runner.Noticed
	// reported is the shortest time without an answer that a recorder reports (record.outageAfter).
	reported       = 750 * time.Millisecond
	noDelayFor     = time.Second
	noDelayTimeout = 90 * time.Second
)

func (n *node) now() int64 {
	if n.reader == nil {
		return 0
	}
	p, _ := n.reader.Place(time.Now())
	return p.At
}

// answering waits until every component of the node answers: an outage is judged by its whole length.
func (n *node) answering(ctx context.Context) error {
	from := time.Now()
	for {
		if err := pace.SleepUntil(ctx, from.Add(noticed)); err != nil {
			return err
		}
		last := n.lastOutage()
		if last == nil || last.To < n.now()-int64(noticed) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("waiting for the %s to answer: %w", last.Component, err)
		}
		from = time.Now().Add(-noticed / 2)
	}
}

// awaitNoDelay waits until the node had no delay for noDelayFor.
func (n *node) awaitNoDelay(ctx context.Context) {
	for deadline := time.Now().Add(noDelayTimeout); time.Now().Before(deadline); {
		if n.delays().SettledAt()+int64(noDelayFor) < n.now() ||
			pace.SleepUntil(ctx, time.Now().Add(time.Second/2)) != nil {
			return
		}
	}
}

func (n *node) lastOutage() *delay.Outage {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.delayed.LastOutage(reported)
}

const draining = 5 * time.Second

// drain waits until everything that the recorder stamped before now is known.
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

// sampled waits for the pressure sample that shows what delayed the last mark. A verdict must not depend on which came
// first. A node without samples sends none.
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
