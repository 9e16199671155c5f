// Package html renders one run as one self-contained page: nothing that it shows is fetched from anywhere.
// It judges nothing and knows no cluster; all words come from package reports, all timelines from package
// drawing.
package html

import (
	"bytes"
	"embed"
	"fmt"

	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/page"
)

// The charts are uPlot's, version 1.6.32 (MIT, see assets/uplot.LICENSE), as its npm package has it minified.
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

// Assets are the script and the style sheet of the chart library, for the <script> and the <style> of a
// page that must not load anything. The script defines the global uPlot, and unpack, which reads what
// Packed wrote.
func Assets() (js, css string) {
	return "/*\n" + uPlotLicence + "*/\n" + uPlot + "\n" + unpack, uPlotStyle
}

//go:embed script/*.js
var scripts embed.FS

//go:embed style/*.css
var styles embed.FS

// script is the page's, its parts in the order in which they build on each other.
func script() string {
	library, _ := Assets()
	return library + "(async () => {\n\"use strict\";\n" + embedded(
		scripts,
		"script/dom.js",
		"script/words.js",
		"script/state.js",
		"script/theme.js",
		"script/claims.js",
		"script/trial.js",
		"script/matrix.js",
		"script/chart.js",
		"script/staircase.js",
		"script/margins.js",
		"script/keys.js",
		"script/print.js",
		"script/main.js",
	) + "})();\n"
}

func style() string {
	return page.Style() + uPlotStyle + drawing.Style() + embedded(
		styles,
		"style/theme.css",
		"style/page.css",
		"style/matrix.css",
		"style/trial.css",
		"style/charts.css",
		"style/print.css",
	)
}

// embedded is text from a part of the page that is a file of its own.
func embedded(files embed.FS, names ...string) string {
	var b bytes.Buffer
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			// go:embed has checked its patterns
			panic(fmt.Sprintf("the binary lacks a part of its HTML report, %s: it was built wrongly", name))
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	return b.String()
}
