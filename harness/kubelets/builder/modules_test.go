package builder

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/modfile"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
)

// podclockSource is podclock's own source, seen from this package.
const podclockSource = "../../.."

func allPins() []pin {
	var all []pin
	for _, version := range formula.Versions() {
		all = append(all, pinOf(kubelets.Subject{Version: version}))
	}
	for _, version := range kubelets.VirtualVersions() {
		all = append(all, pinOf(kubelets.Subject{Virtual: true, Version: version}))
	}
	return all
}

func TestEveryVersionIsPinned(t *testing.T) {
	for _, p := range allPins() {
		t.Run(p.folder, func(t *testing.T) {
			g := NewWithT(t)
			modules, err := p.read(podclockSource)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(modules.goSum).NotTo(BeEmpty())

			replaced, err := modules.replaced(mutation.Kubernetes, "kubernetes")
			g.Expect(err).NotTo(HaveOccurred())
			parsed, err := modfile.Parse("go.mod", replaced, nil)
			g.Expect(err).NotTo(HaveOccurred())
			var to string
			for _, r := range parsed.Replace {
				if r.Old.Path == mutation.Kubernetes {
					to = r.New.Path
				}
			}
			g.Expect(to).To(Equal("./kubernetes"))
		})
	}
}

func TestPinThatPinsSomethingElse(t *testing.T) {
	for _, c := range []struct{ what, goMod, says string }{
		{
			"another version", "module m\nrequire k8s.io/kubernetes v1.2.3\n",
			"pins k8s.io/kubernetes v1.2.3, but v1.37.2 is expected",
		},
		{"nothing", "module m\n", "does not require k8s.io/kubernetes"},
		{"no module file", "modul m\n", "unknown directive"},
	} {
		t.Run(c.what, func(t *testing.T) {
			g := NewWithT(t)
			source := t.TempDir()
			g.Expect(moduleFiles{goMod: []byte(c.goMod)}.write(filepath.Join(source, "k"))).To(Succeed())
			_, err := pin{"v1.37.2", "k"}.read(source)
			g.Expect(err).
				To(MatchError(And(ContainSubstring(c.says), ContainSubstring(filepath.Join(source, "k", "go.mod")))))
		})
	}
	_, err := pin{"v1.37.2", "gone"}.read(t.TempDir())
	NewWithT(t).Expect(err).To(MatchError(os.ErrNotExist))
}

// A mutation must match once in the source of every version that it is for. Whether it compiles, its build shows.
// The test needs the source of Kubernetes, 20 MB for each version. It skips a module that cannot be downloaded, except
// in CI. Several pins have the same module, whose file is mutated once.
func TestEveryMutationMatchesOnceInItsSources(t *testing.T) {
	type mutant struct{ file, mutation string }
	mutated := map[mutant]bool{}
	for _, p := range allPins() {
		t.Run(p.folder, func(t *testing.T) {
			g := NewWithT(t)
			modules, err := p.read(podclockSource)
			g.Expect(err).NotTo(HaveOccurred())
			work := t.TempDir()
			g.Expect(modules.write(work)).To(Succeed())
			folders, failed := map[string]string{}, map[string]error{}
			for _, m := range mutation.All() {
				if !m.Versions.Contains(p.version) {
					continue
				}
				t.Run(m.Name, func(t *testing.T) {
					g := NewWithT(t)
					module := m.SourceModule()
					if folders[module] == "" && failed[module] == nil {
						folders[module], failed[module] = download(t.Context(), work, module)
					}
					if err := failed[module]; err != nil {
						g.Expect(os.Getenv("CI")).To(BeEmpty(), "CI needs the source: %v", err)
						t.Skipf("the source can't be downloaded: %v", err)
					}
					file := filepath.Join(folders[module], filepath.FromSlash(m.File))
					if mutated[mutant{file, m.Name}] {
						return
					}
					text, err := os.ReadFile(file)
					g.Expect(err).NotTo(HaveOccurred(), "adapt the mutation, or narrow its range of versions")
					changed, err := m.Apply(text)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(string(changed)).NotTo(Equal(string(text)))
					mutated[mutant{file, m.Name}] = true
				})
			}
		})
	}
}
