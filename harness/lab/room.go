package lab

import (
	"math"

	"golang.org/x/sync/semaphore"

	"github.com/podclock/podclock/harness/trial"
)

// room bounds the pods of the lab on a node.
type room struct {
	*semaphore.Weighted
	most int64
}

// newRoom returns room for so many pods, or without a bound for 0.
func newRoom(most int) room {
	if most == 0 {
		return room{semaphore.NewWeighted(math.MaxInt64), math.MaxInt64}
	}
	return room{semaphore.NewWeighted(int64(most)), int64(most)}
}

// pods returns how many of the places a trial takes. One with more pods than there are places takes all.
func (r room) pods(t trial.Trial) int64 { return min(r.most, int64(1+len(t.Companions))) }
