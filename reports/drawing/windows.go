package drawing

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// labelShift is the distance of a name from its windows, in pixels.
	labelShift = 7
	// shortestClaim is the number of letters of a name that must have room beside the windows. Otherwise the name is
	// written over them.
	shortestClaim = 12
)

// signs mark the verdicts that need a look, without colours.
var signs = map[string]string{"deviates": "✕", "divergent": "≠", "inconclusive": "?"}

// placed is a claim with the label beside its windows.
type placed struct {
	claim
	label label  // limited to the room on a narrow picture
	whole string // the whole text, if it is longer
	shift int    // of the label, in pixels
}

// windows draws the claims of a row. Several share a line if they have room.
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
		p.lane("", windowHeight, func() {
			for _, w := range line {
				p.window(w)
			}
		})
	}
}

// place puts the name on the side of the windows with more room, or over them if neither side has enough.
func (p *picture) place(c claim) placed {
	text := strings.TrimSpace(signs[c.verdict] + " " + c.says)
	left, right, _ := p.scale.cut(c.earliest(), c.latest())
	if m := c.measured; m != nil && p.scale.holds(*m) {
		left, right = min(left, p.scale.at(*m)), max(right, p.scale.at(*m))
	}
	w := placed{claim: c, label: label{at: right, text: text, anchor: "start"}, shift: labelShift}
	before, after := lettersIn(left), lettersIn(1-right)
	letters := max(before, after)
	switch {
	case letters < min(shortestClaim, utf8.RuneCountInString(text)):
		w.label.at, w.shift, letters = left, 3, max(shortestClaim, lettersIn(1-left))
	case after < utf8.RuneCountInString(text) && before > after:
		w.label.at, w.label.anchor, w.shift = left, "end", -labelShift
	}
	if w.label.text = shortened(text, letters); w.label.text != text {
		w.whole = text
	}
	return w
}

func lettersIn(part float64) int {
	return int((part*(1-2*inset)*narrow + inset*narrow - labelShift) / letter)
}

// crowded reports whether a claim overlaps another one of a line on a narrow picture.
func (p *picture) crowded(line []placed, w placed) bool {
	from, to := p.extent(w)
	for _, o := range line {
		if oFrom, oTo := p.extent(o); from < oTo+labelGap && oFrom < to+labelGap {
			return true
		}
	}
	return false
}

// extent returns where a claim and its name begin and end, in pixels of a narrow picture.
func (p *picture) extent(w placed) (from, to float64) {
	left, right, _ := p.scale.cut(min(w.since, w.earliest()), w.latest())
	from, to = w.label.extent(narrow)
	x := func(f float64) float64 { return (inset + f*(1-2*inset)) * narrow }
	return min(from+float64(w.shift), x(left)), max(to+float64(w.shift), x(right))
}

// window draws a claim: a line from its beginning, a box for each window, a mark for the measured time, and its name.
func (p *picture) window(w placed) {
	class := "win"
	if signs[w.verdict] != "" {
		class += " " + w.verdict
	}
	p.add(`<g class="%s" data-t="%s"><title>%s</title>`, class, seconds(w.since), escaped(w.describe()))
	if from, to, inside := p.scale.cut(w.since, w.earliest()); inside && from < to {
		p.add(`<line x1="%s" x2="%s"/>`, p.percent(from), p.percent(to))
	}
	for _, look := range []struct {
		of    Oracle
		class string
	}{{Implemented, "imp"}, {Documented, "doc"}} {
		for _, b := range w.windows {
			left, right, inside := p.scale.cut(b.Earliest, b.Latest)
			if b.Of != look.of || !inside {
				continue
			}
			p.add(`<rect class="%s" x="%s" width="%s"/>`, look.class, p.percent(left), part(right-left))
		}
	}
	if m := w.measured; m != nil && p.scale.holds(*m) {
		p.add(`<use href="#d-m" x="%s"/>`, p.percent(p.scale.at(*m)))
	}
	text := func(l label) {
		p.add(`<text%s x="%s" dx="%d" y="4">%s</text>`, l.classes(), p.percent(l.at), w.shift, escaped(l.text))
	}
	short := w.label
	if short.onNarrow = w.whole != ""; short.onNarrow {
		whole := w.label
		whole.text, whole.onWide = w.whole, true
		text(whole)
	}
	text(short)
	p.add("</g>")
}

// describe returns the windows of a claim in words. Times count from its beginning.
func (c claim) describe() string {
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

func (w Window) lengths() string {
	earliest, latest := seconds(w.Earliest-w.Since), seconds(w.Latest-w.Since)
	if earliest == latest {
		return latest + " s"
	}
	return earliest + " to " + latest + " s"
}
