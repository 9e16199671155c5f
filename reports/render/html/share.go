package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"

	"github.com/podclock/podclock/harness/measure/trial"
)

// The other pages use these functions and Assets.

// Packed returns a value as JSON, compressed by gzip, in base64. The script of Assets unpacks it. Timelines and
// claims are similar, so they shrink to an eighth.
func Packed(v any) (template.HTML, error) {
	var b bytes.Buffer
	letters := base64.NewEncoder(base64.StdEncoding, &b)
	compressed := gzip.NewWriter(letters)
	encoder := json.NewEncoder(compressed)
	encoder.SetEscapeHTML(false)
	if err := errors.Join(encoder.Encode(v), compressed.Close(), letters.Close()); err != nil {
		return "", fmt.Errorf("packing its data: %w", err)
	}
	return template.HTML(b.String()), nil
}

// glyphs distinguish the verdicts without colours.
var glyphs = map[trial.Verdict]string{
	trial.Conforms: "✓", trial.Divergent: "≠", trial.Unsupported: "–",
	trial.Inconclusive: "?", trial.Deviates: "✕",
}

// Glyph returns the sign of a verdict.
func Glyph(v trial.Verdict) string { return glyphs[v] }

// Class returns the style class of a verdict. An unknown one has the class of the verdict that it counts as.
func Class(v trial.Verdict) string { return string(trial.Worse(v, trial.Conforms)) }
