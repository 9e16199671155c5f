package timeline

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/mark"
)

func TestNoiseOfStalls(t *testing.T) {
	n := Noise{Stalls: []Stall{{From: at(1000), To: at(1300)}, {From: at(5000), To: at(5100)}}}
	for name, c := range map[string]struct{ from, to, want int64 }{
		"before":           {0, 1000, 0},
		"all of it":        {0, 2000, 300},
		"its end":          {1200, 2000, 100},
		"its beginning":    {900, 1100, 100},
		"inside":           {1100, 1150, 50},
		"between":          {1300, 5000, 0},
		"both":             {0, 9000, 400},
		"an instant":       {1100, 1100, 0},
		"the wrong way up": {2000, 0, 0},
	} {
		gomega.NewWithT(t).
			Expect(n.Between(at(c.from), at(c.to))).
			To(gomega.Equal(time.Duration(c.want)*time.Millisecond), name)
	}
}

// Pressure is known at its samples only: between two of them all of it may lie where it matters.
func TestNoiseOfPressure(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	n := Noise{Pressure: []Sample{
		{At: at(1000), CPUNS: ms(100), IONS: ms(50)},
		{At: at(2000), CPUNS: ms(400), IONS: ms(50)},
		{At: at(3000), CPUNS: ms(400), IONS: ms(750)},
	}}
	for name, c := range map[string]struct{ from, to, want int64 }{
		"one step":                           {1000, 2000, 300},
		"inside a step, all of it may count": {1200, 1900, 300},
		"inside a step, no more than fits":   {1400, 1500, 100},
		"the larger of the two, not the sum": {1000, 3000, 700},
		"over a sample":                      {1500, 2500, 700},
		"before the first sample":            {0, 900, 0},
		"into the first step":                {0, 1500, 300},
		"after the last sample":              {3500, 9000, 0},
		"over the end":                       {2500, 9000, 700},
		"everything":                         {0, 9000, 700},
	} {
		gomega.NewWithT(t).
			Expect(n.Between(at(c.from), at(c.to))).
			To(gomega.Equal(time.Duration(c.want)*time.Millisecond), name)
	}
}

func TestNoiseIsTheLargerOfStallAndPressure(t *testing.T) {
	n := Noise{
		Stalls:   []Stall{{From: at(100), To: at(500)}},
		Pressure: []Sample{{At: at(0)}, {At: at(1000), CPUNS: int64(300 * time.Millisecond)}},
	}
	gomega.NewWithT(t).Expect(n.Between(at(0), at(1000))).To(gomega.Equal(400 * time.Millisecond))
	gomega.NewWithT(t).Expect(n.Between(at(400), at(1000))).To(gomega.Equal(300 * time.Millisecond))
	gomega.NewWithT(t).Expect(Noise{}.Between(at(0), at(1000))).To(gomega.BeZero())
}

func TestNoiseFromRecords(t *testing.T) {
	var n Noise
	n.Add(mark.Record{At: at(1000), Kind: mark.Stall, Detail: mark.Detail{StallNS: int64(40 * time.Millisecond)}})
	n.Add(
		mark.Record{
			At:     at(1100),
			Kind:   mark.Pressure,
			Detail: mark.Detail{Pressure: &mark.PressureDetail{CPUNS: 7, IONS: 8}},
		},
	)
	n.Add(mark.Record{At: at(1200), Kind: mark.Pressure})
	n.Add(mark.Record{At: at(1300), Kind: mark.Started})
	gomega.NewWithT(t).Expect(n).To(gomega.Equal(Noise{
		Stalls:   []Stall{{From: at(960), To: at(1000)}},
		Pressure: []Sample{{At: at(1100), CPUNS: 7, IONS: 8}},
	}))
}

// Noise is never negative, never longer than the span, and never shrinks with a longer span.
func TestNoiseIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Noise
		now := at(0)
		for range rapid.IntRange(0, 5).Draw(t, "stalls") {
			from := now + rapid.Int64Range(0, 1e9).Draw(t, "pause")
			now = from + rapid.Int64Range(0, 1e9).Draw(t, "stall")
			n.Stalls = append(n.Stalls, Stall{From: from, To: now})
		}
		s := Sample{At: at(0)}
		for range rapid.IntRange(0, 8).Draw(t, "samples") {
			n.Pressure = append(n.Pressure, s)
			step := rapid.Int64Range(1, 1e9).Draw(t, "step")
			s.At += step
			s.CPUNS += rapid.Int64Range(0, step).Draw(t, "cpu")
			s.IONS += rapid.Int64Range(0, step).Draw(t, "io")
		}
		from := at(0) + rapid.Int64Range(-2e9, 8e9).Draw(t, "from")
		to := from + rapid.Int64Range(0, 8e9).Draw(t, "length")
		got := n.Between(from, to)
		if got < 0 || int64(got) > to-from {
			t.Fatalf("%v in a span of %v", got, time.Duration(to-from))
		}
		if wider := n.Between(from-1e9, to+1e9); wider < got {
			t.Fatalf("%v, but %v in a longer span", got, wider)
		}
	})
}
