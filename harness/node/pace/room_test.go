package pace

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
)

var one, three = trial.Trial{}, trial.Trial{Companions: make([]*corev1.Pod, 2)}

func never() bool { return false }

// fill lets trials in until the room is full.
func fill(r *Room, most int) (inside []*Occupant) {
	for range most {
		o := r.TryEnter(one)
		if o == nil {
			break
		}
		inside = append(inside, o)
	}
	return inside
}

// A trial with more pods than fit gets the room while nobody else is at work.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(2, never)
		first, err := r.Enter(t.Context(), one, false)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(r.TryEnter(three)).To(BeNil())
		begun := time.Now()
		time.AfterFunc(time.Second, first.Leave)
		second, err := r.Enter(t.Context(), three, false)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(time.Since(begun)).To(BeNumerically("~", time.Second, LookEvery))
		g.Expect(r.TryEnter(one)).To(BeNil(), "the room is full")
		second.Leave()
		second.Leave()
		g.Expect(fill(r, 9)).To(HaveLen(2))
	})
}

// A pod that has started and does nothing occupies nothing, but the bound on all pods of the lab counts it.
func TestOnlyPodsAtWorkOccupyANarrowRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(5, never)
		r.become(2)
		inside := fill(r, 9)
		g.Expect(inside).To(HaveLen(2))
		time.Sleep(time.Minute)
		g.Expect(fill(r, 9)).To(BeEmpty(), "they start")
		inside[0].Started()
		time.Sleep(stillFor - time.Millisecond)
		g.Expect(fill(r, 9)).To(BeEmpty())
		time.Sleep(time.Millisecond)
		third := fill(r, 9)
		g.Expect(third).To(HaveLen(1), "the first one is still")
		third[0].Started()
		inside[0].Acted()
		time.Sleep(stillFor - time.Millisecond)
		inside[0].Acted()
		time.Sleep(time.Millisecond)
		g.Expect(fill(r, 9)).To(BeEmpty(), "the first one is at work again")
		time.Sleep(time.Hour)
		inside[1].Started()
		time.Sleep(stillFor)
		g.Expect(fill(r, 9)).To(HaveLen(2))
		time.Sleep(time.Hour)
		r.become(5)
		g.Expect(fill(r, 9)).To(BeEmpty(), "five pods are on the node")
	})
}

// On a slow node few pods are at work, until attempts are conclusive.
func TestRoomOfASlowNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(0, never)
		g.Expect(r.Started(2 * time.Second)).To(BeZero())
		g.Expect(r.Started(8 * time.Second)).To(Equal(int64(2)))
		inside := fill(r, 9)
		g.Expect(inside).To(HaveLen(2))
		inside[0].Started()
		time.Sleep(15 * time.Second)
		g.Expect(fill(r, 9)).To(BeEmpty(), "a start may take as long as until its next act")
		for range 4 {
			g.Expect(r.Judged(time.Now(), false)).To(BeZero())
		}
		g.Expect(fill(r, 9)).To(HaveLen(2))
		time.Sleep(time.Second)
		for range 3 {
			r.Judged(time.Now(), true)
		}
		g.Expect(r.Narrowed()).To(BeTrue())
		narrow := r.most
		time.Sleep(time.Second)
		for range leastGood {
			g.Expect(r.most).To(Equal(narrow))
			r.Judged(time.Now(), false)
		}
		g.Expect(r.most).To(Equal(2*narrow), "all attempts were conclusive")
		g.Expect(NewRoom(1, never).Started(8 * time.Second)).To(BeZero())
	})
}

// A trial that wants to be alone waits until no pod is at work, and the others wait for it.
func TestEnterAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(9, never)
		r.become(2)
		first := r.TryEnter(one)
		var alone *Occupant
		entered := make(chan error, 1)
		enter := func(ctx context.Context) {
			o, err := r.Enter(ctx, one, true)
			alone = o
			entered <- err
		}
		go enter(t.Context())
		synctest.Wait()
		g.Expect(r.TryEnter(one)).To(BeNil(), "another one waits to be alone")
		first.Started()
		g.Expect(<-entered).To(Succeed(), "the first one still runs, but is not at work")
		g.Expect(r.TryEnter(one)).To(BeNil(), "it is alone")
		alone.Leave()
		last := r.TryEnter(one)
		g.Expect(last).NotTo(BeNil())

		ctx, stop := context.WithCancelCause(t.Context())
		go enter(ctx)
		synctest.Wait()
		stop(errors.New("interrupted"))
		g.Expect(<-entered).To(MatchError("interrupted"))
		g.Expect(r.TryEnter(one)).NotTo(BeNil(), "nobody waits to be alone now")
	})
}

// The room of a busy node gets narrower while most attempts are futile. A few futile ones change nothing.
func TestRoomNarrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(0, never)
		inside := fill(r, 9)
		begun := time.Now()
		time.Sleep(time.Second)
		for range 3 {
			g.Expect(r.Judged(begun, false)).To(BeZero())
			g.Expect(r.Judged(begun, true)).To(BeZero())
		}
		g.Expect(r.Narrowed()).To(BeFalse(), "half of them were conclusive")
		g.Expect(r.Judged(begun, true)).To(Equal(int64(4)))
		g.Expect(r.Narrowed()).To(BeTrue())
		for range 4 {
			g.Expect(r.Judged(begun, true)).To(BeZero(), "it began before")
		}
		for i, o := range inside {
			g.Expect(r.TryEnter(one) != nil).To(Equal(i > 5), "%d have left", i)
			o.Leave()
		}
	})
}

// One pod that has a whole room is one pod at work. A bound that pods never come near bounds nothing.
func TestRoomAfterOneAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(0, never)
		r.become(8)
		_, err := r.Enter(t.Context(), one, true)
		g.Expect(err).NotTo(HaveOccurred())
		r.become(40)
		g.Expect(r.peak).To(Equal(int64(1)))
		for range leastGood {
			r.Judged(time.Now(), false)
		}
		g.Expect(r.Narrowed()).To(BeFalse())
	})
}

// A narrowed room is as wide as before within half a minute of idle time, whatever is inside.
func TestRoomWidensWhileTheNodeIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		idleAt := time.Now().Add(time.Minute)
		r := NewRoom(110, func() bool { return time.Now().After(idleAt) })
		r.become(9)
		waits := func() (entered int) {
			for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(LookEvery) {
				for r.TryEnter(one) != nil {
					entered++
				}
			}
			return entered
		}
		g.Expect(waits()).To(Equal(9), "busy, and its pods never end")
		time.Sleep(30 * time.Second)
		g.Expect(waits()).To(Equal(110 - 9))
		g.Expect(r.Narrowed()).To(BeFalse())
	})
}
