package forecast

import (
	"fmt"
	"io"

	"github.com/podclock/podclock/reports/drawing"
)

// maxRows is the largest number of containers that can be distinguished in one picture.
const maxRows = 40

// pictureWidth is the width of a picture's file, in pixels.
const pictureWidth = 960

// SVG draws the containers of all workloads, each with its longest delete.
func SVG(w io.Writer, f Forecast) error {
	if len(f.Predictions) == 1 {
		return drawing.Standalone(w, Overview(f.Predictions[0]), pictureWidth)
	}
	all := drawing.Drawing{Title: f.Manifest + ", deleted", Zero: "delete"}
	for _, p := range f.Predictions {
		d := Overview(p)
		for _, row := range d.Rows {
			row.Name = address(p) + " " + row.Name
			all.Rows = append(all.Rows, row)
		}
		all.From, all.To = min(all.From, d.From), max(all.To, d.To)
	}
	if n := len(all.Rows); n > maxRows {
		return fmt.Errorf("drawing %s: %d containers are too many for one picture, the maximum is %d: "+
			"split the manifest, or write HTML", f.Manifest, n, maxRows)
	}
	return drawing.Standalone(w, all, pictureWidth)
}
