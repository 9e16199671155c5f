package drawing

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// Heights of what a picture is made of, in pixels.
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

// nameShift is how far in a bar its name begins, in pixels: beside what marks its beginning.
const nameShift = 11

// inset is the part of the width that stays free on both sides for the marks at the edges.
const inset = 0.02

// picture is an SVG that is being drawn, from the top.
type picture struct {
	scale      scale
	head, text bytes.Buffer
	y          int // what is drawn next begins here
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// lane draws what has its middle in the middle of a lane, for the class of which the stylesheet says how
// high its bars are.
func (p *picture) lane(class string, height int, draw func()) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.add(`<g%s transform="translate(0 %d)">`, class, p.y+height/2)
	draw()
	p.add("</g>")
	p.y += height
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
