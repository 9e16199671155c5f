// Package chart draws rows of numbers as an SVG file: a stacked bar and a range of durations in each row. It knows
// nothing of what the numbers are.
package chart

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"strings"
	"time"

	"github.com/podclock/podclock/reports/drawing"
)

// Chart is a table of rows with the same scales.
type Chart struct {
	Title string
	// Bars and Ranges are the titles of the two columns.
	Bars, Ranges string
	// Parts names the parts of the bars, at most as many as there are colours.
	Parts []string
	// Before names the mark in a bar, Points the points of a range, ascending.
	Before string
	Points []string
	Rows   []Row
}

// Row is one row. A row without Parts has only its name and its Note.
type Row struct {
	Name string
	Note string
	// Parts are stacked. Before is marked in the bar, by its distance from 0.
	Parts  []float64
	Before float64
	Points []time.Duration
}

// colours are those of drawings.
var colours = []string{"life-edge", "hook", "good", "grace"}

// The layout in pixels.
const (
	width     = 1080
	nameWidth = 250
	barLeft   = nameWidth + 10
	barWidth  = 380
	rangeLeft = barLeft + barWidth + 60
	rangeFull = width - rangeLeft - 70
	rowHeight = 24
	top       = 92
)

// shortest begins the logarithmic scale of ranges. Shorter durations are drawn there.
const shortest = time.Millisecond

// SVG writes the chart as a file of its own, with light and dark colours.
func SVG(w io.Writer, c Chart) error {
	var b strings.Builder
	height := top + len(c.Rows)*rowHeight + 40
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" width="%[1]d" height="%[2]d" `+
		`viewBox="0 0 %[1]d %[2]d"><title>%[3]s</title><style>%[4]s.drawing .t{font-size:14px;font-weight:600}`+
		`svg.drawing{background:var(--drawing-paper)}.drawing .g{stroke:var(--drawing-grid);fill:none}`+
		`.drawing .s{fill:var(--drawing-muted)}.drawing .p{fill:var(--drawing-life-edge);stroke:none}`+
		`.drawing .b4{stroke:var(--drawing-ink);stroke-width:2}</style>`,
		width, height, html.EscapeString(c.Title), drawing.Style())
	b.WriteString(`<rect width="100%" height="100%" style="fill:var(--drawing-paper)"/>`)
	text := func(x, y int, class, s string) {
		fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, html.EscapeString(s))
	}
	text(10, 20, "t", c.Title)
	c.key(&b)
	text(barLeft, 70, "n", c.Bars)
	text(rangeLeft, 70, "n", c.Ranges)
	longest, slowest := c.extent()
	bar := func(v float64) float64 { return barLeft + v/longest*barWidth }
	at := func(d time.Duration) float64 {
		decades := func(d time.Duration) float64 { return math.Log10(float64(d) / float64(shortest)) }
		return rangeLeft + decades(max(d, shortest))/decades(slowest)*rangeFull
	}
	bottom := top + len(c.Rows)*rowHeight
	axis := func(x float64, label string) {
		fmt.Fprintf(&b, `<line class="g" x1="%.1[1]f" x2="%.1[1]f" y1="%[2]d" y2="%[3]d"/>`, x, top-8, bottom)
		fmt.Fprintf(&b, `<text class="mid s" x="%.1f" y="%d">%s</text>`, x, bottom+16, label)
	}
	step := nice(longest / 5)
	for v := 0.0; v <= longest+step/1e6; v += step {
		axis(bar(v), fmt.Sprintf("%.4g", v))
	}
	for d := shortest; d <= slowest; d *= 10 {
		axis(at(d), d.String())
	}
	for i, r := range c.Rows {
		y := top + i*rowHeight
		text(10, y+12, "", r.Name)
		if len(r.Parts) == 0 {
			text(barLeft, y+12, "s", r.Note)
			continue
		}
		sum := 0.0
		for j, v := range r.Parts {
			v = max(0, v)
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="14" style="fill:var(--drawing-%s)">`+
				`<title>%s: %s %.3f</title></rect>`, bar(sum), y, bar(v)-barLeft, colours[j%len(colours)],
				html.EscapeString(r.Name), html.EscapeString(c.Parts[j]), v)
			sum += v
		}
		fmt.Fprintf(&b, `<line class="b4" x1="%.1[1]f" x2="%.1[1]f" y1="%[2]d" y2="%[3]d">`+
			`<title>%[4]s %.3[5]f</title></line>`, bar(r.Before), y-2, y+16, html.EscapeString(c.Before), r.Before)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.2f</text>`, bar(max(sum, r.Before))+5, y+11, sum)
		if len(r.Points) == 0 {
			continue
		}
		last := r.Points[len(r.Points)-1]
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%[3]d" y2="%[3]d" style="stroke:var(--drawing-wait)"/>`,
			at(r.Points[0]), at(last), y+7)
		for j, d := range r.Points {
			fmt.Fprintf(&b, `<circle class="p" cx="%.1f" cy="%d" r="%.1f" fill-opacity="%.2f">`+
				`<title>%s %v</title></circle>`, at(d), y+7, 4.5-float64(j)*0.6, 1-float64(j)*0.2, html.EscapeString(c.Points[j]), d)
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.2f s</text>`, at(last)+8, y+11, last.Seconds())
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// key explains the colours of the parts, the mark and the points.
func (c Chart) key(b *strings.Builder) {
	x := 10
	for i, name := range c.Parts {
		fmt.Fprintf(b, `<rect x="%d" y="36" width="14" height="14" style="fill:var(--drawing-%s)"/>`+
			`<text x="%d" y="47">%s</text>`, x, colours[i%len(colours)], x+19, html.EscapeString(name))
		x += 34 + 7*len(name)
	}
	fmt.Fprintf(b, `<line class="b4" x1="%[1]d" x2="%[1]d" y1="34" y2="52"/>`, x+4)
	fmt.Fprintf(b, `<text x="%d" y="47">%s</text>`, x+12, html.EscapeString(c.Before))
	points := html.EscapeString(strings.Join(c.Points, ", "))
	fmt.Fprintf(b, `<text class="s" x="%d" y="47">points: %s</text>`, rangeLeft, points)
}

// extent returns the ends of both scales: of the bars, and of the ranges, a power of ten.
func (c Chart) extent() (longest float64, slowest time.Duration) {
	slowest = 10 * shortest
	for _, r := range c.Rows {
		sum := 0.0
		for _, v := range r.Parts {
			sum += max(0, v)
		}
		longest = max(longest, sum, r.Before)
		for _, d := range r.Points {
			for slowest < d {
				slowest *= 10
			}
		}
	}
	return cmp.Or(longest, 1), slowest
}

// nice returns the next of 1, 2 and 5 times a power of ten.
func nice(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v {
			return n * power
		}
	}
	return 10 * power
}
