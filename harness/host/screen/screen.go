// Package screen describes where output goes: a terminal, or a file or pipe.
package screen

import (
	"cmp"
	"os"
	"strconv"

	"golang.org/x/term"
)

// UsualWidth is the width of a file or pipe, in columns.
const UsualWidth = 120

// Screen describes the output: a terminal, or a file or pipe.
type Screen struct {
	// Terminal is true if lines can be rewritten.
	Terminal bool
	// Colour is true if verdicts are coloured.
	Colour bool
	// Width is in columns, 0 if it is not known.
	Width int
	// file reports its width each time, because users resize their terminals.
	file *os.File
}

// Of describes a file, such as os.Stdout. Colours are on for terminals, unless NO_COLOR is set
// (https://no-color.org) or TERM is "dumb". COLUMNS is the width of a file or pipe.
func Of(f *os.File) Screen {
	if !term.IsTerminal(int(f.Fd())) {
		width, _ := strconv.Atoi(os.Getenv("COLUMNS"))
		return Screen{Width: max(0, width)}
	}
	dumb := os.Getenv("TERM") == "dumb"
	return Screen{Terminal: !dumb, Colour: !dumb && os.Getenv("NO_COLOR") == "", file: f}
}

// Columns returns the present width, by default 120.
func (s Screen) Columns() int { return s.ColumnsOr(UsualWidth) }

// ColumnsOr returns the present width, or another one if it is not known.
func (s Screen) ColumnsOr(usual int) int {
	if s.file != nil {
		if w, _, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return cmp.Or(s.Width, usual)
}
