package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/session"
)

// The variables of the conformance image (kubernetes test/conformance/image/go-runner/const.go) that have a meaning
// here. E2E_PARALLEL, E2E_PROVIDER, E2E_VERBOSITY and E2E_USE_GO_RUNNER have none: trials always run at once.
const (
	focusKey       = "E2E_FOCUS"
	skipKey        = "E2E_SKIP"
	dryRunKey      = "E2E_DRYRUN"
	extraKey       = "E2E_EXTRA_ARGS"
	extraGinkgoKey = "E2E_EXTRA_GINKGO_ARGS"
	separatorKey   = "E2E_EXTRA_ARGS_SEP"
	resultsKey     = "RESULTS_DIR"
	// imagesKey is where e2e.test pulls images from (test/utils/image/manifest.go).
	imagesKey = "KUBE_TEST_REPO"
)

// The files that hydrophone and Sonobuoy read (kubernetes test/conformance/image/go-runner/const.go).
const (
	logFile        = "e2e.log"
	junitFile      = "junit_01.xml"
	tarball        = "e2e.tar.gz"
	defaultResults = "/tmp/results"
)

// everything is the focus of hydrophone and Sonobuoy that selects the conformance tests.
const everything = `\[Conformance\]`

// ofE2E are flags of e2e.test that hydrophone or Sonobuoy pass on, and that no trial needs.
var ofE2E = []string{
	"progress-report-url", "e2e-docker-config-file", "provider", "allowed-not-ready-nodes", "clean-start",
}

// flags returns the arguments of podclock run for the conformance image's variables. The run's folder and the JUnit
// report are in results.
func flags(env func(string) string, results string) []string {
	args := []string{
		"run", "--on=" + session.OnExternal, "--yes", "--out=" + results + "/podclock",
		"--junit=" + results + "/" + junitFile,
		"--ginkgo.v", "--ginkgo.no-color", // its log has the number of specs, and a dot for each
	}
	for _, one := range []struct{ flag, key string }{{"focus", focusKey}, {"skip", skipKey}, {"images", imagesKey}} {
		if value := env(one.key); value != "" && value != everything {
			args = append(args, "--"+one.flag+"="+value)
		}
	}
	if env(dryRunKey) != "" {
		args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "--junit=") })
		args = append(args, "--ginkgo.dry-run", "--ginkgo.junit-report="+results+"/"+junitFile)
	}
	separator := env(separatorKey)
	for _, arg := range split(env(extraKey), separator) {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !slices.Contains(ofE2E, name) {
			args = append(args, arg)
		}
	}
	for _, arg := range split(env(extraGinkgoKey), separator) {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name != "procs" && name != "nodes" && name != "p" && name != "v" {
			args = append(args, fmt.Sprintf("--ginkgo.%s", strings.TrimLeft(arg, "-")))
		}
	}
	return args
}

// split splits words at the separator, by default a space, and drops empty ones.
func split(words, separator string) []string {
	if separator == "" {
		separator = " "
	}
	return slices.DeleteFunc(strings.Split(words, separator), func(s string) bool { return s == "" })
}
