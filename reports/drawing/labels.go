package drawing

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// narrow and wide are the widths in pixels that labels are placed for. A label that fits the narrow width is
	// always shown, others on screens of the wide width (style.css).
	narrow, wide = 300, 900
	// letter is the width of a letter in pixels, a little above the average.
	letter   = 6.5
	labelGap = 5
)

func textWidth(s string) float64 { return letter * float64(utf8.RuneCountInString(s)) }

type label struct {
	at     float64
	text   string
	anchor string // "start", "middle" or "end"
	// onWide and onNarrow show it on wide or on narrow screens only.
	onWide, onNarrow bool
}

func (l label) extent(width float64) (from, to float64) {
	x, w := inset*width+l.at*width*(1-2*inset), textWidth(l.text)
	switch l.anchor {
	case "start":
		return x, x + w
	case "end":
		return x - w, x
	}
	return x - w/2, x + w/2
}

// within returns the label with the anchor that keeps it inside a width.
func (l label) within(width float64) label {
	l.anchor = "middle"
	switch from, to := l.extent(width); {
	case from < 0:
		l.anchor = "start"
	case to > width:
		l.anchor = "end"
	}
	return l
}

func (l label) overlaps(o label, width float64) bool {
	from, to := l.extent(width)
	oFrom, oTo := o.extent(width)
	return from < oTo+labelGap && oFrom < to+labelGap
}

func (l label) classes() string {
	class := map[string]string{"start": "", "middle": "mid", "end": "end"}[l.anchor]
	if l.onWide {
		class = strings.TrimSpace(class + " wide")
	}
	if l.onNarrow {
		class = strings.TrimSpace(class + " slim")
	}
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// rank orders marks: lower ones get a name first.
var rank = map[MarkKind]int{Fault: 1, Death: 2, SIGKILL: 3, SIGTERM: 4, Started: 5}

// labelsOf returns the names of marks that have room beside each other. Important marks come first.
func (p *picture) labelsOf(marks []Mark) []label {
	named := slices.SortedStableFunc(slices.Values(marks),
		func(a, b Mark) int { return cmp.Compare(rank[a.Kind], rank[b.Kind]) })
	var placed []label
	for _, width := range []float64{narrow, wide} {
		for _, m := range named {
			if rank[m.Kind] == 0 || !p.scale.holds(m.At) {
				continue
			}
			l := label{
				at:     p.scale.at(m.At),
				text:   cmp.Or(shortened(m.Description, longestName), string(m.Kind)),
				onWide: width == wide,
			}.within(width)
			if !slices.ContainsFunc(placed,
				func(o label) bool { return l.overlaps(o, width) || l.at == o.at && l.text == o.text }) {
				placed = append(placed, l)
			}
		}
	}
	slices.SortStableFunc(placed, func(a, b label) int { return cmp.Compare(a.at, b.at) })
	return placed
}

// longestName is the number of letters of a mark's name.
const longestName = 24

func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
