package suites

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// slowNode delays some steps of a kubelet and of its victims, and records what its recorder would.
type slowNode struct {
	t     *rapid.T
	spans []delay.Span
}

func (s *slowNode) late(at time.Duration) time.Duration {
	if rapid.IntRange(0, 5).Draw(s.t, "delayed") != 5 {
		return 0
	}
	ms := rapid.OneOf(rapid.IntRange(1, 1000), rapid.IntRange(1, 10_000), rapid.IntRange(1, 180_000)).Draw(s.t, "by ms")
	late := time.Duration(ms) * time.Millisecond
	s.spans = append(s.spans, delay.Span{From: zero + int64(at), To: zero + int64(at+late)})
	return late
}

// record returns the node's late ticks, none longer than a second, and its PSI.
func (s *slowNode) record() (r delay.Record) {
	slices.SortFunc(s.spans, func(a, b delay.Span) int { return int(a.From - b.From) })
	until := int64(0)
	for _, span := range s.spans {
		for from := max(span.From, until); from < span.To; from = until {
			until = min(span.To, from+int64(time.Second))
			r.LateTicks = append(r.LateTicks, delay.Span{From: from, To: until})
		}
	}
	sample, i := delay.Sample{At: zero - int64(time.Minute)}, 0
	const step = int64(250 * time.Millisecond)
	for ; sample.At < until+int64(time.Minute); sample.At += step {
		r.PSI = append(r.PSI, sample)
		for ; i < len(r.LateTicks) && r.LateTicks[i].To <= sample.At; i++ {
		}
		for _, tick := range r.LateTicks[i:] {
			if tick.From >= sample.At+step {
				break
			}
			sample.CPUNS += max(0, min(tick.To, sample.At+step)-max(tick.From, sample.At))
		}
	}
	return r
}

// No delay, however long, makes a correct kubelet deviate.
func TestDelayIsNoDeviation(t *testing.T) {
	for _, tr := range simulated(t) {
		t.Run(tr.ID, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				slow, k := &slowNode{t: t}, correct(anyNode(t))
				k.late = slow.late
				evidence := k.play(tr)
				delays := slow.record()
				r := judge.Judge(tr, timeline.Build(evidence, delays), delays, newest)
				if r.Verdict == trial.Deviates {
					t.Fatalf("%s\n%v", explained(r), slow.spans)
				}
			})
		})
	}
}

// Without delay no rule excuses a value outside its window, whatever is wrong.
func TestNoDelayIsNoExcuse(t *testing.T) {
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			for _, tr := range simulated(t) {
				t.Run(tr.ID, func(t *testing.T) {
					rapid.Check(t, func(t *rapid.T) {
						k := correct(anyNode(t))
						m.distort(&k)
						for _, f := range judged(k, tr).Findings {
							outside := f.Measured != nil && !f.Implemented.Contains(f.Measured.Value)
							if outside != (f.Measured != nil && f.Verdict == trial.Deviates) {
								t.Fatalf("%s %s: %s", f.Verdict, f.Claim, f.Why)
							}
						}
					})
				})
			}
		})
	}
}
