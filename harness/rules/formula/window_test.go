package formula

import (
	"testing"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestWindowEnds(t *testing.T) {
	w := window(Nanoseconds, between("a", 10, 20), exactly("b", 5))
	for v, miss := range map[int64]int64{14: -1, 15: 0, 20: 0, 25: 0, 26: 1, 0: -15} {
		g := gomega.NewWithT(t)
		g.Expect(w.Miss(v)).To(gomega.Equal(miss), "%d", v)
		g.Expect(w.Contains(v)).To(gomega.Equal(miss == 0), "%d", v)
	}
}

// Contains, Miss and Margin agree.
func TestWindowViewsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Int64Range(-1e12, 1e12).Draw(t, "earliest")
		w := window(Nanoseconds, Term{Earliest: lo, Latest: lo + rapid.Int64Range(0, 1e12).Draw(t, "width")})
		v := rapid.OneOf(rapid.Int64Range(-2e12, 2e12), rapid.SampledFrom([]int64{
			w.Earliest - 1, w.Earliest, w.Latest, w.Latest + 1,
		})).
			Draw(t, "value")
		inside := w.Earliest <= v && v <= w.Latest
		if w.Contains(v) != inside || (w.Miss(v) == 0) != inside || (w.Margin(v) >= 0) != inside {
			t.Fatalf("%v and %d: contains %v, miss %d, margin %d", w, v, w.Contains(v), w.Miss(v), w.Margin(v))
		}
		if !inside && !w.Contains(v-w.Miss(v)) {
			t.Fatalf("%v and %d: without its miss of %d it should be inside", w, v, w.Miss(v))
		}
	})
}

// With does not change its window.
func TestWithCopiesTheWindow(t *testing.T) {
	g := gomega.NewWithT(t)
	w := window(Nanoseconds, exactly("a", 1))
	first, second := w.With(exactly("b", 2)), w.With(exactly("c", 3))
	g.Expect(w.Terms).To(gomega.HaveLen(1))
	g.Expect(first.Terms[1].Name).To(gomega.Equal("b"))
	g.Expect(second.Terms[1].Name).To(gomega.Equal("c"))
	g.Expect(second.Latest).To(gomega.Equal(int64(4)))
}

func TestWindowInWords(t *testing.T) {
	g := gomega.NewWithT(t)
	w := window(Nanoseconds, between("signal delivery", -1e8, 0), exactly("grace", 5e9))
	g.Expect(w.String()).To(gomega.Equal("[4.900 s, 5.000 s]"))
	g.Expect(w.Explain()).To(gomega.Equal("signal delivery -0.100 s to 0.000 s + grace 5.000 s"))
	g.Expect(count("SIGTERM", 1).String()).To(gomega.Equal("1"))
	g.Expect(window(ExitCode, Term{Earliest: 137, Latest: 137}).String()).To(gomega.Equal("137"))
}
