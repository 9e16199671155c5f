package choice

import (
	"math"
	"math/bits"
)

// random is Bob Jenkins' small generator (burtleburtle.net/bob/rand/smallprng.html) with words of 64 bits. Seeds and
// the distribution of numbers are those of pgregory.net/rapid v1.3.0, so that a seed draws what it drew there.
type random struct{ a, b, c, d uint64 }

func newRandom(seed uint64) *random {
	r := &random{0xf1ea5eed, seed, seed, seed}
	for range 20 {
		r.next()
	}
	return r
}

func (r *random) next() uint64 {
	e := r.a - bits.RotateLeft64(r.b, 7)
	r.a = r.b ^ bits.RotateLeft64(r.c, 13)
	r.b = r.c + bits.RotateLeft64(r.d, 37)
	r.c = r.d + e
	r.d = e + r.a
	return r.d
}

// bits returns a number with at most n bits, n below 64.
func (r *random) bits(n int) uint64 { return r.next() & (1<<n - 1) }

// number returns a number from 0 to most. The number of its bits has a geometric distribution, so small numbers are
// more likely. If that distribution exceeds 64 bits by far, the number is most.
func (r *random) number(most uint64) uint64 {
	r.next() // rapid draws a sign
	width := bits.Len64(most)
	mean := max(8, (float64(width)+48)/7)
	part := float64(r.bits(53)) * 0x1p-53
	drawn := int(math.Log1p(-part)/math.Log1p(-1/(mean+1))) + 1
	switch {
	case drawn < width:
		width = drawn
	case drawn >= 4*int(mean):
		return most
	}
	for {
		if n := r.bits(width); n <= most {
			return n
		}
	}
}

// evenly returns a number from 0 to n-1. All are equally likely if n is a power of two.
func (r *random) evenly(n int) int {
	drawn := 0
	for m := 1; m < n; m *= 2 {
		drawn = 2*drawn + int(r.bits(1))
	}
	return drawn % n
}
