package terminal

import (
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/trial"
)

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
