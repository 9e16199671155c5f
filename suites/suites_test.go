//go:build e2e

package suites_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/caarlos0/env/v11"
	"github.com/onsi/ginkgo/v2"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/specs"
)

// The suite boots a real cluster where a subject is in the node lane, so it has a build tag: `ginkgo --tags
// e2e ./suites` runs the same specs as `podclock run`.

// suite is that of this process; nil where it could not be made.
var suite *specs.Suite

func TestMain(m *testing.M) {
	// What client-go logs of an API server that went away, the report says in its own words.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	code := m.Run()
	if suite != nil {
		code = suite.Conclude(code == 0)
	}
	os.Exit(code)
}

func TestSuites(t *testing.T) {
	config, err := session.ParseConfig(env.ToMap(os.Environ()))
	if err == nil {
		suite = specs.Bind(config, os.Stderr)
		_, err = suite.Select(ginkgo.GinkgoConfiguration())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "podclock:", err)
		os.Exit(run.ExitUnjudged)
	}
	configuration, reporter := ginkgo.GinkgoConfiguration()
	suite.Run(t, configuration, reporter)
}
