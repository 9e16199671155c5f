package render

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/suites"
)

func TestNoSuchFormat(t *testing.T) {
	_, err := Find("pdf")
	NewWithT(t).Expect(err).
		To(MatchError(`there is no format "pdf": there are html, markdown, junit, conformance, openmetrics, ` +
			"summary, annotations"))
}

func TestSettings(t *testing.T) {
	g := NewWithT(t)
	of := settings(Finder(suites.Catalogue()))
	g.Expect(of("termination/grace-1")).To(BeEmpty())
	g.Expect(of("restarts/crash-exit-0-to-300s")).To(Equal("PROFILE=full"))
	g.Expect(of("no/such-trial")).To(BeEmpty())
}
