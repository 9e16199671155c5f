package folder

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
	inventory "github.com/podclock/podclock/suites"
)

// FuzzRun loads any run.json, judges it again with the catalogue's trials and renders it. Unreadable input must
// be an error. The seeds are an outcome of a real run, the same evidence as one of the first trial of every
// area, and invalid runs.
func FuzzRun(f *testing.F) {
	trials := inventory.Index()
	find := func(id string) (trial.Trial, bool) {
		known, ok := trials[id]
		return known, ok
	}
	seed, err := os.ReadFile(filepath.Join("testdata", "run.json"))
	if err != nil {
		f.Fatal(err)
	}
	areas := map[string]bool{}
	for _, one := range inventory.Catalogue() {
		if !areas[one.Area()] || one.ID == "probes/impossible-never-counts" { // the seed has this trial's evidence
			areas[one.Area()] = true
			f.Add(bytes.ReplaceAll(seed, []byte("SEEDTRIAL"), []byte(one.ID)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), run.RunFile)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := run.Load(file)
		if err != nil {
			return
		}
		judged, _ := run.Rejudge(r, find)
		if judged.ExitCode() == run.ExitConforms && len(judged.Outcomes) == 0 {
			t.Fatal("nothing was judged, and all is well")
		}
		if again, changes := run.Rejudge(
			judged,
			find,
		); len(changes) > 0 ||
			len(again.Outcomes) != len(judged.Outcomes) {
			t.Fatalf("judged a second time: %v", changes)
		}
		v := view.OverviewOf(judged, nil)
		if err := terminal.Run(io.Discard, v, terminal.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
