package terminal

import (
	"os"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/podclock/podclock/harness/trial"
)

// usualWidth is the width, in columns, of what is not a terminal.
const usualWidth = 120

// Screen is where people read: a terminal, or a file or pipe, which is as wide as they like.
type Screen struct {
	// Terminal says that lines can be written over.
	Terminal bool
	// Colour says that verdicts may be coloured.
	Colour bool
	// Width is in columns; 0 is 120.
	Width int
	// file is asked for its width each time, since people resize their terminals.
	file *os.File
}

// ScreenOf looks at a file, such as os.Stdout. Colours are for terminals only, and not where NO_COLOR is
// set (https://no-color.org) or TERM is "dumb".
func ScreenOf(f *os.File) Screen {
	if !term.IsTerminal(int(f.Fd())) {
		return Screen{}
	}
	dumb := os.Getenv("TERM") == "dumb"
	return Screen{Terminal: !dumb, Colour: !dumb && os.Getenv("NO_COLOR") == "", file: f}
}

// Columns is how wide it is now.
func (s Screen) Columns() int {
	if s.file != nil {
		if w, _, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if s.Width > 0 {
		return s.Width
	}
	return usualWidth
}

var colours = map[trial.Verdict]text.Colors{
	trial.Conforms:     {text.FgGreen},
	trial.Divergent:    {text.FgYellow},
	trial.Unsupported:  {text.FgHiBlack},
	trial.Inconclusive: {text.FgMagenta},
	trial.Deviates:     {text.FgRed, text.Bold},
}

// painted is a verdict, in its colour where that is wanted.
func painted(v trial.Verdict, colour bool) string {
	if c, known := colours[v]; colour && known {
		return c.Sprint(string(v))
	}
	return string(v)
}
