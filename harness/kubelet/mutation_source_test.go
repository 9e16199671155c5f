package kubelet

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// Every mutation must match once in the source of every version that it was written for: one that stopped
// matching would only be noticed when somebody asks for it. That it compiles, building it tells.
func TestEveryMutationMatchesOnceInItsSources(t *testing.T) {
	source, err := filepath.Abs("../..")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, p := range append(pins(), virtualPins()...) {
		t.Run(p.folder, func(t *testing.T) {
			modules := newModuleSources(t, p, source)
			met := 0
			for _, m := range Mutations() {
				if !m.Versions.Contains(p.version) {
					continue
				}
				met++
				t.Run(m.Name, func(t *testing.T) {
					g := NewWithT(t)
					text, err := os.ReadFile(filepath.Join(modules.folder(t, m.module()), filepath.FromSlash(m.File)))
					g.Expect(err).NotTo(HaveOccurred(), "adapt the mutation, or narrow its range of versions")
					mutated, err := m.Apply(text)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(string(mutated)).NotTo(Equal(string(text)))
				})
			}
			if met == 0 {
				t.Skip("no mutation is for " + p.version)
			}
		})
	}
}

// moduleSources are the folders of the modules that a version pins, as the go command has them.
type moduleSources struct {
	work    string
	folders map[string]string
	failed  map[string]error
}

func newModuleSources(t *testing.T, p pin, source string) moduleSources {
	t.Helper()
	g := NewWithT(t)
	modules, err := p.read(source)
	g.Expect(err).NotTo(HaveOccurred())
	work := t.TempDir()
	g.Expect(writeModule(work, modules.goMod, modules.goSum)).To(Succeed())
	return moduleSources{work, map[string]string{}, map[string]error{}}
}

// folder is that of a module. The test is skipped where it can't be had: without a network, a cache that
// was never filled.
func (m moduleSources) folder(t *testing.T, module string) string {
	t.Helper()
	if m.folders[module] == "" && m.failed[module] == nil {
		m.folders[module], m.failed[module] = download(t.Context(), m.work, module)
	}
	if err := m.failed[module]; err != nil {
		t.Skipf("the source can't be had: %v", err)
	}
	return m.folders[module]
}
