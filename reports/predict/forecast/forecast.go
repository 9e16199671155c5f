// Package forecast renders the predictions of a manifest as text, documents for programs, SVG and HTML, and its
// findings as text and SARIF.
package forecast

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Forecast is the predictions of one manifest by one kubelet's rules, with its findings.
type Forecast struct {
	Manifest string
	// Kubelet is the kubelet whose rules hold. Extrapolated is set if its release's source was not read.
	Kubelet      formula.Kubelet
	Extrapolated bool
	// Predictions are in the order of the manifest.
	Predictions []predict.Prediction
	Skipped     []manifest.Skipped
	// Live has the pods of each prediction if they were read from a cluster, at Now. Unread are sentences about what
	// could not be read.
	Live   []next.Group
	Now    time.Time
	Unread []string
	// Presets are the limits of the nodes that the user chose.
	Presets []preset.Preset
}

// Of predicts a manifest with this name.
func Of(name string, m manifest.Manifest, k formula.Kubelet, o predict.Options) Forecast {
	return Forecast{
		Manifest:     name,
		Kubelet:      k,
		Extrapolated: k.Extrapolated(),
		Skipped:      m.Skipped,
		Presets:      o.Presets,
		Predictions:  predict.All(predict.Workloads(m), k, o),
	}
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
