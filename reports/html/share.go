package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"

	"github.com/podclock/podclock/harness/trial"
)

// What podclock's other pages take from this one, beside its Assets.

// Packed is a value as JSON, compressed by gzip, in base64, as the script of Assets unpacks it: letters,
// digits, plus, slash and equals signs, which can stand anywhere in a page. Thousands of timelines and
// claims are much alike, so that they take an eighth of their size.
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

// glyphs are the verdicts' signs: told apart without colours.
var glyphs = map[trial.Verdict]string{
	trial.Conforms: "✓", trial.Divergent: "≠", trial.Unsupported: "–", trial.Inconclusive: "?", trial.Deviates: "✕",
}

// Glyph is a verdict's sign.
func Glyph(v trial.Verdict) string { return glyphs[v] }

// Class is the style class of a verdict: one that none of the five is looks as what it counts as.
func Class(v trial.Verdict) string { return string(trial.Worse(v, trial.Conforms)) }
