package drawing

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Heights of what a picture is made of, in pixels.
const (
	nameHeight    = 19
	labelHeight   = 13
	processHeight = 20
	lifeHeight    = 14
	besideHeight  = 12
	markHeight    = 14
	windowHeight  = 17
	rowGap        = 6
	axisHeight    = 22
)

// inset is the part of the width that stays free on both sides for the marks at the edges.
const inset = 0.02

// SVG draws d as one svg element for a page that holds Style and Shapes once. Positions are parts of the width and texts have a size of their own, so that the picture
// is as wide as what holds it and its texts stay as large as the page's on any screen. Each element says in words what it is and when (title), and in numbers:
// data-t is its time in seconds, data-d how long it lasted; of a window data-t is the beginning, data-e and data-l the earliest and latest length, data-m the measured one.
func SVG(w io.Writer, d Drawing) error {
	p := picture{scale: d.scale()}
	p.body(d)
	p.open(fmt.Sprintf(`<svg class="drawing" role="img" width="100%%" height="%d"`, p.y), d)
	_, err := io.WriteString(w, p.head.String()+p.text.String()+"</svg>")
	return err
}

// picture is an SVG that is being drawn, from the top.
type picture struct {
	scale      scale
	head, text bytes.Buffer
	y          int // what is drawn next begins here
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// open writes the svg element's beginning, its name and its description.
func (p *picture) open(element string, d Drawing) {
	fmt.Fprintf(&p.head, `%s><title>%s</title><desc>%s</desc>`, element, escaped(d.Title), escaped(d.describe()))
}

// body draws the rows and the axis under them, over the lines that cross them all.
func (p *picture) body(d Drawing) {
	rows := picture{scale: p.scale}
	for _, r := range d.Rows {
		rows.row(r)
	}
	p.grid(d, rows.y)
	p.text.Write(rows.text.Bytes())
	p.y = rows.y + axisHeight
}

// describe says what can be seen, for who can't.
func (d Drawing) describe() string {
	parts := []string{fmt.Sprintf("A timeline to scale, from %s s to %s s", seconds(d.From), seconds(d.To))}
	if d.Zero != "" {
		parts[0] += ", counted from " + d.Zero
	}
	for _, r := range d.Rows {
		s := fmt.Sprintf("%s: %d bars, %d marks, %d windows", r.Name, len(r.Bars), len(r.Marks), len(r.Windows))
		parts = append(parts, s)
	}
	return strings.Join(parts, ". ") + "."
}

// grid draws the axis' ticks, and the time of every cue, over the height of all rows.
func (p *picture) grid(d Drawing, height int) {
	few, coarse := p.scale.ticks(5)
	p.add(`<g class="ax">`)
	for _, t := range few {
		p.tick(t, coarse, height, "")
	}
	many, fine := p.scale.ticks(12)
	for _, t := range many {
		if t%coarse != 0 {
			p.tick(t, fine, height, ` class="wide"`)
		}
	}
	p.add("</g>")
	for _, r := range d.Rows {
		for _, m := range r.Marks {
			if m.Kind == Cue && p.scale.holds(m.At) {
				p.add(`<line class="cue" x1="%[1]s" x2="%[1]s" y1="0" y2="%[2]d"/>`, p.percent(p.scale.at(m.At)), height)
			}
		}
	}
}

func (p *picture) tick(t, step time.Duration, height int, class string) {
	x := p.percent(p.scale.at(t))
	p.add(`<g%[1]s><line x1="%[2]s" x2="%[2]s" y2="%[3]d"/><text x="%[2]s" y="%[4]d">%[5]s</text></g>`, class, x, height+4, height+17, tickLabel(t, step))
}

// row draws a row's name and its lanes.
func (p *picture) row(r Row) {
	name := p.y + nameHeight - 6
	p.add(`<text class="n" x="0" y="%d">%s</text>`, name, escaped(r.Name))
	p.y += nameHeight
	lanes := r.lanes()
	for _, l := range lanes {
		switch l.role {
		case process:
			p.process(l)
		case beside:
			p.bars(l.bars, besideHeight-2)
			p.y += besideHeight
		case probes, told:
			if near := p.marks(l.marks, markHeight/2); near > 0 && l.role == probes {
				p.add(`<text class="n few" x="100%%" y="%d">one mark: all within %s s</text>`, name, seconds(near))
			}
			p.y += markHeight
		}
	}
	p.windows(lanes)
	p.y += rowGap
}

// process draws lives and what happened to them, under the names of what happened.
func (p *picture) process(l lane) {
	labels := p.labelsOf(l.marks)
	if len(labels) > 0 {
		p.y += labelHeight
		for _, b := range labels {
			p.add(`<text%s x="%s" y="%d">%s</text>`, b.classes(), p.percent(b.at), p.y-3, escaped(b.text))
		}
	}
	if len(l.bars) > 0 {
		p.y += (processHeight - lifeHeight) / 2
		p.bars(l.bars, lifeHeight)
		p.y -= (processHeight - lifeHeight) / 2
	}
	p.marks(l.marks, processHeight/2)
	p.y += processHeight
}

// bars draws bars of one height, with their names in those that surely have the room.
func (p *picture) bars(bars []Bar, height int) {
	for _, b := range bars {
		left, right, inside := p.scale.cut(b.From, b.To)
		if !inside {
			continue
		}
		class := b.Kind.look().class
		if b.Open {
			class += " open"
		}
		words := fmt.Sprintf("%s: %s to %s s, %s s", b.says(), seconds(b.From), seconds(b.To), seconds(b.To-b.From))
		if b.Open {
			words = fmt.Sprintf("%s: from %s s, still going on at %s s", b.says(), seconds(b.From), seconds(b.To))
		}
		p.add(`<rect class="%s" x="%s" y="%d" width="%s" height="%d" data-t="%s" data-d="%s"><title>%s</title></rect>`,
			class, p.percent(left), p.y, part(right-left), height, seconds(b.From), seconds(b.To-b.From), escaped(words))
		if room := (right - left) * narrow * (1 - 2*inset); room >= textWidth(b.says())+8 && height >= besideHeight-2 {
			p.add(`<text class="in" x="%s" y="%d" dx="4">%s</text>`, p.percent(left), p.y+height-3, escaped(b.says()))
		}
	}
}

// marks draws marks with their middle so far below the top, and says within what time marks are one; 0 where each is its own.
func (p *picture) marks(marks []Mark, middle int) time.Duration {
	inside := slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool { return !p.scale.holds(m.At) })
	all, near := p.scale.thin(inside)
	merged := false
	for _, c := range all {
		count := ""
		if len(c) > 1 {
			merged, count = true, fmt.Sprintf(` data-n="%d"`, len(c))
		}
		p.add(`<use href="#drawing-%s" x="%s" y="%d" data-t="%s"%s><title>%s</title></use>`,
			c[0].Kind.look().shape, p.percent(p.scale.at(c[0].At)), p.y+middle, seconds(c[0].At), count, escaped(c.says()))
	}
	if !merged {
		return 0
	}
	return near
}

// percent is the place of a part of the picture's width.
func (p *picture) percent(at float64) string { return hundredths(inset + at*(1-2*inset)) }

// part is the length of a part of the picture's width.
func part(length float64) string { return hundredths(max(length, 0) * (1 - 2*inset)) }

func hundredths(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(100*f, 'f', 2, 64), "0"), ".") + "%"
}

// escaped is text as XML can hold it: what no document may contain is replaced.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a Buffer's Write never fails
	return b.String()
}
