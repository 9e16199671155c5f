package folder

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/terminal"
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
		if again, changes := run.Rejudge(judged, find); len(changes) > 0 || len(again.Outcomes) != len(judged.Outcomes) {
			t.Fatalf("judged a second time: %v", changes)
		}
		if err := terminal.Run(io.Discard, judged, terminal.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
