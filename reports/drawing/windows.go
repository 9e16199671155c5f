package drawing

import (
	"fmt"
	"strings"
)

// longestClaim is how many letters of a claim's name stand beside its windows: they fit the free half of a narrow picture.
const longestClaim = 30

// placed is a claim with the label beside its windows.
type placed struct {
	claim
	label label
	shift int // of the label, in pixels
}

// windows draws the claims of a row, several of them in one line where they leave each other room.
func (p *picture) windows(lanes []lane) {
	var lines [][]placed
	for _, l := range lanes {
		for _, c := range l.claims {
			if _, _, inside := p.scale.cut(min(c.since, c.earliest()), c.latest()); !inside {
				continue
			}
			w := p.place(c)
			i := 0
			for i < len(lines) && p.crowded(lines[i], w) {
				i++
			}
			if i == len(lines) {
				lines = append(lines, nil)
			}
			lines[i] = append(lines[i], w)
		}
	}
	for _, line := range lines {
		for _, w := range line {
			p.window(w)
		}
		p.y += windowHeight
	}
}

// place puts a claim's name on the side of its windows that has more room, or over them where neither has enough.
func (p *picture) place(c claim) placed {
	text := c.says
	if c.verdict != "" && c.verdict != "conforms" {
		text = shortened(text, longestClaim-len(c.verdict)) + ": " + c.verdict
	}
	text = shortened(text, longestClaim)
	left, right, _ := p.scale.cut(c.earliest(), c.latest())
	if m := c.measured; m != nil && p.scale.holds(*m) {
		left, right = min(left, p.scale.at(*m)), max(right, p.scale.at(*m))
	}
	w := placed{claim: c, label: label{at: right, text: text, anchor: "start"}, shift: 7}
	switch room := textWidth(text) + 7; {
	case (1-right)*narrow >= room:
	case left*narrow >= room:
		w.label.at, w.label.anchor, w.shift = left, "end", -7
	default:
		w.label.at, w.label.anchor, w.shift = left, "start", 3
	}
	return w
}

// crowded says whether a claim would touch another one of a line, on a narrow picture.
func (p *picture) crowded(line []placed, w placed) bool {
	from, to := p.extent(w)
	for _, o := range line {
		if oFrom, oTo := p.extent(o); from < oTo+labelGap && oFrom < to+labelGap {
			return true
		}
	}
	return false
}

// extent is from where to where a claim reaches with its name, in pixels of a narrow picture.
func (p *picture) extent(w placed) (from, to float64) {
	left, right, _ := p.scale.cut(min(w.since, w.earliest()), w.latest())
	from, to = w.label.extent(narrow)
	x := func(f float64) float64 { return (inset + f*(1-2*inset)) * narrow }
	return min(from+float64(w.shift), x(left)), max(to+float64(w.shift), x(right))
}

// window draws a claim: a line from where it begins, a box for either oracle's window, a mark for what was measured, its name.
func (p *picture) window(w placed) {
	class := "win"
	switch w.verdict {
	case "deviates", "divergent", "inconclusive":
		class += " " + w.verdict
	}
	p.add(`<g class="%s" data-t="%s"><title>%s</title>`, class, seconds(w.since), escaped(w.tells()))
	middle := p.y + windowHeight/2
	if from, to, inside := p.scale.cut(w.since, w.earliest()); inside {
		p.add(`<line x1="%s" x2="%s" y1="%[3]d" y2="%[3]d"/>`, p.percent(from), p.percent(to), middle)
	}
	for _, oracle := range []Oracle{Implemented, Documented} {
		for _, b := range w.claim.windows {
			left, right, inside := p.scale.cut(b.Earliest, b.Latest)
			if b.Of != oracle || !inside {
				continue
			}
			class, top, height := "imp", 4, 9
			if oracle == Documented {
				class, top, height = "doc", 2, 13
			}
			p.add(`<rect class="%s" x="%s" y="%d" width="%s" height="%d" data-e="%s" data-l="%s"/>`, class, p.percent(left), p.y+top,
				part(right-left), height, seconds(b.Earliest-w.since), seconds(b.Latest-w.since))
		}
	}
	if m := w.measured; m != nil && p.scale.holds(*m) {
		p.add(`<use href="#drawing-m" x="%s" y="%d" data-m="%s"/>`, p.percent(p.scale.at(*m)), middle, seconds(*m-w.since))
	}
	p.add(`<text%s x="%s" y="%d" dx="%d">%s</text></g>`, w.label.classes(), p.percent(w.label.at), middle+4, w.shift, escaped(w.label.text))
}

// tells says a claim's windows in words, as lengths from where it begins.
func (c claim) tells() string {
	parts := []string{fmt.Sprintf("%s, from %s s on", c.says, seconds(c.since))}
	for _, w := range c.windows {
		parts = append(parts, fmt.Sprintf("%s %s", w.Of, w.lengths()))
	}
	if c.measured != nil {
		parts = append(parts, "measured "+seconds(*c.measured-c.since)+" s")
	}
	if c.verdict != "" {
		parts = append(parts, c.verdict)
	}
	return strings.Join(parts, "; ")
}

// lengths is a window as the time that it allows.
func (w Window) lengths() string {
	earliest, latest := seconds(w.Earliest-w.Since), seconds(w.Latest-w.Since)
	if earliest == latest {
		return latest + " s"
	}
	return earliest + " to " + latest + " s"
}
