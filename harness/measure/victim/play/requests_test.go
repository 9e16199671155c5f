package play

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

func TestOnlyTheEdgesOfRequestsAreMarked(t *testing.T) {
	inBubble(t, func(r *rig) {
		requests := &requests{recorder: r}
		call := func(n int, every time.Duration) {
			for range n {
				requests.arrived(time.Now())
				time.Sleep(every)
			}
		}
		call(100, 5*time.Millisecond)
		call(3, victim.RequestPause-time.Millisecond) // almost a pause
		time.Sleep(time.Second)
		r.Expect(r.marks).To(Equal([]string{"0s requested", "698ms last-request"}))

		time.Sleep(time.Until(r.start.Add(3 * time.Second)))
		call(2, 5*time.Millisecond)
		time.Sleep(time.Second)
		r.Expect(r.marks[2:]).To(Equal([]string{"3s requested", "3.005s last-request"}))
	})
}
