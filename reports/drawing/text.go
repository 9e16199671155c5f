package drawing

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	// leastColumns is the narrowest text.
	leastColumns = 40
	// leastPlot is the number of columns that the names leave to the picture at least.
	leastPlot = 24
)

// Text draws d for a terminal of so many columns, at least 40: one line for each lane, and a key.
func Text(w io.Writer, d Drawing, columns int) error {
	columns = max(columns, leastColumns)
	t := &sheet{scale: d.scale(), names: min(d.longestName(), columns-leastPlot, columns*2/5) + 1}
	t.columns = columns - t.names
	t.heading(d, columns)
	for _, r := range d.Rows {
		t.row(r)
	}
	t.axis()
	t.key(d, columns)
	_, err := io.WriteString(w, t.b.String())
	return err
}

type sheet struct {
	b       strings.Builder
	scale   scale
	names   int // columns of the names on the left, with the space after them
	columns int // columns of the picture
}

func (d Drawing) longestName() int {
	longest := 0
	for _, r := range d.Rows {
		longest = max(longest, utf8.RuneCountInString(r.Name))
		for _, w := range r.Windows {
			longest = max(longest, utf8.RuneCountInString(indent+w.Description))
		}
	}
	return longest
}

const indent = "  "

func (t *sheet) heading(d Drawing, columns int) {
	if d.Title != "" {
		fmt.Fprintln(&t.b, text.WrapSoft(d.Title, columns))
	}
	if d.Zero != "" {
		fmt.Fprintln(&t.b, shortened("0 is "+d.Zero, columns))
	}
}

func (t *sheet) line(name string, letters []rune) {
	name = shortened(name, t.names-1)
	padding := strings.Repeat(" ", t.names-utf8.RuneCountInString(name))
	fmt.Fprintln(&t.b, strings.TrimRight(name+padding+string(letters), " "))
}

func (t *sheet) blank() []rune { return []rune(strings.Repeat(" ", t.columns)) }

func (t *sheet) column(at time.Duration) int {
	return max(0, min(int(t.scale.at(at)*float64(t.columns-1)+.5), t.columns-1))
}

func (t *sheet) row(r Row) {
	name := r.Name
	for _, l := range r.lanes() {
		letters := t.blank()
		for _, b := range l.bars {
			t.fill(letters, b.From, b.To, b.Kind.look().glyph)
		}
		for _, m := range byRank(l.marks) {
			if t.scale.holds(m.At) {
				letters[t.column(m.At)] = m.Kind.look().glyph
			}
		}
		for _, c := range l.claims {
			if name != "" {
				t.line(name, t.blank())
			}
			name = indent + c.says
			t.claim(letters, c)
		}
		t.line(name, letters)
		name = ""
	}
	if name != "" && name == r.Name {
		t.line(name, t.blank())
	}
}

// fill draws a letter between two times, as far as they are inside the picture.
func (t *sheet) fill(letters []rune, from, to time.Duration, glyph rune) {
	if _, _, inside := t.scale.cut(from, to); !inside {
		return
	}
	for i := t.column(from); i <= t.column(to); i++ {
		letters[i] = glyph
	}
}

const (
	wayLetter, impLetter, docLetter, bothLetter, measuredLetter = '╌', '■', '□', '▣', '◆'
)

// claim draws the time to the windows, the documented window, the implemented one over it, and the measured time.
func (t *sheet) claim(letters []rune, c claim) {
	t.fill(letters, c.since, c.earliest(), wayLetter)
	for _, oracle := range []Oracle{Documented, Implemented} {
		for _, w := range c.windows {
			if _, _, inside := t.scale.cut(w.Earliest, w.Latest); w.Of != oracle || !inside {
				continue
			}
			for i := t.column(w.Earliest); i <= t.column(w.Latest); i++ {
				switch {
				case oracle == Documented:
					letters[i] = docLetter
				case letters[i] == docLetter:
					letters[i] = bothLetter
				default:
					letters[i] = impLetter
				}
			}
		}
	}
	if c.measured != nil && t.scale.holds(*c.measured) {
		letters[t.column(*c.measured)] = measuredLetter
	}
}

// byRank sorts marks: a later one hides an earlier one.
func byRank(marks []Mark) []Mark {
	order := func(m Mark) int {
		if r := rank[m.Kind]; r > 0 {
			return -r
		}
		if m.Kind == Failed || m.Kind == Hung {
			return -len(rank) - 1
		}
		return -len(rank) - 2
	}
	return slices.SortedStableFunc(slices.Values(marks), func(a, b Mark) int { return order(a) - order(b) })
}

func (t *sheet) axis() {
	line, labels := []rune(strings.Repeat("─", t.columns)), t.blank()
	ticks, step := t.scale.ticks(max(2, t.columns/12))
	free := 0
	for _, tick := range ticks {
		at, label := t.column(tick), []rune(tickLabel(tick, step))
		line[at] = '┬'
		from := max(0, min(at-len(label)/2, t.columns-len(label)))
		if from < free {
			continue
		}
		copy(labels[from:], label)
		free = from + len(label) + 1
	}
	t.line("", line)
	t.line("", labels)
}

func (t *sheet) key(d Drawing, columns int) {
	var parts []string
	add := func(is bool, glyph rune, name string) {
		if is {
			parts = append(parts, string(glyph)+" "+name)
		}
	}
	for _, l := range barLooks {
		add(d.hasBar(l), l.glyph, string(l.kind))
	}
	for _, l := range markLooks {
		add(d.hasMark(l), l.glyph, string(l.kind))
	}
	implemented, documented := d.hasWindow(Implemented.draws), d.hasWindow(Documented.draws)
	add(implemented, impLetter, "window, as implemented")
	add(documented, docLetter, "as documented")
	add(implemented && documented, bothLetter, "both")
	add(d.hasWindow(func(w Window) bool { return w.Measured != nil }), measuredLetter, "measured")
	line := ""
	for _, p := range parts {
		if line != "" && utf8.RuneCountInString(line+"   "+p) > columns {
			fmt.Fprintln(&t.b, line)
			line = ""
		}
		line = strings.TrimPrefix(line+"   "+p, "   ")
	}
	if line != "" {
		fmt.Fprintln(&t.b, line)
	}
}
