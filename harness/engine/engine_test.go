package engine

import (
	"io"
	"testing"

	. "github.com/onsi/gomega"
)

// Whoever can't have a container engine learns what can be had without one.
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
