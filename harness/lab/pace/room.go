package pace

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Room bounds the pods of the lab on a node. It narrows if the node is too busy: one without hardware acceleration ran
// nine pods at once, and none of 13 trials was conclusive in six minutes. It widens while all attempts are conclusive.
type Room struct {
	mu sync.Mutex
	// widest is the bound in the beginning. tooMany pods made the node too busy.
	most, used, widest, tooMany int64
	// alone is how many trials wait until the room is empty. Nothing else enters before them.
	alone int
	left  chan struct{} // closed when pods leave or the room widens
	// ended are the attempts that began since the room changed and have ended, futile those that busy nodes spoiled.
	changed       time.Time
	ended, futile int
}

const (
	// leastFutile is how many attempts show that a node is too busy, if they are the most of those that ended.
	// leastGood is how many show that it is not.
	leastFutile, leastGood = 3, 4
	// A node whose recorder took longer than slowStart to start begins with slowRoom. Thirteen recorders at once took
	// two to three seconds on two cores, one took eight without hardware acceleration.
	slowStart = 5 * time.Second
	slowRoom  = 2
)

// NewRoom returns room for so many pods, or without a bound for 0.
func NewRoom(most int) *Room {
	r := &Room{most: int64(most), left: make(chan struct{}), tooMany: math.MaxInt64}
	if most == 0 {
		r.most = math.MaxInt64
	}
	r.widest = r.most
	return r
}

// Started narrows the room of a node whose recorder took long to start. It returns the new bound, or 0.
func (r *Room) Started(took time.Duration) (narrowed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if took <= slowStart || r.most <= slowRoom {
		return 0
	}
	return r.become(slowRoom)
}

// become changes the bound and counts from zero. The caller holds the lock.
func (r *Room) become(most int64) int64 {
	r.most, r.changed, r.ended, r.futile = most, time.Now(), 0, 0
	r.wake()
	return most
}

// wake lets those that wait look again. The caller holds the lock.
func (r *Room) wake() {
	close(r.left)
	r.left = make(chan struct{})
}

// TryEnter takes room for a trial's pods if there is some, and returns how to leave it. A trial with more pods than fit
// gets the room alone, and so does one that asks for that.
func (r *Room) TryEnter(t trial.Trial, alone bool) (leave func(), entered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alone > 0 {
		return nil, false
	}
	return r.tryEnter(t, alone)
}

func (r *Room) tryEnter(t trial.Trial, alone bool) (leave func(), entered bool) {
	pods := int64(1 + len(t.Companions))
	if alone {
		pods = max(pods, min(r.most, math.MaxInt64/2)) // a sum of two must not overflow
	}
	if r.used > 0 && r.used+pods > r.most {
		return nil, false
	}
	r.used += pods
	return func() { r.leave(pods) }, true
}

// Enter waits for room for a trial's pods, or for all of the room, and returns how to leave it.
func (r *Room) Enter(ctx context.Context, t trial.Trial, alone bool) (leave func(), err error) {
	try := r.TryEnter
	if alone {
		r.wait(1)
		defer r.wait(-1)
		try = func(t trial.Trial, alone bool) (func(), bool) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.tryEnter(t, alone)
		}
	}
	for {
		r.mu.Lock()
		left := r.left
		r.mu.Unlock()
		if leave, entered := try(t, alone); entered {
			return leave, nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// wait counts a trial that waits to be alone, or that does so no longer.
func (r *Room) wait(by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alone += by
	r.wake()
}

func (r *Room) leave(pods int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= pods
	r.wake()
}

// Judged notes an attempt that began at a time. If most attempts since then were futile because the nodes are busy, the
// room narrows to half of the pods that run now, and that is what it returns. Else it returns 0.
func (r *Room) Judged(began time.Time, futile bool) (narrowed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if began.Before(r.changed) {
		return 0
	}
	r.ended++
	if futile {
		r.futile++
	}
	switch {
	case r.futile >= leastFutile && 2*r.futile > r.ended && r.used > 1:
		r.tooMany = r.used
		return r.become(r.used / 2)
	case r.futile == 0 && r.ended >= leastGood && r.most < r.widest && 2*r.most < r.tooMany:
		r.become(min(2*r.most, r.widest))
	}
	return 0
}

// Narrowed reports whether the room is narrower than it may be. Then it keeps the node calm.
func (r *Room) Narrowed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most < r.widest
}
