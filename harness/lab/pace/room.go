package pace

import (
	"math"

	"golang.org/x/sync/semaphore"

	"github.com/podclock/podclock/harness/trial"
)

// Room bounds the pods of the lab on a node.
type Room struct {
	*semaphore.Weighted
	most int64
}

// NewRoom returns room for so many pods, or without a bound for 0.
func NewRoom(most int) Room {
	if most == 0 {
		return Room{semaphore.NewWeighted(math.MaxInt64), math.MaxInt64}
	}
	return Room{semaphore.NewWeighted(int64(most)), int64(most)}
}

// Pods returns how many of the places a trial takes. One with more pods than there are places takes all.
func (r Room) Pods(t trial.Trial) int64 { return min(r.most, int64(1+len(t.Companions))) }
