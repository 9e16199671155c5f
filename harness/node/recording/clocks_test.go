package recording

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestClocksMeetInTheRoundTrip(t *testing.T) {
	g := NewWithT(t)
	var c clocks
	asked := time.Now()
	// The recorder's clock reads 1,000,000 ns somewhere within a round trip of 4 ms.
	c.learn(asked, asked.Add(4*time.Millisecond), 1_000_000)
	place, known := c.place(asked.Add(4 * time.Millisecond))
	g.Expect(known).To(BeTrue())
	g.Expect(place.At).To(BeEquivalentTo(1_000_000 + 2_000_000))
	g.Expect(place.Error).To(Equal(2*time.Millisecond + 2*time.Microsecond)) // 500 ppm of the round trip
}

func TestShortRoundTripsReduceTheErrorAndTimeEnlargesIt(t *testing.T) {
	g := NewWithT(t)
	var c clocks
	start := time.Now()
	c.learn(start, start.Add(10*time.Millisecond), 0)
	rough, _ := c.place(start)
	c.learn(start.Add(20*time.Millisecond), start.Add(21*time.Millisecond), int64(16*time.Millisecond))
	sharp, _ := c.place(start)
	g.Expect(sharp.Error).To(BeNumerically("<", rough.Error))
	later, _ := c.place(start.Add(10 * time.Second))
	g.Expect(later.Error - sharp.Error).To(BeNumerically("~", 5*time.Millisecond, 100*time.Microsecond))
}

func TestAJumpOfTheClockReplacesTheBounds(t *testing.T) {
	g := NewWithT(t)
	var c clocks
	start := time.Now()
	c.learn(start, start.Add(time.Millisecond), 0)
	jumped := start.Add(5 * time.Second)
	c.learn(jumped, jumped.Add(time.Millisecond), int64(time.Hour))
	place, _ := c.place(jumped)
	g.Expect(place.At).To(BeNumerically("~", int64(time.Hour), int64(time.Millisecond)))
}

// The true clock is inside the error, for any round trips and any drift within the bound.
func TestTheTrueClockIsInsideTheError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c clocks
		start := time.Now()
		offset := rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "offset")
		rate := rapid.Float64Range(-drift, drift).Draw(t, "drift")
		recorder := func(elapsed time.Duration) int64 { return offset + int64(elapsed) + int64(rate*float64(elapsed)) }
		elapsed := time.Duration(0)
		var instants []time.Duration
		for range rapid.IntRange(1, 30).Draw(t, "round trips") {
			asked := elapsed + time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "pause"))
			there := time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "there"))
			back := time.Duration(rapid.Int64Range(0, int64(10*time.Millisecond)).Draw(t, "back"))
			elapsed = asked + there + back
			c.learn(start.Add(asked), start.Add(elapsed), recorder(asked+there))
			instants = append(instants, asked, elapsed, elapsed+time.Second)
		}
		for _, instant := range instants {
			place, known := c.place(start.Add(instant))
			off := time.Duration(recorder(instant) - place.At).Abs()
			if !known || off > place.Error+10*time.Nanosecond {
				t.Fatalf("at %s the clock is off by %s, more than the error of %s", instant, off, place.Error)
			}
		}
	})
}

// Each answer widens the last bound. Without rounding up, many short intervals would lose the whole drift.
func TestShortIntervalsKeepTheDrift(t *testing.T) {
	g := NewWithT(t)
	var c clocks
	start := time.Now()
	c.learn(start, start, 0)
	elapsed := time.Duration(0)
	for range 100 {
		elapsed += 1999 * time.Nanosecond // 0.9995 ns of drift
		c.learn(start, start.Add(elapsed), int64(elapsed)/2)
	}
	place, _ := c.place(start.Add(elapsed))
	recorder := int64(elapsed) + int64(drift*float64(elapsed))
	g.Expect(time.Duration(recorder - place.At).Abs()).To(BeNumerically("<=", place.Error))
}

func TestMemoryOfBoundsIsBounded(t *testing.T) {
	g := NewWithT(t)
	var c clocks
	start := time.Now()
	for i := range 3 * remembered {
		at := start.Add(time.Duration(i) * 2 * time.Second)
		c.learn(at, at, int64(i)*int64(2*time.Second))
	}
	g.Expect(len(c.bounds)).To(BeNumerically("<=", remembered))
	last := time.Duration(3*remembered-1) * 2 * time.Second
	place, _ := c.place(start.Add(last))
	g.Expect(place.At).To(BeEquivalentTo(last))
}
