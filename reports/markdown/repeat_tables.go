package markdown

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/repeats"
	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// mostClosest is how many claims are listed at each end of the windows.
const mostClosest = 30

// atTheEdge is the part of its window within which a value is close to an end.
const atTheEdge = 0.10

// closest are the claims that come closest to the ends of what the code computes, by the part of the window
// that was left.
func (d *Document) closest(r repeats.Repeat) {
	d.Line("\n## Closest to the latest moment that the code allows\n")
	d.Line("%s\n", howToRead)
	d.ends(r, func(s repeats.WindowSpread) *repeats.Nearest { return &s.Late })
	d.Line("\n## Closest to the earliest moment that the code allows\n")
	d.Line(
		"A timer never fires early, so where a window begins with one, many values lie close to its beginning by nature. Windows that begin with their cause are "+
			"not listed: nothing comes sooner. All claims are in [%s](%s).\n",
		repeats.RepeatClaimsFile,
		repeats.RepeatClaimsFile,
	)
	d.ends(r, func(s repeats.WindowSpread) *repeats.Nearest { return s.Early })
}

const howToRead = "What is left is the smallest distance to that end in any repeat. The bar is the window, `-` from the least to the greatest value in it, " +
	"`=` the middle half, `#` the median, `<` and `>` what lies outside."

// ends is the table of one end of the windows.
func (d *Document) ends(r repeats.Repeat, end func(repeats.WindowSpread) *repeats.Nearest) {
	var claims []repeats.ClaimSpread
	near := 0
	for _, c := range r.Claims {
		if c.Implemented == nil || end(*c.Implemented) == nil {
			continue
		}
		claims = append(claims, c)
		if end(*c.Implemented).Share < atTheEdge {
			near++
		}
	}
	if len(claims) == 0 {
		d.Line("None was measured.")
		return
	}
	slices.SortStableFunc(
		claims,
		func(a, b repeats.ClaimSpread) int {
			return cmp.Compare(end(*a.Implemented).Share, end(*b.Implemented).Share)
		},
	)
	d.Line(
		"%s, %d of them with a value within %.0f %% of this end.\n",
		run.Plural(len(claims), "claim"),
		near,
		100*atTheEdge,
	)
	t := view.MarkdownTable(
		"left",
		"of the window",
		"claim",
		"in the window",
		"median",
		"least to greatest",
		"repeats",
		"closest in",
	)
	for _, c := range claims[:min(len(claims), mostClosest)] {
		n := end(*c.Implemented)
		t.AppendRow(view.TableRow([]string{
			inMilliseconds(n.Margin), fmt.Sprintf("%.1f %%", 100*n.Share), name(c, r), Bar(c.Implemented.Position),
			view.FormatValue(c.Unit, c.Measured.Median), extent(c), fmt.Sprint(c.Repeats), n.Round + " " + n.Subject,
		}))
	}
	d.Line("%s", t.RenderMarkdown())
}

// extent is from the least to the greatest measured time.
func extent(c repeats.ClaimSpread) string {
	return view.FormatNumber(c.Unit, c.Measured.Min) + " to " + view.FormatValue(c.Unit, c.Measured.Max)
}

// inMilliseconds writes a distance; to the microsecond where it is next to nothing.
func inMilliseconds(ns int64) string {
	ms := time.Duration(ns).Seconds() * 1000
	if math.Abs(ms) < 10 {
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// barWidth is how many characters a window has in a bar.
const barWidth = 24

// Bar draws a distribution of positions inside a window: "`[..--==#=-...]`".
func Bar(p series.Quartiles[float64]) string {
	cells := []byte(strings.Repeat(".", barWidth))
	draw := func(from, to float64, with byte) {
		if to < 0 || from > 1 {
			return
		}
		for i := cell(from); i <= cell(to); i++ {
			cells[i] = with
		}
	}
	draw(p.Min, p.Max, '-')
	draw(p.Q1, p.Q3, '=')
	draw(p.Median, p.Median, '#')
	left, right := "[", "]"
	if p.Min < 0 {
		left = "<"
	}
	if p.Max > 1 {
		right = ">"
	}
	return view.Code(left + string(cells) + right)
}

// cell is the character of a bar that shows a position, the nearest one for what is outside.
func cell(position float64) int { return int(min(max(position*barWidth, 0), barWidth-1)) }

// RepeatClaims writes the distribution of every claim.
func RepeatClaims(w io.Writer, r repeats.Repeat) error {
	d := &Document{}
	d.Line(
		"# Every claim, repeated\n\n%s Left is the smallest distance to the nearer end in any repeat: of what the code computes, and of what is documented.",
		howToRead,
	)
	area := ""
	t := view.MarkdownTable()
	flush := func() {
		if area != "" {
			d.Line("\n## %s\n\n%s", area, t.RenderMarkdown())
		}
	}
	for _, c := range sortedByArea(r.Claims) {
		if a := areaOf(c); a != area {
			flush()
			area = a
			t = view.MarkdownTable(
				"claim",
				"in the window",
				"least",
				"first quarter",
				"median",
				"third quarter",
				"greatest",
				"left",
				"left of what is documented",
				"verdicts",
			)
		}
		t.AppendRow(view.TableRow(cells(c, r)))
	}
	flush()
	if _, err := io.WriteString(w, d.B.String()); err != nil {
		return fmt.Errorf("writing every claim's distribution: %w", err)
	}
	return nil
}

// cells are a claim's line: of a time its distribution, of anything else how often it was what.
func cells(c repeats.ClaimSpread, r repeats.Repeat) []string {
	cells := []string{name(c, r), "", "", "", "", "", "", "", "", came(c)}
	if c.Measured == nil {
		cells[1] = times(c)
		return cells
	}
	cells[1] = Bar(c.Implemented.Position)
	for i, v := range []int64{c.Measured.Min, c.Measured.Q1, c.Measured.Median, c.Measured.Q3, c.Measured.Max} {
		cells[2+i] = view.FormatValue(c.Unit, v)
	}
	cells[7] = inMilliseconds(c.Implemented.Margin.Min)
	if c.Documented != nil {
		cells[8] = inMilliseconds(c.Documented.Margin.Min)
	}
	return cells
}

// times says how often the claim had which value.
func times(c repeats.ClaimSpread) string {
	var parts []string
	for _, v := range c.Values {
		parts = append(parts, fmt.Sprintf("%s (%s)", view.FormatValue(c.Unit, v.Value), run.Plural(v.Times, "time")))
	}
	return strings.Join(parts, ", ")
}

// came says how often the claim came to which verdict.
func came(c repeats.ClaimSpread) string {
	var parts []string
	for _, v := range view.Verdicts() {
		if n := c.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if c.Never > 0 {
		parts = append(parts, fmt.Sprintf("%d never came", c.Never))
	}
	return strings.Join(parts, ", ")
}

func areaOf(c repeats.ClaimSpread) string { return view.AreaOf(run.Outcome{Trial: c.Trial}) }

// sortedByArea brings the claims of an area and trial together, otherwise in the runs' order.
func sortedByArea(claims []repeats.ClaimSpread) []repeats.ClaimSpread {
	rank := map[string]int{}
	for _, c := range claims {
		for _, key := range []string{areaOf(c), c.Trial} {
			if _, seen := rank[key]; !seen {
				rank[key] = len(rank)
			}
		}
	}
	sorted := slices.Clone(claims)
	slices.SortStableFunc(sorted, func(a, b repeats.ClaimSpread) int {
		return cmp.Or(rank[areaOf(a)]-rank[areaOf(b)], rank[a.Trial]-rank[b.Trial])
	})
	return sorted
}
