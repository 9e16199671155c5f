package cli

import (
	"testing"

	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/cli/prediction"
	"github.com/podclock/podclock/reports/cli/shell"
)

// TestOldNamesWorkAndSayTheNewOne has the names that CHANGELOG.md lists for one release.
func TestOldNamesWorkAndSayTheNewOne(t *testing.T) {
	for name, tt := range map[string]struct {
		args       []string
		code       int
		now, until string
	}{
		"podclock sensitivity": {[]string{"sensitivity", "--judge=/nowhere"}, runs.ExitUnjudged,
			"podclock sensitivity is now podclock mutants", "no saved mutation report at /nowhere"},
		"--on=existing": {[]string{"run", "--on=existing", "--kubeconfig=/nowhere", "--yes"}, runs.ExitUnjudged,
			"--on=existing is now --on=external", "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			got := start(t, nil, tt.args...)
			g := NewWithT(t)
			g.Expect(got.code).To(Equal(tt.code))
			g.Expect(got.log).To(And(ContainSubstring(tt.now), ContainSubstring(tt.until)))
		})
	}
}

// TestExitCodesMeanOneThing compares those of commands that measure with those of commands that predict, which know
// nothing of a run.
func TestExitCodesMeanOneThing(t *testing.T) {
	g := NewWithT(t)
	g.Expect(shell.Succeeded).To(Equal(runs.ExitConforms))
	g.Expect(prediction.FoundSome).To(Equal(runs.ExitDeviates))
	g.Expect(shell.Failed).To(Equal(runs.ExitUnjudged))
}
