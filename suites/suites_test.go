//go:build e2e

package suites_test

import (
	"flag"
	"os"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/specs"
)

// exitCode is the code of the run in this process.
var exitCode = run.ExitUnjudged

// TestMain leaves out the tests of the catalogue, which are in this folder as well.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.run", "^TestSuites$"); err != nil {
		panic(err) // go test has this flag
	}
	if code := m.Run(); code == 0 && exitCode == run.ExitConforms {
		os.Exit(0)
	}
	os.Exit(max(exitCode, run.ExitDeviates))
}

// TestSuites is `podclock run` for `ginkgo --tags e2e ./suites`: the same specs, configured by the same variables. It
// has a build tag because it boots a cluster if a subject is in the node lane. Ginkgo's program takes a folder for a
// suite of its own if a test imports Ginkgo.
func TestSuites(t *testing.T) {
	kindConfig, err := os.ReadFile("../kind-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile("../docs/generated/mutants/proof.json")
	if err != nil {
		t.Fatal(err)
	}
	suite := specs.Suite(ginkgo.GinkgoTestingT(t))
	podclock := cli.App{Catalogue: suites.Catalogue, Suite: suite, KindConfig: kindConfig, Record: record}
	exitCode = podclock.Execute(t.Context(), []string{"run"}, os.Stdin, os.Stdout, os.Stderr)
	if exitCode != run.ExitConforms {
		t.Fail()
	}
}
