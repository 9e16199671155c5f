package forecast

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// JSON writes a forecast in one line. Durations are nanoseconds. Indentation would double the size.
func JSON(w io.Writer, f Forecast) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("writing the forecast of %s as JSON: %w", f.Manifest, err)
	}
	return nil
}

// YAML writes the same data as JSON.
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
