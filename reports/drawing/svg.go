package drawing

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// SVG draws d as one svg element for a page that has Style and Shapes once. Positions are parts of the width and
// texts have a fixed size, so the picture fills its container and its texts stay readable. Each element has a title
// with its meaning and its times. data-t is its time in seconds, of a window that of its beginning; a page sorts by
// it.
func SVG(w io.Writer, d Drawing) error {
	p := picture{scale: d.scale()}
	p.body(d)
	p.open(fmt.Sprintf(`<svg class="drawing" role="img" width="100%%" height="%d"`, p.y), d)
	_, err := io.WriteString(w, p.head.String()+p.text.String()+"</svg>")
	return err
}

func (p *picture) open(element string, d Drawing) {
	fmt.Fprintf(&p.head, `%s><title>%s</title><desc>%s</desc>`, element, escaped(d.Title), escaped(d.describe()))
}

func (p *picture) body(d Drawing) {
	rows := picture{scale: p.scale}
	for _, r := range d.Rows {
		rows.row(r)
	}
	p.grid(d, rows.y)
	p.text.Write(rows.text.Bytes())
	p.y = rows.y + axisHeight
}

// describe returns the picture in words, for readers who do not see it.
func (d Drawing) describe() string {
	parts := []string{fmt.Sprintf("Timeline to scale, %s s to %s s", seconds(d.From), seconds(d.To))}
	if d.Zero != "" {
		parts[0] += ", counted from " + d.Zero
	}
	for _, r := range d.Rows {
		parts = append(parts,
			fmt.Sprintf("%s: %d bars, %d marks, %d windows", r.Name, len(r.Bars), len(r.Marks), len(r.Windows)))
	}
	return strings.Join(parts, ". ") + "."
}

func (p *picture) grid(d Drawing, height int) {
	few, coarse := p.scale.ticks(5)
	many, fine := p.scale.between(coarse, 12)
	p.add(`<g class="ax">`)
	p.ticks(few, coarse, height)
	p.add(`<g class="wide">`)
	p.ticks(many, fine, height)
	p.add("</g></g>")
	for _, r := range d.Rows {
		for _, m := range r.Marks {
			if m.Kind == Fault && p.scale.holds(m.At) {
				p.add(`<line class="fault" x1="%[1]s" x2="%[1]s" y2="%[2]d"/>`, p.percent(p.scale.at(m.At)), height)
			}
		}
	}
}

func (p *picture) ticks(at []time.Duration, step time.Duration, height int) {
	for _, t := range at {
		p.add(`<rect x="%s"/>`, p.percent(p.scale.at(t)))
	}
	p.add(`<g transform="translate(0 %d)">`, height+axisHeight-5)
	for _, t := range at {
		p.add(`<text x="%s">%s</text>`, p.percent(p.scale.at(t)), tickLabel(t, step))
	}
	p.add("</g>")
}

func (p *picture) row(r Row) {
	name := p.y + nameHeight - 6
	p.add(`<text class="n" y="%d">%s</text>`, name, escaped(r.Name))
	p.y += nameHeight
	lanes := r.lanes()
	for _, l := range lanes {
		switch l.role {
		case process:
			p.labels(p.labelsOf(l.marks))
			p.lane("life", processHeight, func() {
				p.bars(l.bars)
				p.marks(l.marks)
			})
		case beside:
			p.lane("beside", besideHeight, func() { p.bars(l.bars) })
		case probes, api:
			var near time.Duration
			p.lane("", markHeight, func() { near = p.marks(l.marks) })
			if near > 0 && l.role == probes {
				p.add(`<text class="few" x="100%%" y="%d">one mark: all within %s s</text>`, name, seconds(near))
			}
		}
	}
	p.windows(lanes)
	p.y += rowGap
}

func (p *picture) labels(labels []label) {
	if len(labels) == 0 {
		return
	}
	p.y += labelHeight
	p.add(`<g transform="translate(0 %d)">`, p.y-3)
	for _, b := range labels {
		p.add(`<text%s x="%s">%s</text>`, b.classes(), p.percent(b.at), escaped(b.text))
	}
	p.add("</g>")
}

// bars draws bars, with their names if these have room. A life has its name above its start.
func (p *picture) bars(bars []Bar) {
	for _, b := range bars {
		left, right, inside := p.scale.cut(b.From, b.To)
		if !inside {
			continue
		}
		class := b.Kind.look().class
		if b.Open {
			class += " open"
		}
		p.add(`<rect class="%s" x="%s" width="%s" data-t="%s"><title>%s</title></rect>`,
			class, p.percent(left), part(right-left), seconds(b.From), escaped(b.describe()))
		if b.Kind != Life && (right-left)*narrow*(1-2*inset) >= textWidth(b.says())+2*nameShift {
			p.add(`<text class="in" x="%s" dx="%d" y="3">%s</text>`, p.percent(left), nameShift, escaped(b.says()))
		}
	}
}

func (b Bar) describe() string {
	if b.Open {
		return fmt.Sprintf("%s: from %s s, still going on at %s s", b.says(), seconds(b.From), seconds(b.To))
	}
	return fmt.Sprintf("%s: %s to %s s, %s s", b.says(), seconds(b.From), seconds(b.To), seconds(b.To-b.From))
}

// marks draws marks. It returns the time within which marks of one kind are drawn as one, 0 if each is drawn.
func (p *picture) marks(marks []Mark) time.Duration {
	inside := slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool { return !p.scale.holds(m.At) })
	all, near := p.scale.thin(inside)
	merged := false
	for _, c := range all {
		merged = merged || len(c) > 1
		p.add(`<use href="#d-%s" x="%s" data-t="%s"><title>%s</title></use>`,
			c[0].Kind.look().shape, p.percent(p.scale.at(c[0].At)), seconds(c[0].At), escaped(c.says()))
	}
	if !merged {
		return 0
	}
	return near
}
