package render

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

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
	of := settings(Finder(suites.Catalogue()))
	g.Expect(of("termination/grace-1")).To(BeEmpty())
	g.Expect(of("restarts/crash-exit-0-to-300s")).To(Equal("PROFILE=full"))
	g.Expect(of("no/such-trial")).To(BeEmpty())
}
