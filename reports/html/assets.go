// Package html renders one run as one self-contained page: nothing that it shows is fetched from anywhere. It judges nothing and knows no cluster; all
// numbers come from package reports, all timelines from package drawing.
package html

import _ "embed"

// The charts are uPlot's, version 1.6.32 (MIT, see assets/uplot.LICENSE), as its npm package has it minified.
var (
	//go:embed assets/uplot.min.js
	uPlot string
	//go:embed assets/uplot.min.css
	uPlotStyle string
)

// Assets are the script and the style sheet of the chart library, for the <script> and the <style> of a page that must not load anything. The script
// defines the global uPlot.
func Assets() (js, css string) { return uPlot, uPlotStyle }
