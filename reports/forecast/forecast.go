// Package forecast renders what is predicted of a manifest: as text, JSON, YAML, SVG and HTML, and what is
// wrong with it as text and SARIF. It predicts nothing itself.
package forecast

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
)

// Forecast is what is predicted of one manifest by one kubelet's rules, and what was found in it.
type Forecast struct {
	// Manifest is what the manifest is called: a file's name.
	Manifest string `json:"manifest"`
	// Kubelet is the kubelet whose rules hold. Extrapolated says that it is outside the releases whose
	// sources were read.
	Kubelet      formula.Kubelet `json:"kubelet"`
	Extrapolated bool            `json:"extrapolated,omitempty"`
	// Predictions are the workloads', in the order of the manifest, with what was found in each; all
	// durations are nanoseconds.
	Predictions []predict.Prediction `json:"predictions"`
	// Formulas are those that the predictions name, by their IDs.
	Formulas map[string]predict.Formula `json:"formulas"`
	// Skipped are the objects that make no pods.
	Skipped []manifest.Skipped `json:"skipped,omitempty"`
}

// Of predicts a manifest of a name.
func Of(name string, m manifest.Manifest, k formula.Kubelet, o predict.Options) Forecast {
	f := Forecast{
		Manifest:     name,
		Kubelet:      k,
		Extrapolated: k.Extrapolated(),
		Skipped:      m.Skipped,
		Predictions:  predict.All(predict.Workloads(m), k, o),
	}
	f.Formulas = predict.Formulas(f.Predictions)
	return f
}

// Finds says whether there are findings of a level or a graver one.
func (f Forecast) Finds(l findings.Level) bool {
	return slices.ContainsFunc(f.findings(), func(found findings.Finding) bool { return found.Level.AtLeast(l) })
}

// findings are all that were found, in the order of the manifest.
func (f Forecast) findings() []findings.Finding {
	var all []findings.Finding
	for i := range f.Predictions {
		all = append(all, f.Predictions[i].Findings...)
	}
	return all
}
