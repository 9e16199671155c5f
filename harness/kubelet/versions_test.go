package kubelet

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/modfile"
)

// podclockSource is podclock's own source, seen from this package.
const podclockSource = "../.."

func TestEveryVersionIsPinned(t *testing.T) {
	for _, p := range append(pins(), virtualPins()...) {
		t.Run(p.folder, func(t *testing.T) {
			g := NewWithT(t)
			modules, err := p.read(podclockSource)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(modules.goSum).NotTo(BeEmpty())

			replaced, err := modules.replaced(module, "kubernetes")
			g.Expect(err).NotTo(HaveOccurred())
			parsed, err := modfile.Parse("go.mod", replaced, nil)
			g.Expect(err).NotTo(HaveOccurred())
			var to string
			for _, r := range parsed.Replace {
				if r.Old.Path == module {
					to = r.New.Path
				}
			}
			g.Expect(to).To(Equal("./kubernetes"))
		})
	}
}

func TestPinThatPinsSomethingElse(t *testing.T) {
	for _, c := range []struct{ what, goMod, says string }{
		{"another version", "module m\nrequire k8s.io/kubernetes v1.2.3\n", "pins k8s.io/kubernetes v1.2.3 where v1.36.3 is expected"},
		{"nothing", "module m\n", "does not require k8s.io/kubernetes"},
		{"no module file", "modul m\n", "unknown directive"},
	} {
		t.Run(c.what, func(t *testing.T) {
			g := NewWithT(t)
			source := t.TempDir()
			g.Expect(writeModule(filepath.Join(source, "k"), []byte(c.goMod), nil)).To(Succeed())
			_, err := pin{"v1.36.3", "k"}.read(source)
			g.Expect(err).
				To(MatchError(And(ContainSubstring(c.says), ContainSubstring(filepath.Join(source, "k", "go.mod")))))
		})
	}
	_, err := pin{"v1.36.3", "gone"}.read(t.TempDir())
	NewWithT(t).Expect(err).To(MatchError(os.ErrNotExist))
}

// Needs the source of Kubernetes, 20 MB to download for each version, so it runs only where something was
// built from it before.
func TestEveryMutationMatchesItsVersions(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	for _, p := range pins() {
		t.Run(p.version, func(t *testing.T) {
			g := NewWithT(t)
			modules, err := p.read(podclockSource)
			g.Expect(err).NotTo(HaveOccurred())
			folder := t.TempDir()
			g.Expect(writeModule(folder, modules.goMod, modules.goSum)).To(Succeed())
			for _, m := range Mutations() {
				if !m.Versions.Contains(p.version) {
					continue
				}
				t.Run(m.Name, func(t *testing.T) {
					g := NewWithT(t)
					original, err := download(t.Context(), folder, m.module())
					if err != nil {
						t.Skipf("the source of %s of %s is not in the module cache: %v", m.module(), p.version, err)
					}
					source, err := os.ReadFile(filepath.Join(original, filepath.FromSlash(m.File)))
					g.Expect(err).NotTo(HaveOccurred())
					mutated, err := m.Apply(source)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(mutated).NotTo(Equal(source))
				})
			}
		})
	}
}
