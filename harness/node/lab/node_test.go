package lab

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/pace"
	"github.com/podclock/podclock/harness/node/recording"
)

// quietNode is a node whose recorder answers at once and has no records. Tests add records with take.
func quietNode(t *testing.T) *node {
	n := newNode(Placement{Name: subjectName, Node: nodeName}, nodeName, pace.NewRoom(0, nil))
	n.reader = recording.NewReader(func(context.Context, recording.Position, time.Duration) (mark.Batch, error) {
		return mark.Batch{Epoch: "epoch", Clock: time.Now().UnixNano()}, nil
	}, recording.Sink{Records: n.take, Loss: n.takeLoss, Unread: n.takeUnread}, recording.Often)
	go n.reader.Follow(t.Context())
	return n
}

func pressure(at time.Time) []mark.Record {
	return []mark.Record{
		{At: at.UnixNano(), Kind: mark.PSISample, Detail: mark.Detail{PSI: &mark.PSIDetail{}}},
	}
}

// A delay shows only in the next pressure sample, so judging waits for that.
func TestDrainWaitsForTheNextPressureSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := quietNode(t)
		begun := time.Now()
		g.Expect(n.drain(t.Context())).To(Succeed(), "without pressure samples there is no delay")
		g.Expect(time.Since(begun)).To(BeNumerically("<", noticed+time.Second))

		n.take(pressure(time.Now()))
		time.Sleep(time.Millisecond)
		begun = time.Now()
		time.AfterFunc(3*time.Second, func() { n.take(pressure(time.Now())) })
		g.Expect(n.drain(t.Context())).To(Succeed())
		g.Expect(time.Since(begun)).To(Equal(3 * time.Second))

		time.Sleep(time.Millisecond)
		begun = time.Now()
		g.Expect(n.drain(t.Context())).
			To(MatchError(ContainSubstring("waiting for the next sample of the node's pressure")))
		g.Expect(time.Since(begun)).To(Equal(draining))
	})
}

// A pod is judged by the losses since its creation.
func TestEvidenceHoldsTheLossesSinceThePodsCreation(t *testing.T) {
	g := NewWithT(t)
	n := newNode(Placement{}, nodeName, pace.NewRoom(0, nil))
	n.takeLoss(recording.Loss{After: 10, Before: 20, Why: "early"})
	n.takeLoss(recording.Loss{After: 30, Before: 40, Why: "late"})
	losses := func(since int64) []delay.Loss {
		_, losses, _ := n.recorded(nil, since)
		return losses
	}
	g.Expect(losses(0)).To(HaveLen(2))
	g.Expect(losses(21)).To(Equal([]delay.Loss{{From: 30, To: 40, Why: "records lost: late"}}))
	g.Expect(losses(41)).To(BeEmpty())
}

// Unreadable marks on a victim's connection belong to its pod, those on any other connection to none.
func TestUnreadableMarksBelongToTheirConnection(t *testing.T) {
	g := NewWithT(t)
	n := newNode(Placement{}, nodeName, pace.NewRoom(0, nil))
	n.take([]mark.Record{
		{Conn: 1, Kind: mark.Connected, Identity: mark.Identity{UID: "victim"}},
		{Conn: 2, Kind: mark.Unreadable},
	})
	victim := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "victim"}}
	marks := func() []mark.Record {
		marks, _, _ := n.recorded([]runner.Deployed{{Pod: victim}}, 0)
		return marks[0]
	}
	g.Expect(marks()).To(HaveLen(1))
	n.take([]mark.Record{{Conn: 1, Kind: mark.Unreadable, Identity: mark.Identity{UID: "victim"}}})
	g.Expect(marks()).To(HaveLen(2))
}
