package pace

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Room bounds the pods of the lab on a node. It narrows if the node is too busy: one without hardware acceleration ran
// nine pods at once, and none of 13 trials was conclusive in six minutes.
type Room struct {
	mu         sync.Mutex
	most, used int64
	left       chan struct{} // closed when pods leave
	// ended are the attempts that began since the room narrowed and have ended, futile those that busy nodes spoiled.
	narrowed      time.Time
	ended, futile int
}

// leastFutile is how many attempts show that a node is too busy, if they are the most of those that ended.
const leastFutile = 3

// NewRoom returns room for so many pods, or without a bound for 0.
func NewRoom(most int) *Room {
	r := &Room{most: int64(most), left: make(chan struct{})}
	if most == 0 {
		r.most = math.MaxInt64
	}
	return r
}

// TryEnter takes room for a trial's pods if there is some, and returns how to leave it. A trial with more pods than fit
// gets the room alone.
func (r *Room) TryEnter(t trial.Trial) (leave func(), entered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pods := int64(1 + len(t.Companions))
	if r.used > 0 && r.used+pods > r.most {
		return nil, false
	}
	r.used += pods
	return func() { r.leave(pods) }, true
}

// Enter waits for room for a trial's pods, and returns how to leave it.
func (r *Room) Enter(ctx context.Context, t trial.Trial) (leave func(), err error) {
	for {
		r.mu.Lock()
		left := r.left
		r.mu.Unlock()
		if leave, entered := r.TryEnter(t); entered {
			return leave, nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (r *Room) leave(pods int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= pods
	close(r.left)
	r.left = make(chan struct{})
}

// Judged notes an attempt that began at a time. If most attempts since then were futile because the nodes are busy, the
// room narrows to half of the pods that run now. It returns the new bound, or 0.
func (r *Room) Judged(began time.Time, futile bool) (narrowed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if began.Before(r.narrowed) {
		return 0
	}
	r.ended++
	if futile {
		r.futile++
	}
	if r.futile < leastFutile || 2*r.futile <= r.ended || r.used < 2 {
		return 0
	}
	r.most, r.narrowed, r.ended, r.futile = r.used/2, time.Now(), 0, 0
	return r.most
}

// Narrowed reports whether the room is narrower than in the beginning. Then it keeps the node calm.
func (r *Room) Narrowed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.narrowed.IsZero()
}
