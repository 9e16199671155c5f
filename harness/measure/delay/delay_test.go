package delay

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// at returns the instant this many milliseconds after an arbitrary whole second.
func at(ms int64) int64 { return 1_700_000_000*int64(time.Second) + ms*int64(time.Millisecond) }

func TestTotalOfLateTicks(t *testing.T) {
	n := Record{LateTicks: []Span{{From: at(1000), To: at(1300)}, {From: at(5000), To: at(5100)}}}
	for name, c := range map[string]struct{ from, to, want int64 }{
		"before":               {0, 1000, 0},
		"all of one":           {0, 2000, 300},
		"its end":              {1200, 2000, 100},
		"its beginning":        {900, 1100, 100},
		"inside":               {1100, 1150, 50},
		"between":              {1300, 5000, 0},
		"both":                 {0, 9000, 400},
		"an instant":           {1100, 1100, 0},
		"end before beginning": {2000, 0, 0},
	} {
		gomega.NewWithT(t).Expect(n.Total(at(c.from), at(c.to))).
			To(gomega.Equal(time.Duration(c.want)*time.Millisecond), name)
	}
}

// All that waited between two samples may lie inside the span.
func TestTotalOfPSI(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	n := Record{PSI: []Sample{
		{At: at(1000), CPUNS: ms(100), IONS: ms(50)},
		{At: at(2000), CPUNS: ms(400), IONS: ms(50)},
		{At: at(3000), CPUNS: ms(400), IONS: ms(750)},
	}}
	for name, c := range map[string]struct{ from, to, want int64 }{
		"one step":                           {1000, 2000, 300},
		"inside a step, all of it may count": {1200, 1900, 300},
		"inside a step, no more than fits":   {1400, 1500, 100},
		"a core, then the disk":              {1000, 3000, 1000},
		"over a sample":                      {1500, 2500, 800},
		"before the first sample":            {0, 900, 0},
		"into the first step":                {0, 1500, 300},
		"after the last sample":              {3500, 9000, 0},
		"over the end":                       {2500, 9000, 500},
		"everything":                         {0, 9000, 1000},
	} {
		gomega.NewWithT(t).Expect(n.Total(at(c.from), at(c.to))).
			To(gomega.Equal(time.Duration(c.want)*time.Millisecond), name)
	}
	both := Record{PSI: []Sample{{At: at(0)}, {At: at(1000), CPUNS: ms(300), IONS: ms(400)}}}
	gomega.NewWithT(t).Expect(both.Total(at(0), at(1000))).
		To(gomega.Equal(400*time.Millisecond), "the larger of two that wait at the same time, not the sum")
}

func TestTotalIsTheLargerOfLateTicksAndPSI(t *testing.T) {
	n := Record{
		LateTicks: []Span{{From: at(100), To: at(500)}},
		PSI:       []Sample{{At: at(0)}, {At: at(1000), CPUNS: int64(300 * time.Millisecond)}},
	}
	gomega.NewWithT(t).Expect(n.Total(at(0), at(1000))).To(gomega.Equal(400 * time.Millisecond))
	gomega.NewWithT(t).Expect(n.Total(at(400), at(1000))).To(gomega.Equal(300 * time.Millisecond))
	gomega.NewWithT(t).Expect(Record{}.Total(at(0), at(1000))).To(gomega.BeZero())
}

// The delay is never negative, never longer than the span, and never less in a longer span.
func TestTotalIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Record
		now := at(0)
		for range rapid.IntRange(0, 5).Draw(t, "late ticks") {
			from := now + rapid.Int64Range(0, 1e9).Draw(t, "pause")
			now = from + rapid.Int64Range(0, 1e9).Draw(t, "late by")
			n.LateTicks = append(n.LateTicks, Span{From: from, To: now})
		}
		s := Sample{At: at(0)}
		for range rapid.IntRange(0, 8).Draw(t, "samples") {
			n.PSI = append(n.PSI, s)
			step := rapid.Int64Range(1, 1e9).Draw(t, "step")
			s.At += step
			s.CPUNS += rapid.Int64Range(0, step).Draw(t, "cpu")
			s.IONS += rapid.Int64Range(0, step).Draw(t, "io")
		}
		from := at(0) + rapid.Int64Range(-2e9, 8e9).Draw(t, "from")
		to := from + rapid.Int64Range(0, 8e9).Draw(t, "length")
		got := n.Total(from, to)
		if got < 0 || int64(got) > to-from {
			t.Fatalf("%v in a span of %v", got, time.Duration(to-from))
		}
		if wider := n.Total(from-1e9, to+1e9); wider < got {
			t.Fatalf("%v, but %v in a longer span", got, wider)
		}
	})
}

func TestWorkIsDelayedWhereTheNodeIsBusiest(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	// Some task waits for half of the first second, nine tenths of the second one, and none of the third.
	n := Record{
		PSI: []Sample{
			{At: at(0)},
			{At: at(1000), CPUNS: ms(500)},
			{At: at(2000), CPUNS: ms(1400)},
			{At: at(3000), CPUNS: ms(1400)},
		},
	}
	for name, c := range map[string]struct{ from, to, work, want int64 }{
		"no work":                        {0, 3000, 0, 0},
		"half of what the busiest holds": {0, 3000, 50, 450},
		"all that the busiest holds":     {0, 3000, 100, 900},
		"some of the next":               {0, 3000, 200, 1000},
		"all of both":                    {0, 3000, 600, 1400},
		"more than there is":             {0, 3000, 10000, 1400},
		"of the first second alone":      {0, 1000, 100, 100},
		"the idle second":                {2000, 3000, 500, 0},
		"a part, in which all may lie":   {500, 1000, 100, 500},
		"before the first sample":        {-1000, 0, 100, 0},
	} {
		gomega.NewWithT(t).Expect(n.OfWork(at(c.from), at(c.to), time.Duration(ms(c.work)))).
			To(gomega.Equal(time.Duration(ms(c.want))), name)
	}
}

func TestWorkStopsDuringLateTicksAndOutages(t *testing.T) {
	n := Record{
		PSI:        []Sample{{At: at(0)}, {At: at(4000), CPUNS: int64(2 * time.Second)}},
		LateTicks:  []Span{{From: at(1000), To: at(1500)}},
		Unanswered: []Outage{{Component: "kubelet", From: at(2000), To: at(2700)}},
	}
	gomega.NewWithT(t).Expect(n.OfWork(at(0), at(4000), 0)).To(gomega.Equal(1200 * time.Millisecond))
	gomega.NewWithT(t).Expect(n.OfWork(at(0), at(4000), 100*time.Millisecond)).To(gomega.Equal(1300 * time.Millisecond))
	gomega.NewWithT(t).Expect(n.OfWork(at(0), at(4000), time.Minute)).To(gomega.Equal(n.Total(at(0), at(4000))))
}

// The delay of work is at most the total delay, grows with the work, and is the total if the work fills the span.
func TestOfWorkIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, s := Record{}, Sample{At: at(0)}
		for range rapid.IntRange(0, 8).Draw(t, "samples") {
			n.PSI = append(n.PSI, s)
			step := rapid.Int64Range(1, 1e9).Draw(t, "step")
			s.At += step
			s.CPUNS += rapid.Int64Range(0, step).Draw(t, "cpu")
		}
		n.PSI = append(n.PSI, s)
		from := at(0) + rapid.Int64Range(-2e9, 8e9).Draw(t, "from")
		to := from + rapid.Int64Range(0, 8e9).Draw(t, "length")
		work := time.Duration(rapid.Int64Range(0, 8e9).Draw(t, "work"))
		all, got := n.Total(from, to), n.OfWork(from, to, work)
		if got < 0 || got > all {
			t.Fatalf("%v of %v", got, all)
		}
		if more := n.OfWork(from, to, work+time.Second); more < got {
			t.Fatalf("%v for %v, but %v for a second more", got, work, more)
		}
		whole, total := n.OfWork(at(0), s.At, time.Duration(s.At-at(0))), n.Total(at(0), s.At)
		if whole < total-time.Microsecond {
			t.Fatalf("%v of %v if the work fills the span", whole, total)
		}
	})
}

func TestOfTask(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	// Tasks wait for all of the first half second, for half of the next second, then again for all but 1 ms.
	n := Record{
		PSI: []Sample{
			{At: at(0)},
			{At: at(500), CPUNS: ms(500)},
			{At: at(1500), CPUNS: ms(1000)},
			{At: at(2250), CPUNS: ms(1750)},
			{At: at(2500), CPUNS: ms(1999)},
		},
	}
	for name, c := range map[string]struct{ from, to, work, want int64 }{
		"no work":               {0, 2500, 0, 500 + 750 + 249},
		"1 ms of work":          {0, 2500, 1, 500 + 999},
		"the first half second": {0, 1500, 1, 500 + 500},
		"all of it":             {0, 2500, 501, 1999},
		"less delay than work":  {600, 1400, 100, 500},
	} {
		gomega.NewWithT(t).Expect(n.OfTask(at(c.from), at(c.to), time.Duration(ms(c.work)))).
			To(gomega.Equal(time.Duration(ms(c.want))), name)
	}
	gomega.NewWithT(t).Expect(Record{LateTicks: []Span{{From: at(100), To: at(300)}}}.OfTask(at(0), at(1000), 0)).
		To(gomega.Equal(200 * time.Millisecond))
}

// A node is busy for 60 % of each second, and without a free core for two seconds.
func TestLikely(t *testing.T) {
	const ms = time.Millisecond
	n, s := Record{}, Sample{At: at(0)}
	for i := range 80 {
		n.PSI = append(n.PSI, s)
		s.At += int64(250 * ms)
		s.CPUNS += int64(150 * ms)
		if 40 <= i && i < 48 {
			s.CPUNS += int64(100 * ms)
		}
	}
	for name, c := range map[string]struct {
		from, to int64
		budget   time.Duration
		want     time.Duration
	}{
		"half of the budget":            {0, 5000, time.Second, 250 * ms},
		"a smaller budget":              {0, 5000, 400 * ms, 100 * ms},
		"no budget":                     {0, 5000, 0, 0},
		"no free core for a second":     {0, 15000, 100 * ms, 2*time.Second + 150*ms},
		"all that waited in the second": {9500, 10500, time.Second, 800 * ms},
	} {
		g := gomega.NewWithT(t)
		g.Expect(n.Likely(at(c.from), at(c.to), c.budget)).To(gomega.BeNumerically("~", c.want, ms), name)
		g.Expect(n.Likely(at(c.from), at(c.to), c.budget)).
			To(gomega.BeNumerically("<=", n.OfWork(at(c.from), at(c.to), c.budget)), name)
	}
	n.LateTicks = []Span{{From: at(1000), To: at(1300)}}
	gomega.NewWithT(t).Expect(n.Likely(at(0), at(5000), time.Second)).To(gomega.BeNumerically("~", 550*ms, ms))
}

// A pause lasts as long as its late ticks follow each other. What runs between them is part of the task.
func TestPauses(t *testing.T) {
	n := Record{LateTicks: []Span{
		{From: at(1000), To: at(1900)}, {From: at(1900), To: at(2800)}, {From: at(2900), To: at(3400)},
	}}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		got, want time.Duration
	}{
		"until its end":                  {n.PausedBefore(at(2800), ms), 1800 * ms},
		"until its middle":               {n.PausedBefore(at(2000), ms), 1000 * ms},
		"before a short run":             {n.PausedBefore(at(3400), ms), 500 * ms},
		"before a run as short as it is": {n.PausedBefore(at(3400), 101*ms), 2300 * ms},
		"long after":                     {n.PausedBefore(at(4000), 400*ms), 0},
		"from its middle":                {n.PausedAfter(at(1500), ms), 1300 * ms},
		"from before it":                 {n.PausedAfter(at(900), 101*ms), 1800 * ms},
		"the longest":                    {n.LongestPause(at(0), at(9000), ms), 1800 * ms},
		"the longest until an instant":   {n.LongestPause(at(0), at(1500), ms), 500 * ms},
		"none":                           {n.LongestPause(at(5000), at(9000), ms), 0},
	} {
		gomega.NewWithT(t).Expect(c.got).To(gomega.BeNumerically("~", c.want, 2*ms), name)
	}
}
