package reports

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// mostClosest is how many claims are listed at each end of the windows.
const mostClosest = 30

// atTheEdge is the part of its window within which a value is close to an end.
const atTheEdge = 0.10

// closest are the claims that come closest to the ends of what the code computes, by the part of the window
// that was left.
func (d *document) closest(r Repeat) {
	d.line("\n## Closest to the latest moment that the code allows\n")
	d.line("%s\n", howToRead)
	d.ends(r, func(s WindowSpread) *Nearest { return &s.Late })
	d.line("\n## Closest to the earliest moment that the code allows\n")
	d.line(
		"A timer never fires early, so where a window begins with one, many values lie close to its beginning by nature. Windows that begin with their cause are "+
			"not listed: nothing comes sooner. All claims are in [%s](%s).\n",
		RepeatClaimsFile,
		RepeatClaimsFile,
	)
	d.ends(r, func(s WindowSpread) *Nearest { return s.Early })
}

const howToRead = "What is left is the smallest distance to that end in any repeat. The bar is the window, `-` from the least to the greatest value in it, " +
	"`=` the middle half, `#` the median, `<` and `>` what lies outside."

// ends is the table of one end of the windows.
func (d *document) ends(r Repeat, end func(WindowSpread) *Nearest) {
	var claims []ClaimSpread
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
		d.line("None was measured.")
		return
	}
	slices.SortStableFunc(
		claims,
		func(a, b ClaimSpread) int { return cmp.Compare(end(*a.Implemented).Share, end(*b.Implemented).Share) },
	)
	d.line(
		"%s, %d of them with a value within %.0f %% of this end.\n",
		plural(len(claims), "claim"),
		near,
		100*atTheEdge,
	)
	t := markdownTable(
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
		t.AppendRow(row([]string{
			inMilliseconds(n.Margin), fmt.Sprintf("%.1f %%", 100*n.Share), c.name(r), bar(c.Implemented.Position),
			value(c.Unit, c.Measured.Median), c.extent(), fmt.Sprint(c.Repeats), n.Round + " " + n.Subject,
		}))
	}
	d.line("%s", t.RenderMarkdown())
}

// extent is from the least to the greatest measured time.
func (c ClaimSpread) extent() string {
	return number(c.Unit, c.Measured.Min) + " to " + value(c.Unit, c.Measured.Max)
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

// bar draws a distribution of positions inside a window: "`[..--==#=-...]`".
func bar(p Quartiles[float64]) string {
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
	return code(left + string(cells) + right)
}

// cell is the character of a bar that shows a position, the nearest one for what is outside.
func cell(position float64) int { return int(min(max(position*barWidth, 0), barWidth-1)) }

// RepeatClaims writes the distribution of every claim.
func RepeatClaims(w io.Writer, r Repeat) error {
	d := &document{}
	d.line(
		"# Every claim, repeated\n\n%s Left is the smallest distance to the nearer end in any repeat: of what the code computes, and of what is documented.",
		howToRead,
	)
	area := ""
	t := markdownTable()
	flush := func() {
		if area != "" {
			d.line("\n## %s\n\n%s", area, t.RenderMarkdown())
		}
	}
	for _, c := range sortedByArea(r.Claims) {
		if a := areaOf(c); a != area {
			flush()
			area = a
			t = markdownTable(
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
		t.AppendRow(row(c.cells(r)))
	}
	flush()
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing every claim's distribution: %w", err)
	}
	return nil
}

// cells are a claim's line: of a time its distribution, of anything else how often it was what.
func (c ClaimSpread) cells(r Repeat) []string {
	cells := []string{c.name(r), "", "", "", "", "", "", "", "", c.came()}
	if c.Measured == nil {
		cells[1] = c.times()
		return cells
	}
	cells[1] = bar(c.Implemented.Position)
	for i, v := range []int64{c.Measured.Min, c.Measured.Q1, c.Measured.Median, c.Measured.Q3, c.Measured.Max} {
		cells[2+i] = value(c.Unit, v)
	}
	cells[7] = inMilliseconds(c.Implemented.Margin.Min)
	if c.Documented != nil {
		cells[8] = inMilliseconds(c.Documented.Margin.Min)
	}
	return cells
}

// times says how often the claim had which value.
func (c ClaimSpread) times() string {
	var parts []string
	for _, v := range c.Values {
		parts = append(parts, fmt.Sprintf("%s (%s)", value(c.Unit, v.Value), plural(v.Times, "time")))
	}
	return strings.Join(parts, ", ")
}

// came says how often the claim came to which verdict.
func (c ClaimSpread) came() string {
	var parts []string
	for _, v := range verdicts {
		if n := c.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if c.Never > 0 {
		parts = append(parts, fmt.Sprintf("%d never came", c.Never))
	}
	return strings.Join(parts, ", ")
}

func areaOf(c ClaimSpread) string { return area(Outcome{Trial: c.Trial}) }

// sortedByArea brings the claims of an area and trial together, otherwise in the runs' order.
func sortedByArea(claims []ClaimSpread) []ClaimSpread {
	rank := map[string]int{}
	for _, c := range claims {
		for _, key := range []string{areaOf(c), c.Trial} {
			if _, seen := rank[key]; !seen {
				rank[key] = len(rank)
			}
		}
	}
	sorted := slices.Clone(claims)
	slices.SortStableFunc(sorted, func(a, b ClaimSpread) int {
		return cmp.Or(rank[areaOf(a)]-rank[areaOf(b)], rank[a.Trial]-rank[b.Trial])
	})
	return sorted
}
