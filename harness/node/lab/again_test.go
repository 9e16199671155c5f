package lab

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
	"github.com/podclock/podclock/harness/rules/formula"
)

// press adds samples of a node's pressure until the test ends. In the spans, some task waits for a core all the time.
func (l *Lab) press(t *testing.T, busy ...[2]time.Duration) {
	begun, waited := time.Now(), int64(0)
	go func() {
		for pace.SleepUntil(t.Context(), time.Now().Add(pace.LookEvery)) == nil {
			for _, span := range busy {
				if at := time.Since(begun); span[0] < at && at <= span[1]+pace.LookEvery {
					waited += int64(pace.LookEvery)
				}
			}
			for _, n := range l.nodes {
				n.take([]mark.Record{{
					At: n.now(), Kind: mark.PSISample, Detail: mark.Detail{PSI: &mark.PSIDetail{CPUNS: waited}},
				}})
			}
		}
	}()
}

// An attempt ends as soon as a delayed value makes it inconclusive, not after its last claim.
func TestADoomedAttemptBeginsAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(pod string) behaviour {
			if strings.HasSuffix(pod, "-1") {
				return behaviour{starts: 2 * time.Second}
			}
			return behaviour{}
		}
		l := w.open(t, nil)
		tr := deletion("doomed", 100, "second")
		tr.Claims = append(tr.Claims, trial.Claim{
			Measure: trial.Between(trial.Started, trial.Started.Of("second")),
			Formula: formula.Formula{ID: "test/start", Implemented: func(formula.Input) formula.Window {
				return formula.Window{Unit: formula.Nanoseconds, Latest: int64(time.Second)}
			}},
		})
		begun := time.Now()
		l.press(t, [2]time.Duration{0, 5 * time.Second})
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(2))
		first := o.Attempts[0]
		g.Expect(first.Took).To(BeNumerically("<", 15*time.Second))
		g.Expect(first.Evidence.Cut).To(ContainSubstring("which can't help any more: start-to-second-start: "))
		g.Expect(time.Since(begun)).To(BeNumerically("<", tr.Lasts*13/10))
	})
}

// The second attempt of a long trial begins beside the first one if the node is busy then.
func TestALongTrialBeginsTwiceOnABusyNode(t *testing.T) {
	for name, c := range map[string]struct {
		busyAtBegin, distorted bool
		created, attempts      int
	}{
		"and the first attempt is distorted at its end": {true, true, 2, 2},
		"and the first attempt is good":                 {true, false, 2, 1},
		"but not on an idle one":                        {false, false, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				w.behaviour = func(pod string) behaviour {
					if c.distorted && strings.HasSuffix(pod, "-1") {
						return behaviour{dies: 101 * time.Second}
					}
					return behaviour{}
				}
				l := w.open(t, nil)
				tr := deletion("long", 100)
				busy := [][2]time.Duration{{95 * time.Second, 106 * time.Second}}
				if c.busyAtBegin {
					busy = append(busy, [2]time.Duration{0, 4 * time.Second})
				}
				l.press(t, busy...)
				time.Sleep(3 * time.Second) // the pressure is that of the last seconds
				begun := time.Now()
				start(l, tr)
				o := await(t, l, tr)
				g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
				g.Expect(o.Attempts).To(HaveLen(c.attempts))
				g.Expect(w.created).To(HaveLen(c.created))
				if c.attempts == 2 {
					g.Expect(o.Attempts[0].Result.Verdict).To(Equal(trial.Inconclusive))
				}
				g.Expect(time.Since(begun)).To(BeNumerically("<=", tr.Lasts*13/10))
				synctest.Wait()
				w.api.mu.Lock()
				defer w.api.mu.Unlock()
				g.Expect(w.api.pods).To(HaveLen(1), "only the recorder is left")
			})
		})
	}
}
