// Package forecast renders the predictions of a manifest as text, JSON, YAML, SVG and HTML, and its findings as text
// and SARIF. It computes no predictions.
package forecast

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
)

// Forecast is the predictions of one manifest by one kubelet's rules, with the findings in it.
type Forecast struct {
	// Manifest is the name of the manifest, such as a file's name.
	Manifest string `json:"manifest"`
	// Kubelet is the kubelet whose rules hold. Extrapolated is set if it is outside the releases whose sources were
	// read.
	Kubelet      formula.Kubelet `json:"kubelet"`
	Extrapolated bool            `json:"extrapolated,omitempty"`
	// Predictions are the workloads' in the order of the manifest. All durations are nanoseconds.
	Predictions []predict.Prediction `json:"predictions"`
	// Formulas are the formulas of the predictions by their IDs.
	Formulas map[string]predict.Formula `json:"formulas"`
	// Skipped counts the objects that make no pods.
	Skipped []manifest.Skipped `json:"skipped,omitempty"`
}

// Of predicts a manifest with this name.
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

// Finds reports whether a finding has this level or a graver one.
func (f Forecast) Finds(l findings.Level) bool {
	return slices.ContainsFunc(f.findings(), func(found findings.Finding) bool { return found.Level.AtLeast(l) })
}

// findings returns all findings in the order of the manifest.
func (f Forecast) findings() []findings.Finding {
	var all []findings.Finding
	for i := range f.Predictions {
		all = append(all, f.Predictions[i].Findings...)
	}
	return all
}
