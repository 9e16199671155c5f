package drawing

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// Heights of the parts of a picture, in pixels.
const (
	nameHeight    = 19
	labelHeight   = 13
	processHeight = 20
	besideHeight  = 13
	markHeight    = 14
	windowHeight  = 17
	rowGap        = 6
	axisHeight    = 22
)

// nameShift is the distance of a name from the beginning of its bar, in pixels.
const nameShift = 11

// inset is the part of the width that stays free on both sides.
const inset = 0.02

type picture struct {
	scale      scale
	head, text bytes.Buffer
	y          int // what is drawn next begins here
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// lane draws a lane with a style class. What it contains is centred on the middle of the lane.
func (p *picture) lane(class string, height int, draw func()) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.add(`<g%s transform="translate(0 %d)">`, class, p.y+height/2)
	draw()
	p.add("</g>")
	p.y += height
}

func (p *picture) percent(at float64) string { return hundredths(inset + at*(1-2*inset)) }

func part(length float64) string { return hundredths(max(length, 0) * (1 - 2*inset)) }

func hundredths(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(100*f, 'f', 2, 64), "0"), ".") + "%"
}

// escaped returns text as XML. It replaces characters that XML does not allow.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a Buffer's Write never fails
	return b.String()
}
