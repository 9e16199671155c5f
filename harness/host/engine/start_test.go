package engine

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func serverWithRuntime(path string) server {
	return server{Runtimes: map[string]struct{ Path string }{"runc": {"runc"}, runtimeName: {path}}}
}

func TestKeepRuntimePutsBackWhatTheRunningServerNeeds(t *testing.T) {
	g := NewWithT(t)
	shim := filepath.Join(t.TempDir(), "emptied", "runtimeshim")
	g.Expect(keepRuntime(t.Context(), serverWithRuntime(shim))).To(Succeed())
	info, err := os.Stat(shim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()&0o111).NotTo(BeZero(), "the runtime is not executable")
}

func TestKeepRuntimeKeepsAnExistingRuntime(t *testing.T) {
	g := NewWithT(t)
	shim := filepath.Join(t.TempDir(), "runtimeshim")
	g.Expect(os.WriteFile(shim, []byte("as it was"), 0o700)).To(Succeed())
	g.Expect(keepRuntime(t.Context(), serverWithRuntime(shim))).To(Succeed())
	g.Expect(os.ReadFile(shim)).To(BeEquivalentTo("as it was"))

	g.Expect(keepRuntime(t.Context(), server{Runtimes: map[string]struct{ Path string }{"runc": {"runc"}}})).
		To(Succeed())
}
