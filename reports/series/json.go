package series

import (
	"encoding/json"
	"fmt"
	"io"
)

// ComparisonJSON writes all of a comparison for programs.
func ComparisonJSON(w io.Writer, c Comparison) error { return writeJSON(w, "the comparison", c) }

// writeJSON writes something indented, with what HTML would escape as it is.
func writeJSON(w io.Writer, what string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}
