package trend

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// Comparison writes a comparison as one page. It draws the moves in their windows. The same comparison gives the same
// bytes.
func Comparison(w io.Writer, c series.Comparison) error {
	report := c.Report()
	p := contents{
		Eyebrow: c.Sides(), Title: view.Capital(c.Reason), Size: report.Size,
		Good: c.ExitCode == series.ExitNoWorse, Script: template.JS(pageScript),
	}
	for _, section := range report.Sections {
		one := part{Section: section}
		if section.ID == series.MovesSection {
			one.DrawnTitle = `<span class="was-key">before</span>, <span class="is-key">after</span> in the window`
			for _, m := range c.Unexplained()[:len(section.Rows)] {
				one.Drawn = append(one.Drawn, drawMove(m))
			}
		}
		p.Parts = append(p.Parts, one)
	}
	return p.write(w, "the comparison")
}

// moveWidth and moveHeight are the size of a drawn move. moveEdge is the free space at its sides.
const (
	moveWidth, moveHeight = 200, 26
	moveEdge              = 5
)

// drawMove draws the value before in its window, and below it the value after.
func drawMove(m series.Move) template.HTML {
	low := min(m.Before.Earliest, m.Before.Value, m.After.Earliest, m.After.Value)
	high := max(m.Before.Latest, m.Before.Value, m.After.Latest, m.After.Value)
	at := func(v int64) float64 {
		if high == low {
			return moveWidth / 2
		}
		return moveEdge + (moveWidth-2*moveEdge)*float64(v-low)/float64(high-low)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="move" viewBox="0 0 %d %d" role="img"><title>%s</title>`, moveWidth, moveHeight,
		template.HTMLEscapeString(sayMove(m)))
	for i, side := range []series.Placed{m.Before, m.After} {
		y := 7 + 12*i
		fmt.Fprintf(&b, `<rect class="window" x="%.1f" y="%d" width="%.1f" height="6"/>`, at(side.Earliest), y-3,
			max(1, at(side.Latest)-at(side.Earliest)))
		shape := `<circle class="was" cx="%.1f" cy="%d" r="4"/>`
		if i == 1 {
			shape = `<circle class="is" cx="%.1f" cy="%d" r="4"/>`
		}
		fmt.Fprintf(&b, shape, at(side.Value), y)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

func sayMove(m series.Move) string {
	side := func(p series.Placed) string {
		return fmt.Sprintf("%s in %s to %s", m.Unit.Format(p.Value), m.Unit.Format(p.Earliest), m.Unit.Format(p.Latest))
	}
	return fmt.Sprintf("%s, %s: before %s, after %s", m.Trial, m.Claim, side(m.Before), side(m.After))
}
