package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/recording"
	"github.com/podclock/podclock/harness/timeline"
)

// node is what is known of one subject's node: everything its recorder told so far.
type node struct {
	subject Subject
	reader  *recording.Reader

	mu     sync.Mutex
	marks  map[string][]mark.Record // by the pod's UID
	noise  timeline.Noise
	losses []timeline.Loss
	known  int64 // the recorder's clock up to which every record is here
	// changed is closed and replaced whenever something arrives.
	changed chan struct{}
}

func newNode(s Subject) *node {
	return &node{subject: s, marks: map[string][]mark.Record{}, changed: make(chan struct{})}
}

// place dates a span of the harness' clock on the recorder's. A recorder that has never answered has no clock; none of its trials has begun.
func (n *node) place(from, to time.Time) timeline.Instant {
	p, _ := n.reader.Place(from)
	return timeline.Instant{At: p.At, Early: int64(p.Error), Late: int64(to.Sub(from) + p.Error)}
}

// take files what a recorder answered.
func (n *node) take(records []mark.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range records {
		n.noise.Add(r)
		if r.UID != "" {
			n.marks[r.UID] = append(n.marks[r.UID], r)
		}
		n.known = max(n.known, r.At)
	}
	n.announce()
}

// lose notes a hole in the record.
func (n *node) lose(l recording.Loss) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losses = append(n.losses, timeline.Loss{From: l.After, To: l.Before, Why: l.String()})
	n.announce()
}

// silent notes a time in which the recorder did not answer. Its marks are not lost, but the API, by which it is asked, was away: what
// the harness did or saw there in that time is dated too late.
func (n *node) silent(o recording.Outage) {
	if o.To.Sub(o.From) < noticeable {
		return
	}
	from, to := n.place(o.From, o.From), n.place(o.To, o.To)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losses = append(n.losses, timeline.Loss{From: from.At, To: to.At, Why: "the API server did not answer: " + o.Err.Error()})
	n.announce()
}

// noticeable is how long the API server must be away for its watch to date changes wrongly: informers reconnect within it.
const noticeable = 2 * time.Second

// announce wakes whoever waits for a change; the caller holds the lock.
func (n *node) announce() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// change returns a channel that is closed at the next change.
func (n *node) change() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// draining bounds the wait for the last marks of a trial.
const draining = 5 * time.Second

// drain waits until everything that the recorder stamped before now is here, and what the node kept waiting until now.
func (n *node) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, draining)
	defer cancel()
	now := time.Now()
	if err := n.reader.Drained(ctx, now); err != nil {
		return err
	}
	p, _ := n.reader.Place(now)
	n.mu.Lock()
	n.known = max(n.known, p.At-int64(p.Error))
	n.mu.Unlock()
	return n.sampled(ctx, p.At)
}

// sampled waits until the node's pressure is known up to an instant: what made the last mark late shows only in the sample after it, and
// a verdict must not depend on which of the two the harness saw first. A node that never sent a sample has none to send.
func (n *node) sampled(ctx context.Context, at int64) error {
	for {
		n.mu.Lock()
		samples, changed := n.noise.Pressure, n.changed
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

// evidence is what the recorder knows of one pod since an instant.
func (n *node) evidence(uid string, since int64) timeline.Evidence {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := timeline.Evidence{UID: uid, Marks: slices.Clone(n.marks[uid]), Known: n.known}
	for _, l := range n.losses {
		if l.To >= since {
			e.Losses = append(e.Losses, l)
		}
	}
	return e
}

func (n *node) noiseSoFar() timeline.Noise {
	n.mu.Lock()
	defer n.mu.Unlock()
	return timeline.Noise{Stalls: slices.Clone(n.noise.Stalls), Pressure: slices.Clone(n.noise.Pressure)}
}

// clockError is how exactly the harness' clock is placed on the recorder's now.
func (n *node) clockError() time.Duration {
	p, _ := n.reader.Place(time.Now())
	return p.Error
}
