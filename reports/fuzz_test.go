package reports

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/podclock/podclock/harness/trial"
	inventory "github.com/podclock/podclock/suites"
)

// FuzzRun loads whatever a run.json holds, judges it again by the catalogue's trials and tells it. What
// can't be read is an error; nothing else may come of it. The seeds are outcomes of real runs, one of each
// area and verdict.
func FuzzRun(f *testing.F) {
	trials := inventory.Index()
	find := func(id string) (trial.Trial, bool) {
		known, ok := trials[id]
		return known, ok
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), RunFile)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Load(file)
		if err != nil {
			return
		}
		judged, _ := Rejudge(r, find)
		if judged.ExitCode() == ExitConforms && len(judged.Outcomes) == 0 {
			t.Fatal("nothing was judged, and all is well")
		}
		if again, changes := Rejudge(judged, find); len(changes) > 0 || len(again.Outcomes) != len(judged.Outcomes) {
			t.Fatalf("judged a second time: %v", changes)
		}
		if err := Summary(io.Discard, judged, SummaryOptions{}); err != nil {
			t.Fatal(err)
		}
	})
}
