// Package html renders a run as one page that loads nothing. It judges nothing and knows no cluster. Its words
// come from package view, its timelines from package drawing.
package html

import (
	"bytes"
	"embed"
	"fmt"

	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
)

// The charts use uPlot 1.6.32 (MIT, see assets/uplot.LICENSE), minified as in its npm package.
var (
	//go:embed assets/uplot.min.js
	uPlot string
	//go:embed assets/uplot.min.css
	uPlotStyle string
	//go:embed assets/uplot.LICENSE
	uPlotLicence string
)

//go:embed script/unpack.js
var unpack string

// Assets returns the script and the style sheet of the chart library. The script defines uPlot, and unpack,
// which reads the output of Packed.
func Assets() (js, css string) {
	return "/*\n" + uPlotLicence + "*/\n" + uPlot + "\n" + unpack, uPlotStyle
}

//go:embed script/*.js
var scripts embed.FS

//go:embed style/*.css
var styles embed.FS

func script() string {
	library, _ := Assets()
	parts := embedded(scripts, "script/dom.js", "script/words.js", "script/state.js", "script/theme.js",
		"script/claims.js", "script/trial.js", "script/matrix.js", "script/chart.js", "script/back_off_chart.js",
		"script/margins.js", "script/keys.js", "script/print.js", "script/main.js")
	return library + "(async () => {\n\"use strict\";\n" + parts + "})();\n"
}

func style() string {
	return page.Style() + uPlotStyle + drawing.Style() + embedded(styles, "style/theme.css", "style/page.css",
		"style/matrix.css", "style/trial.css", "style/charts.css", "style/print.css")
}

func embedded(files embed.FS, names ...string) string {
	var b bytes.Buffer
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			// go:embed checked its patterns at build time
			panic(fmt.Sprintf("the binary lacks a part of its HTML report, %s: it was built wrongly", name))
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	return b.String()
}
