//go:build e2e

package suites_test

import (
	"os"
	"testing"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/specs"
)

// exitCode is the code of the run in this process.
var exitCode = run.ExitUnjudged

func TestMain(m *testing.M) {
	if code := m.Run(); code == 0 && exitCode == run.ExitConforms {
		os.Exit(0)
	}
	os.Exit(max(exitCode, run.ExitDeviates))
}

// TestSuites is `podclock run` for `ginkgo --tags e2e ./suites`: the same specs, configured by the same variables. It
// has a build tag because it boots a cluster if a subject is in the node lane.
func TestSuites(t *testing.T) {
	kindConfig, err := os.ReadFile("../kind-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	podclock := cli.App{Catalogue: suites.Catalogue, Suite: specs.Suite(t), KindConfig: kindConfig}
	exitCode = podclock.Execute(t.Context(), []string{"run"}, os.Stdin, os.Stdout, os.Stderr)
	if exitCode != run.ExitConforms {
		t.Fail()
	}
}
