package forecast

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// JSON writes all of a forecast in one line; durations are nanoseconds. Indentation would be more than half
// of it, which a manifest of many documents makes long.
func JSON(w io.Writer, f Forecast) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("writing the forecast of %s as JSON: %w", f.Manifest, err)
	}
	return nil
}

// YAML writes the same as JSON does.
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
