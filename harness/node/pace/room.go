package pace

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/trial"
)

// Room bounds the pods at work on a node. A pod is at work while it starts, and until nothing of it was recorded for a
// while. One that waits in a back-off or for its next fault occupies nothing. The room narrows if the node is too busy:
// one without hardware acceleration ran nine pods at once, and none of 13 trials was conclusive in six minutes. It
// widens while attempts are conclusive or the node is idle.
type Room struct {
	mu sync.Mutex
	// most bounds the pods at work, widest all pods of the lab. They differ only if the room has narrowed.
	most, widest int64
	inside       map[*Occupant]bool
	// peak is the most pods that were at work since the room changed.
	peak int64
	// still is how long after its last record a pod is at work.
	still time.Duration
	// alone is how many trials wait until no pod is at work. Nothing else enters before them.
	alone int
	// ended are the attempts that began since the room changed and have ended, futile those that busy nodes distorted.
	changed       time.Time
	ended, futile int
	idle          func() bool
	idleSince     time.Time // zero while the node is not idle
}

const (
	// leastFutile is how many attempts show that a node is too busy, if they are the most of those that ended.
	// leastGood is how many show that it is not, and so does an idle time of widensAfter while a trial waits for room.
	leastFutile, leastGood = 3, 4
	widensAfter            = 5 * time.Second
	// A node whose recorder took longer than slowStart to start begins with slowRoom. Thirteen recorders at once took
	// two to three seconds on two cores, one took eight without hardware acceleration.
	slowStart = 5 * time.Second
	slowRoom  = 2
	// stillFor is the shortest time after its last record in which a pod is at work. On a slow node, it is as long as
	// stillStarts starts: a start there would delay what the pod does next.
	stillFor    = 3 * time.Second
	stillStarts = 2
)

// NewRoom returns room for so many pods, or without a bound for 0. idle reports whether hardly any task waits for a
// core.
func NewRoom(most int, idle func() bool) *Room {
	r := &Room{most: int64(most), inside: map[*Occupant]bool{}, still: stillFor, idle: idle}
	if most == 0 {
		r.most = math.MaxInt64
	}
	r.widest = r.most
	return r
}

// Started notes how long the node's recorder took to start. It narrows the room of a slow node, and returns the new
// bound, or 0.
func (r *Room) Started(took time.Duration) (narrowed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.still = max(stillFor, stillStarts*took)
	if took <= slowStart || r.most <= slowRoom {
		return 0
	}
	return r.become(slowRoom)
}

// become changes the bound and counts from zero. The caller holds the lock.
func (r *Room) become(most int64) int64 {
	r.most, r.changed, r.ended, r.futile, r.idleSince = most, time.Now(), 0, 0, time.Time{}
	r.peak, _ = r.atWork()
	return most
}

// atWork returns how many pods are at work, and how much of the room they take.
func (r *Room) atWork() (pods, takes int64) {
	for o := range r.inside {
		if o.starts || time.Since(o.acted) < r.still {
			pods, takes = pods+o.pods, takes+o.weight
		}
	}
	return pods, takes
}

func (r *Room) all() (pods int64) {
	for o := range r.inside {
		pods += o.pods
	}
	return pods
}

// Occupant is a trial's pods in a room.
type Occupant struct {
	room *Room
	// weight is the share of the room that the pods have while they are at work.
	pods, weight int64
	starts       bool
	acted        time.Time
}

// Acted notes that something of the pods was recorded.
func (o *Occupant) Acted() {
	o.room.mu.Lock()
	defer o.room.mu.Unlock()
	o.acted = time.Now()
}

// Started notes that the pods have started, or never will.
func (o *Occupant) Started() {
	o.room.mu.Lock()
	defer o.room.mu.Unlock()
	o.starts, o.acted = false, time.Now()
}

// Leave gives the room back. It may be called more than once.
func (o *Occupant) Leave() {
	o.room.mu.Lock()
	defer o.room.mu.Unlock()
	delete(o.room.inside, o)
}

// TryEnter takes room for a trial's pods, or returns nil.
func (r *Room) TryEnter(t trial.Trial) *Occupant {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alone > 0 {
		return nil
	}
	return r.enter(t, false)
}

// enter admits a trial with more pods than fit, or one that wants to be alone, if no pod is at work. The caller holds
// the lock.
func (r *Room) enter(t trial.Trial, alone bool) *Occupant {
	pods := int64(1 + len(t.Companions))
	all := r.all()
	working, taken := r.atWork()
	if all > 0 && all+pods > r.widest || working > 0 && (alone || taken+pods > r.most) {
		r.widen()
		return nil
	}
	o := &Occupant{room: r, pods: pods, weight: pods, starts: true}
	if alone {
		o.weight = max(pods, min(r.most, math.MaxInt64/2)) // a sum of two must not overflow
	}
	r.inside[o], r.peak = true, max(r.peak, working+pods)
	return o
}

// widen makes a narrow room wider after the node was idle for a while. The caller holds the lock.
func (r *Room) widen() {
	switch {
	case r.most >= r.widest || !r.idle():
		r.idleSince = time.Time{}
	case r.idleSince.IsZero():
		r.idleSince = time.Now()
	case time.Since(r.idleSince) >= widensAfter:
		r.become(r.wider())
	}
}

// wider returns the next bound of a narrow room: twice as many pods, or the widest if less than half of it was used.
// The caller holds the lock.
func (r *Room) wider() int64 {
	if 2*r.peak < r.most {
		return r.widest
	}
	return min(2*r.most, r.widest)
}

// Enter waits for room for a trial's pods, or until no other pod is at work.
func (r *Room) Enter(ctx context.Context, t trial.Trial, alone bool) (*Occupant, error) {
	try := func() *Occupant { return r.TryEnter(t) }
	if alone {
		r.wait(1)
		defer r.wait(-1)
		try = func() *Occupant {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.enter(t, true)
		}
	}
	for {
		if o := try(); o != nil {
			return o, nil
		}
		if err := SleepUntil(ctx, time.Now().Add(LookEvery)); err != nil {
			return nil, err
		}
	}
}

// wait counts a trial that waits to be alone, or that does so no longer.
func (r *Room) wait(by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alone += by
}

// Judged notes an attempt that began at a time. If most attempts since then were futile because the nodes are busy, the
// room narrows to half of the most pods that were at work, and that is what it returns. Else it returns 0.
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
	case r.futile >= leastFutile && 2*r.futile > r.ended && r.peak > 1:
		return r.become(max(1, min(r.most, r.peak)/2))
	case r.futile == 0 && r.ended >= leastGood && r.most < r.widest:
		r.become(r.wider())
	}
	return 0
}

// Narrowed reports whether the room is narrower than it may be. Then it keeps the node idle.
func (r *Room) Narrowed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most < r.widest
}
