package pace

import (
	"math"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/podclock/podclock/harness/trial"
)

// Room bounds the pods of the lab on a node.
type Room struct {
	*semaphore.Weighted
	Most int64
}

// NewRoom returns room for so many pods, or without a bound for 0.
func NewRoom(most int) Room {
	if most == 0 {
		return newRoom(math.MaxInt64)
	}
	return newRoom(int64(most))
}

func newRoom(most int64) Room { return Room{semaphore.NewWeighted(most), most} }

// Pods returns how many of the places a trial takes. One with more pods than there are places takes all.
func (r Room) Pods(t trial.Trial) int64 { return min(r.Most, int64(1+len(t.Companions))) }

// A node is slow if its recorder took longer than slowStart to start. On one without hardware acceleration, 13 pods
// started within a minute, and none was judged in the next six.
const (
	slowStart = 10 * time.Second
	slowRoom  = 2
)

// After returns the room of a node whose recorder took so long to start, and whether the node is slow.
func (r Room) After(start time.Duration) (_ Room, slow bool) {
	if start <= slowStart {
		return r, false
	}
	return newRoom(min(r.Most, slowRoom)), true
}

// placeFor is how long a pod that does not start keeps its place: longer if the recorder took long to start.
const (
	placeFor   = 20 * time.Second
	placeTimes = 5
)

// PlaceFor returns how long a pod that does not start keeps its place on a node whose recorder took so long to start.
func PlaceFor(start time.Duration) time.Duration { return max(placeFor, placeTimes*start) }
