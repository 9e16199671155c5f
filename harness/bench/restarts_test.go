package bench

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/rules/formula"
)

const ms, s = time.Millisecond, time.Second

// lives are the lives of a container that dies at once. Each starts so long after the death before it.
func lives(starts ...time.Duration) (all []formula.Life) {
	at := s
	for _, after := range append([]time.Duration{0}, starts...) {
		at += after
		all = append(all, formula.Life{Started: at, Gone: at + ms})
		at += ms
	}
	return all
}

func TestRestarts(t *testing.T) {
	k := formula.Kubelet{Version: "v1.37.2"} // waits for 0, 10, 20 s and so on
	for name, c := range map[string]struct {
		pods     [][]formula.Life
		from, to time.Duration
		want     RestartResult
	}{
		"in time": {
			[][]formula.Life{lives(500*ms, 10*s+250*ms)}, 0, 20 * s,
			RestartResult{Done: 2, PerSecond: 0.1, Lateness: Quantiles{2, 250 * ms, 500 * ms, 500 * ms, 500 * ms}},
		},
		"late": {
			[][]formula.Life{lives(500*ms, 40*s)}, 2 * s, 50 * s,
			RestartResult{Done: 1, PerSecond: 1.0 / 48, Late: 1,
				Lateness: Quantiles{1, 30 * s, 30 * s, 30 * s, 30 * s}},
		},
		"early": {
			[][]formula.Life{lives(500*ms, 9*s)}, 2 * s, 12 * s,
			RestartResult{Done: 1, PerSecond: 0.1, Lateness: Quantiles{1, -s, -s, -s, -s}, Early: 1},
		},
		"it may still come": {[][]formula.Life{lives(500 * ms)}, 2 * s, 12 * s, RestartResult{}},
		"overdue at the end": {
			[][]formula.Life{lives(500 * ms)}, 2 * s, 101*s + 502*ms,
			RestartResult{Lateness: Quantiles{1, 90 * s, 90 * s, 90 * s, 90 * s}, Late: 1, Overdue: 1},
		},
		"before and after":     {[][]formula.Life{lives(500*ms, 10*s)}, 2 * s, 3 * s, RestartResult{}},
		"a pod without a mark": {[][]formula.Life{nil}, 0, s, RestartResult{}},
		"a life without a mark of its start": {
			[][]formula.Life{{{Started: s, Gone: s + ms}, {Gone: 2 * s}}}, 0, 10 * s, RestartResult{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(restartsOf(c.pods, k, c.from, c.to)).To(Equal(c.want))
		})
	}
}

// A node's maximum is the series' first value as well.
func TestRestartsWithAMaximum(t *testing.T) {
	k := formula.Kubelet{Version: "v1.37.2", MaxContainerRestartPeriod: s}
	got := restartsOf([][]formula.Life{lives(500*ms, 1500*ms, 2*s)}, k, 0, 6*s)
	NewWithT(t).Expect(got.Lateness).To(Equal(Quantiles{3, 500 * ms, s, s, s}))
	NewWithT(t).Expect(got.Late + got.Early).To(BeZero())
}

// Only the main process' start and death count.
func TestLives(t *testing.T) {
	record := func(kind mark.Kind, role mark.Role, life int, at time.Duration) mark.Record {
		return mark.Record{Kind: kind, Identity: mark.Identity{Role: role}, Life: life, At: 1000 + int64(at)}
	}
	NewWithT(t).Expect(livesOf([]mark.Record{
		record(mark.Started, mark.Run, 1, 1), record(mark.Gone, mark.Probe, 1, 2), record(mark.Gone, mark.Run, 1, 3),
		record(mark.Started, mark.Run, 3, 7), record(mark.Gone, mark.Run, 0, 9),
	}, 1000)).To(Equal([]formula.Life{{Started: 1, Gone: 3}, {}, {Started: 7}}))
}
