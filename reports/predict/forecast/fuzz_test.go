package forecast

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// FuzzForecast predicts and renders every manifest that can be read. Its seeds are those of FuzzRead.
// No step may happen before its timeline begins, and no window may be empty.
func FuzzForecast(f *testing.F) {
	seeds, err := filepath.Glob("../../../harness/predict/manifest/testdata/fuzz/FuzzRead/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("the seeds of FuzzRead: found %d, %v", len(seeds), err)
	}
	for _, name := range seeds {
		seed, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		_, quoted, _ := strings.Cut(strings.TrimSpace(string(seed)), "\n")
		text, err := strconv.Unquote(strings.TrimSuffix(strings.TrimPrefix(quoted, "string("), ")"))
		if err != nil {
			f.Fatalf("%s: %v", name, err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := manifest.Read(strings.NewReader(text), "")
		if err != nil {
			return
		}
		for _, version := range []string{formula.OldestKnown, formula.NewestKnown} {
			all := Of("fuzz.yaml", m, formula.Kubelet{Version: version}, predict.Options{})
			for _, p := range all.Predictions {
				for _, c := range p.Containers {
					for _, line := range c.Timelines {
						for _, s := range line.Steps {
							if s.Implemented.Earliest > s.Implemented.Latest || s.At.Earliest > s.At.Latest ||
								s.At.Earliest < 0 {
								t.Fatalf("%s %s of %s: at %v, %s", line.ID, s.ID, address(p), s.At, s.Implemented)
							}
						}
					}
				}
			}
			for name, render := range map[string]func(io.Writer, Forecast) error{
				"text": func(w io.Writer, f Forecast) error { return Text(w, f, TextOptions{All: true}) },
				"JSON": indentedJSON, "HTML": HTML, "SARIF": versionedSARIF,
			} {
				if err := render(io.Discard, all); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	})
}
