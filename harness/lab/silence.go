package lab

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

const (
	// noticed is how long after its last answer the recorder has surely told, here, that a program stands still (record.silentAfter, one more question, the way).
	noticed = time.Second
	// standing is how long a program must have been silent to be waited for: what was not noticed by then is over, or no outage.
	standing = time.Second
	// calmFor is how long an outage's aftermath must be over before a trial is run again, and calmWithin how long that is waited for: an API server's
	// takes up to a minute.
	calmFor    = time.Second
	calmWithin = 90 * time.Second
	// askAPIEvery spaces the questions to the API server.
	askAPIEvery = 500 * time.Millisecond
)

// restartedByLab says whether a record tells of a kubelet's silence that the lab itself made, by restarting it: trials that ask for that expect it, and no other
// runs beside them. The caller holds the node's lock.
func (n *node) restartedByLab(r mark.Record) bool {
	if r.Kind != mark.Silence || r.Detail.Silence == nil || r.Detail.Silence.Of != mark.Kubelet {
		return false
	}
	n.health.mu.Lock()
	defer n.health.mu.Unlock()
	for _, own := range n.health.restarts {
		if own.From < r.At && r.At-r.Detail.Silence.NS < own.To {
			return true
		}
	}
	return false
}

// beginRestart notes, on the recorder's clock, that the lab restarts the kubelet until what it returns is called. The caller holds the health's lock, then as
// now.
func (h *health) beginRestart(at func() int64) (end func()) {
	i := len(h.restarts)
	h.restarts = append(h.restarts, timeline.Stall{From: at(), To: math.MaxInt64})
	return func() { h.restarts[i].To = at() }
}

// now is the present on the recorder's clock.
func (n *node) now() int64 {
	if n.reader == nil {
		return 0
	}
	p, _ := n.reader.Place(time.Now())
	return p.At
}

// answering waits until it is known of every program of the node that it answers: what was late because of one that stands still is judged when it is known for
// how long it did.
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
			return fmt.Errorf("waiting for the %s to answer: %w", last.Of, err)
		}
		from = time.Now().Add(-noticed / 2)
	}
}

// calm waits until no program of the node has stood still for a while, or that was waited for long enough.
func (n *node) calm(ctx context.Context) {
	for deadline := time.Now().Add(calmWithin); time.Now().Before(deadline); {
		if trial.Calm(n.noiseSoFar())+int64(calmFor) < n.now() || sleepUntil(ctx, time.Now().Add(askAPIEvery)) != nil {
			return
		}
	}
}

// lastSilence is the silence, or the long stall of the recorder, that ended last; nil where there was none.
func (n *node) lastSilence() *timeline.Silence {
	n.mu.Lock()
	defer n.mu.Unlock()
	var last *timeline.Silence
	for _, s := range n.noise.Outages(standing) {
		if last == nil || s.To > last.To {
			last = &s
		}
	}
	return last
}

// silence notes on every node that the API server has not answered between two instants of the harness' clock.
func (l *Lab) silence(from, to time.Time) {
	for _, n := range l.nodes {
		if n.reader == nil {
			continue
		}
		first, last := n.place(from, from), n.place(to, to)
		n.mu.Lock()
		n.noise.AddSilence(timeline.Silence{Of: mark.APIServer, From: first.At, To: last.At})
		n.announce()
		n.mu.Unlock()
	}
}

// guard notes when the API server was away, and ends the lab when that is for too long. One that is slow to answer was not: its watches went on.
func (l *Lab) guard(ctx context.Context) {
	answered, failed := time.Now(), false
	for sleepUntil(ctx, time.Now().Add(askAPIEvery)) == nil {
		bounded, cancel := context.WithTimeout(ctx, outage/6)
		_, err := l.client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(bounded)
		cancel()
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		if failed = failed || err != nil; failed && now.Sub(answered) > noticeable {
			l.silence(answered, now)
		}
		switch {
		case err == nil:
			answered, failed = now, false
		case now.Sub(answered) > outage:
			l.stop(fmt.Errorf("the API server has been away for %v: %w", now.Sub(answered).Round(time.Second), err))
			return
		}
	}
}
