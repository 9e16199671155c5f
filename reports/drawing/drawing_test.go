package drawing

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// anything generates drawings of any shape, with much of their content beyond their edges.
func anything(t *rapid.T) Drawing {
	times := rapid.Custom(
		func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64Range(-1e10, 3e10).Draw(t, "at")) },
	)
	bars, marks := make([]BarKind, len(barLooks)), make([]MarkKind, len(markLooks))
	for i, l := range barLooks {
		bars[i] = l.kind
	}
	for i, l := range markLooks {
		marks[i] = l.kind
	}
	row := rapid.Custom(func(t *rapid.T) Row {
		return Row{
			Name: rapid.String().Draw(t, "name"),
			Bars: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Bar {
				from := times.Draw(t, "from")
				return Bar{
					From:        from,
					To:          from + time.Duration(rapid.Int64Range(0, 2e10).Draw(t, "lasts")),
					Kind:        rapid.SampledFrom(bars).Draw(t, "kind"),
					Description: rapid.String().Draw(t, "says"),
					Open:        rapid.Bool().Draw(t, "open"),
				}
			}), 0, 6).Draw(t, "bars"),
			Marks: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Mark {
				return Mark{
					At:          times.Draw(t, "at"),
					Kind:        rapid.SampledFrom(marks).Draw(t, "kind"),
					Description: rapid.String().Draw(t, "says"),
				}
			}), 0, 40).Draw(t, "marks"),
			Windows: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Window {
				w := Window{
					Since: times.Draw(
						t,
						"since",
					),
					Earliest: times.Draw(t, "earliest"),
					Of:       rapid.SampledFrom([]Oracle{Implemented, Documented}).Draw(t, "of"),
					Description: rapid.String().
						Draw(t, "says"),
					Verdict: rapid.SampledFrom([]string{"", "conforms", "deviates"}).Draw(t, "verdict"),
				}
				w.Latest = w.Earliest + time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "wide"))
				if rapid.Bool().Draw(t, "is measured") {
					w.Measured = at(times.Draw(t, "measured"))
				}
				return w
			}), 0, 8).Draw(t, "windows"),
		}
	})
	from := times.Draw(t, "from")
	return Drawing{
		Title: rapid.String().
			Draw(t, "title"),
		Zero: rapid.String().Draw(t, "zero"),
		From: from,
		To:   from + time.Duration(rapid.Int64Range(0, 4e10).Draw(t, "span")),
		Rows: rapid.SliceOfN(row, 0, 4).Draw(t, "rows"),
	}
}

func TestEveryDrawingIsWellFormedAndInsideItsPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, d := NewWithT(t), anything(t)
		var b, again bytes.Buffer
		g.Expect(SVG(&b, d)).To(Succeed())
		g.Expect(wellFormed(b.Bytes())).To(Succeed())
		g.Expect(SVG(&again, d)).To(Succeed())
		g.Expect(again.String()).To(Equal(b.String()))
		g.Expect(b.String()).NotTo(MatchRegexp(` (x|x1|x2|width|height|y)="(-|N|\+)`))
		b.Reset()
		g.Expect(Standalone(&b, d, 640)).To(Succeed())
		g.Expect(wellFormed(b.Bytes())).To(Succeed())
	})
}

func TestTextKeepsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, d, columns := NewWithT(t), anything(t), rapid.IntRange(0, 200).Draw(t, "columns")
		d.Title = "" // the reader shortens the title
		var b bytes.Buffer
		g.Expect(Text(&b, d, columns)).To(Succeed())
		for line := range strings.Lines(b.String()) {
			g.Expect(utf8.RuneCountInString(strings.TrimRight(line, "\n"))).
				To(BeNumerically("<=", max(columns, leastColumns)), line)
		}
	})
}

func TestBarsOfALaneDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, d := NewWithT(t), anything(t)
		for _, r := range d.Rows {
			bars := 0
			for _, l := range r.barLanes() {
				bars += len(l)
				for i, a := range l {
					for _, b := range l[i+1:] {
						g.Expect(a.From < b.To && b.From < a.To).To(BeFalse(), "%v and %v", a, b)
					}
				}
			}
			g.Expect(bars).To(Equal(len(r.Bars)))
		}
	})
}

func TestNamesOfMarksFindRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, d := NewWithT(t), anything(t)
		p := picture{scale: d.scale()}
		for _, r := range d.Rows {
			labels := p.labelsOf(r.marksOf(process))
			for i, a := range labels {
				for _, b := range labels[i+1:] {
					g.Expect(a.overlaps(b, wide)).To(BeFalse(), "%v and %v on a wide screen", a, b)
					if !a.onWide && !b.onWide {
						g.Expect(a.overlaps(b, narrow)).To(BeFalse(), "%v and %v on a narrow screen", a, b)
					}
				}
			}
		}
	})
}

func TestManyMarksAreThinnedAndNoneIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewWithT(t)
		n := rapid.IntRange(0, 2000).Draw(t, "marks")
		d := Drawing{To: time.Duration(rapid.Int64Range(1, 1e12).Draw(t, "span"))}
		var marks []Mark
		for i := range n {
			marks = append(
				marks,
				Mark{At: d.To * time.Duration(i) / time.Duration(n), Kind: markLooks[i%len(markLooks)].kind},
			)
		}
		all, near := d.scale().thin(marks)
		g.Expect(len(all)).To(BeNumerically("<=", mostMarks))
		count := 0
		for _, c := range all {
			count += len(c)
			g.Expect(c[len(c)-1].At - c[0].At).To(BeNumerically("<=", near))
		}
		g.Expect(count).To(Equal(n))
	})
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 4 * time.Millisecond, "0 ms, 1 ms, 2 ms, 3 ms, 4 ms"},
		{0, 2 * s, "0.0 s, 0.5 s, 1.0 s, 1.5 s, 2.0 s"},
		{-4 * s, 12 * s, "0 s, 5 s, 10 s"},
		{-4 * s, 40 * s, "0 s, 10 s, 20 s, 30 s, 40 s"},
		{10 * s, 150 * s, "30 s, 60 s, 90 s, 120 s, 150 s"},
		{0, 5 * time.Minute, "0 min, 1 min, 2 min, 3 min, 4 min, 5 min"},
		{0, 26 * time.Hour, "0 h, 6 h, 12 h, 18 h, 24 h"},
		{0, 1000 * time.Hour, "0 h, 384 h, 768 h"},
		{-90 * s, -30 * s, "-90 s, -75 s, -60 s, -45 s, -30 s"},
	} {
		t.Run(fmt.Sprintf("%v to %v", c.from, c.to), func(t *testing.T) {
			ticks, step := Drawing{From: c.from, To: c.to}.scale().ticks(5)
			var labels []string
			for _, tick := range ticks {
				labels = append(labels, tickLabel(tick, step))
			}
			NewWithT(t).Expect(strings.Join(labels, ", ")).To(Equal(c.want))
		})
	}
}

func TestTicksBetweenTicks(t *testing.T) {
	for _, c := range []struct {
		span, coarse time.Duration
		want         string
	}{
		{16 * s, 5 * s, ""},
		{12 * s, 5 * s, "1 s, 2 s, 3 s, 4 s, 6 s, 7 s, 8 s, 9 s, 11 s, 12 s"},
		{44 * s, 10 * s, "5 s, 15 s, 25 s, 35 s"},
		{2 * s, 500 * time.Millisecond, ""},
		{time.Second, 500 * time.Millisecond, "0.1 s, 0.2 s, 0.3 s, 0.4 s, 0.6 s, 0.7 s, 0.8 s, 0.9 s"},
		{3 * time.Minute, time.Minute, ""},
		{10 * time.Minute, 2 * time.Minute, "1 min, 3 min, 5 min, 7 min, 9 min"},
	} {
		t.Run(c.span.String(), func(t *testing.T) {
			g := NewWithT(t)
			ticks, fine := Drawing{To: c.span}.scale().between(c.coarse, 12)
			var labels []string
			for _, tick := range ticks {
				g.Expect(tick%c.coarse).NotTo(BeZero(), "it is a tick already")
				labels = append(labels, tickLabel(tick, fine))
			}
			g.Expect(strings.Join(labels, ", ")).To(Equal(c.want))
		})
	}
}

func TestStyleAndShapesFitEachOther(t *testing.T) {
	g := NewWithT(t)
	for _, l := range markLooks {
		g.Expect(Shapes()).To(ContainSubstring(`id="d-`+l.shape+`"`), string(l.kind))
	}
	for _, l := range barLooks {
		g.Expect(Style()).To(ContainSubstring(".drawing ."+l.class+" {"), string(l.kind))
	}
	for _, part := range strings.Split(Style(), "url(#")[1:] {
		id, _, _ := strings.Cut(part, ")")
		g.Expect(Shapes()).To(ContainSubstring(`id="` + id + `"`))
	}
	for _, part := range strings.Split(Shapes()+Style(), "var(")[1:] {
		name, _, _ := strings.Cut(part, ")")
		g.Expect(strings.Count(Style(), name+":")).
			To(Equal(4), "%s: light, dark by the system, dark by choice, print", name)
	}
	g.Expect(strings.Count(Key(), "<li>")).To(Equal(len(barLooks) + len(markLooks) + 3 + len(signs)))
}
