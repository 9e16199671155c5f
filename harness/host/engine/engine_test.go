package engine

import (
	"io"
	"testing"

	. "github.com/onsi/gomega"
)

// The error without a container engine contains what works without one.
func TestWithoutAnEngineThereIsTheRehearsal(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir()) // no client of any engine
	t.Setenv("KIND_EXPERIMENTAL_PROVIDER", Podman)
	_, err := Ensure(t.Context(), io.Discard)
	g.Expect(err).To(MatchError(ErrNoEngine))
	g.Expect(err).
		To(MatchError(And(ContainSubstring("podman: not installed"),
			ContainSubstring("KIND_EXPERIMENTAL_PROVIDER=podman excludes others"),
			ContainSubstring("make rehearse"))))
}
