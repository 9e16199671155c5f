package terminal

import (
	"cmp"
	"os"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/podclock/podclock/harness/measure/trial"
)

// usualWidth is the width of a file or pipe, in columns.
const usualWidth = 120

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

// ScreenOf describes a file, such as os.Stdout. Colours are on for terminals, unless NO_COLOR is set
// (https://no-color.org) or TERM is "dumb". COLUMNS is the width of a file or pipe.
func ScreenOf(f *os.File) Screen {
	if !term.IsTerminal(int(f.Fd())) {
		width, _ := strconv.Atoi(os.Getenv("COLUMNS"))
		return Screen{Width: max(0, width)}
	}
	dumb := os.Getenv("TERM") == "dumb"
	return Screen{Terminal: !dumb, Colour: !dumb && os.Getenv("NO_COLOR") == "", file: f}
}

// Columns returns the present width, by default 120.
func (s Screen) Columns() int { return s.ColumnsOr(usualWidth) }

// ColumnsOr returns the present width, or another one if it is not known.
func (s Screen) ColumnsOr(usual int) int {
	if s.file != nil {
		if w, _, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return cmp.Or(s.Width, usual)
}

var colours = map[trial.Verdict]text.Colors{
	trial.Conforms:     {text.FgGreen},
	trial.Divergent:    {text.FgYellow},
	trial.Unsupported:  {text.FgHiBlack},
	trial.Inconclusive: {text.FgMagenta},
	trial.Deviates:     {text.FgRed, text.Bold},
}

// painted returns a verdict, in its colour if colour is true.
func painted(v trial.Verdict, colour bool) string {
	if c, known := colours[v]; colour && known {
		return c.Sprint(string(v))
	}
	return string(v)
}
