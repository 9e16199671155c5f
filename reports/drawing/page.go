package drawing

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"slices"
)

//go:embed style.css
var style string

//go:embed shapes.svg
var shapes string

// Style returns the stylesheet of drawings, for light, dark and print. A page has it once. Its colours are custom
// properties named --drawing-…, which a page can override.
func Style() string { return style }

// Shapes returns an invisible svg element with the shapes and patterns that SVG refers to. A page has it once, before
// the first drawing, and not hidden by display:none.
func Shapes() string { return shapes }

// Key returns an HTML list that explains bars, marks and windows.
func Key() string {
	var b bytes.Buffer
	b.WriteString(`<ul class="drawing-key">`)
	for _, s := range samples(nil) {
		fmt.Fprintf(&b, `<li><svg class="drawing" width="%d" height="18" aria-hidden="true">`+
			`<g class="life" transform="translate(0 9)">%s</g></svg>%s</li>`, sampleWidth, s.svg, escaped(s.name))
	}
	b.WriteString("</ul>")
	return b.String()
}

// Standalone draws d as an SVG file of a width in pixels, with its style, title and key.
func Standalone(w io.Writer, d Drawing, width int) error {
	p := picture{scale: d.scale()}
	p.y = 26
	title := fmt.Sprintf(`<text class="t" x="%d" y="16">%s</text>`, margin, escaped(d.Title))
	body := picture{scale: p.scale}
	body.body(d)
	fmt.Fprintf(&p.text, `%s<svg class="drawing" x="%d" y="%d" width="%d" height="%d">%s</svg>`, title, margin, p.y,
		width-2*margin, body.y, body.text.String())
	p.y += body.y + 8
	p.key(d, width)
	p.open(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" `+
		`width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d"`, width, p.y), d)
	_, err := fmt.Fprintf(w, "%s<style>%s.drawing .t{font-size:14px;font-weight:600}"+
		"svg.drawing{background:var(--drawing-paper)}</style>%s%s</svg>\n",
		p.head.String(), style, shapes, p.text.String())
	return err
}

// margin is the free space at the sides of a file, in pixels.
const margin = 10

// sampleWidth is the width of a sample in a key, in pixels.
const sampleWidth = 26

type sample struct{ svg, name string }

func samples(d *Drawing) []sample {
	var all []sample
	for _, l := range barLooks {
		if d.hasBar(l) {
			svg := fmt.Sprintf(`<rect class="%s" x="1" width="%d"/>`, l.class, sampleWidth-2)
			all = append(all, sample{svg, string(l.kind)})
		}
	}
	for _, l := range markLooks {
		if d.hasMark(l) {
			all = append(all, sample{fmt.Sprintf(`<use href="#d-%s" x="%d"/>`, l.shape, sampleWidth/2), string(l.kind)})
		}
	}
	for _, w := range []struct {
		sample
		is func(Window) bool
	}{
		{sample{`<rect class="imp" x="3" width="20"/>`, "window, as implemented"}, Implemented.draws},
		{sample{`<rect class="doc" x="2" width="22"/>`, "window, as documented"}, Documented.draws},
		{sample{`<use href="#d-m" x="13"/>`, "measured"}, func(w Window) bool { return w.Measured != nil }},
	} {
		if d.hasWindow(w.is) {
			all = append(all, w.sample)
		}
	}
	for _, v := range []string{"deviates", "divergent", "inconclusive"} {
		if d.hasWindow(func(w Window) bool { return w.Verdict == v }) {
			svg := fmt.Sprintf(`<text class="mid %s" x="%d" y="4">%s</text>`, v, sampleWidth/2, signs[v])
			all = append(all, sample{svg, v})
		}
	}
	return all
}

// has reports whether a row matches. A nil drawing has everything.
func (d *Drawing) has(is func(Row) bool) bool { return d == nil || slices.ContainsFunc(d.Rows, is) }

func (d *Drawing) hasBar(look barLook) bool {
	is := func(b Bar) bool { return b.Kind.look() == look }
	return d.has(func(r Row) bool { return slices.ContainsFunc(r.Bars, is) })
}

func (d *Drawing) hasMark(look markLook) bool {
	is := func(m Mark) bool { return m.Kind.look() == look }
	return d.has(func(r Row) bool { return slices.ContainsFunc(r.Marks, is) })
}

func (d *Drawing) hasWindow(is func(Window) bool) bool {
	return d.has(func(r Row) bool { return slices.ContainsFunc(r.Windows, is) })
}

func (o Oracle) draws(w Window) bool { return w.Of == o }

func (p *picture) key(d Drawing, width int) {
	p.y += 10
	x := margin
	for _, s := range samples(&d) {
		w := sampleWidth + 6 + int(textWidth(s.name)) + 14
		if x+w > width-margin && x > margin {
			x, p.y = margin, p.y+20
		}
		p.add(`<g class="life" transform="translate(%d %d)">%s<text x="%d" y="4">%s</text></g>`, x, p.y, s.svg,
			sampleWidth+6, escaped(s.name))
		x += w
	}
	p.y += 16
}
