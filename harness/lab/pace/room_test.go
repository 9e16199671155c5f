package pace

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/trial"
)

var one, three = trial.Trial{}, trial.Trial{Companions: make([]*corev1.Pod, 2)}

// A trial with more pods than fit gets the room alone.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(2)
		leave, err := r.Enter(t.Context(), one, false)
		g.Expect(err).NotTo(HaveOccurred())
		_, entered := r.TryEnter(three, false)
		g.Expect(entered).To(BeFalse())
		begun := time.Now()
		time.AfterFunc(time.Second, leave)
		leave, err = r.Enter(t.Context(), three, false)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(time.Since(begun)).To(Equal(time.Second))
		_, entered = r.TryEnter(one, false)
		g.Expect(entered).To(BeFalse(), "it is alone")
		leave()
		_, entered = r.TryEnter(one, false)
		g.Expect(entered).To(BeTrue())
	})
}

// On a slow node few pods run, until attempts are conclusive.
func TestRoomOfASlowNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(0)
		g.Expect(r.Started(2 * time.Second)).To(BeZero())
		g.Expect(r.Started(8 * time.Second)).To(Equal(int64(2)))
		enter := func(pods int) {
			for i := range pods + 1 {
				_, entered := r.TryEnter(one, false)
				g.Expect(entered).To(Equal(i < pods), "pod %d", i)
			}
		}
		enter(2)
		time.Sleep(time.Second)
		for range 4 {
			g.Expect(r.Judged(time.Now(), false)).To(BeZero())
		}
		enter(2)
		time.Sleep(time.Second)
		for range 3 {
			r.Judged(time.Now(), true)
		}
		g.Expect(r.Narrowed()).To(BeTrue())
		time.Sleep(time.Second)
		for range 9 {
			r.Judged(time.Now(), false)
		}
		r.leave(3)
		enter(1)
		g.Expect(NewRoom(1).Started(8 * time.Second)).To(BeZero())
	})
}

// A trial that wants the room alone waits until it is empty, and the others wait for it.
func TestEnterAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(2)
		first, entered := r.TryEnter(one, false)
		g.Expect(entered).To(BeTrue())
		var alone func()
		go func() {
			var err error
			alone, err = r.Enter(t.Context(), one, true)
			g.Expect(err).NotTo(HaveOccurred())
		}()
		synctest.Wait()
		_, entered = r.TryEnter(one, false)
		g.Expect(entered).To(BeFalse(), "another one waits to be alone")
		first()
		synctest.Wait()
		g.Expect(alone).NotTo(BeNil())
		_, entered = r.TryEnter(one, false)
		g.Expect(entered).To(BeFalse(), "the room is full")
		alone()
		last, entered := r.TryEnter(one, false)
		g.Expect(entered).To(BeTrue())

		ctx, stop := context.WithCancelCause(t.Context())
		entering := make(chan error)
		go func() {
			_, err := r.Enter(ctx, one, true)
			entering <- err
		}()
		synctest.Wait()
		go func() {
			_, err := r.Enter(t.Context(), one, false)
			entering <- err
		}()
		synctest.Wait()
		stop(errors.New("interrupted"))
		g.Expect(<-entering).To(MatchError("interrupted"))
		g.Expect(<-entering).To(Succeed(), "nobody waits to be alone now")
		last()
	})
}

// The room of a busy node gets narrower until attempts are conclusive. A few futile attempts change nothing.
func TestRoomNarrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := NewRoom(0)
		var leave []func()
		for range 9 {
			l, entered := r.TryEnter(one, false)
			g.Expect(entered).To(BeTrue())
			leave = append(leave, l)
		}
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
		for i, l := range leave {
			_, entered := r.TryEnter(one, false)
			g.Expect(entered).To(Equal(i > 5), "%d have left", i)
			l()
		}
	})
}
