// Package forecast renders the predictions of a manifest as text, JSON, YAML, SVG and HTML, and its findings as
// text and SARIF.
package forecast

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
)

// Forecast is the predictions of one manifest by one kubelet's rules, with its findings.
type Forecast struct {
	Manifest string `json:"manifest"`
	// Kubelet is the kubelet whose rules hold. Extrapolated is set if its release's source was not read.
	Kubelet      formula.Kubelet `json:"kubelet"`
	Extrapolated bool            `json:"extrapolated,omitempty"`
	// Predictions are in the order of the manifest. All durations are nanoseconds.
	Predictions []predict.Prediction       `json:"predictions"`
	Formulas    map[string]predict.Formula `json:"formulas"`
	Skipped     []manifest.Skipped         `json:"skipped,omitempty"`
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

// Finds reports whether a finding has this level or a higher one.
func (f Forecast) Finds(l findings.Level) bool {
	return slices.ContainsFunc(f.findings(), func(found findings.Finding) bool { return found.Level.AtLeast(l) })
}

func (f Forecast) findings() []findings.Finding {
	var all []findings.Finding
	for i := range f.Predictions {
		all = append(all, f.Predictions[i].Findings...)
	}
	return all
}

// ignored says how many findings are ignored, or nothing.
func (f Forecast) ignored() string {
	n := 0
	for i := range f.Predictions {
		n += len(f.Predictions[i].Ignored)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d ignored)", n)
}

// JSON writes a forecast in one line, because indentation would double the size.
func JSON(w io.Writer, f Forecast) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("writing the forecast of %s as JSON: %w", f.Manifest, err)
	}
	return nil
}

// YAML writes the data of JSON.
func YAML(w io.Writer, f Forecast) error {
	text, err := yaml.Marshal(f)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		return fmt.Errorf("writing the forecast of %s as YAML: %w", f.Manifest, err)
	}
	return nil
}
