package render

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/suites"
)

func TestNoSuchFormat(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Names()).
		To(ContainElements("html", "markdown", "junit", "conformance", "openmetrics", "summary", "annotations"))
	_, err := Find("pdf")
	g.Expect(err).To(MatchError(`there is no format "pdf": there are ` + strings.Join(Names(), ", ")))
}

func TestSettings(t *testing.T) {
	g := NewWithT(t)
	trials := view.Catalogue(trial.Finder(suites.Catalogue()))
	g.Expect(trials.Command("make e2e", "termination/grace-1")).To(Equal("make e2e"))
	g.Expect(trials.Command("make e2e", "restarts/crash-exit-0-to-300s")).To(Equal("make e2e PROFILE=full"))
	g.Expect(trials.Command("make e2e", "no/such-trial")).To(Equal("make e2e"))
}
