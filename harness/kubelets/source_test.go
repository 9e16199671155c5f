package kubelets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/kubelets/tree"
	"github.com/podclock/podclock/harness/measure/run"
)

// sources writes the files by which a source tree is known. Its changelog names a release, if it is not empty.
func sources(t *testing.T, folder, release string) {
	t.Helper()
	g := NewWithT(t)
	for name, text := range map[string]string{
		"go.mod": "module k8s.io/kubernetes\n",
		"staging/src/k8s.io/component-base/go.mod":             "module k8s.io/component-base\n",
		"CHANGELOG/CHANGELOG-" + semverBranch(release) + ".md": "# " + release + "\n",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(file, []byte(text), 0o644)).To(Succeed())
	}
}

func semverBranch(release string) string {
	parts := strings.Split(strings.TrimPrefix(release, "v"), ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func TestParseSubjectOfASourceTree(t *testing.T) {
	t.Chdir(t.TempDir())
	sources(t, "kubernetes", "v1.36.3")
	sources(t, "old", "v1.35.3")
	for input, wanted := range map[string]Subject{
		"./kubernetes":                 {Version: "v1.36.3"},
		"v1.36.4@./kubernetes":         {Version: "v1.36.4"},
		"virtual:./kubernetes":         {Version: "v1.36.3", Virtual: true},
		"virtual:v1.36.3@kubernetes/":  {Version: "v1.36.3", Virtual: true},
		"v1.35.4@./old@containerd-1.7": {Version: "v1.35.4", Runtime: "containerd-1.7"},
		"./kubernetes#2":               {Version: "v1.36.3", Copy: 2},
	} {
		t.Run(input, func(t *testing.T) {
			g := NewWithT(t)
			s, err := ParseSubject(input)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(filepath.Clean(s.Tree.Path)).To(BeElementOf("kubernetes", "old"))
			g.Expect(s.FromTree()).To(BeTrue())
			g.Expect(s.Own()).To(BeFalse(), "podclock builds it")
			g.Expect(s.Released()).To(BeFalse(), "the node image's kubelet is not accepted")
			g.Expect(s.Validate()).To(Succeed())
			again, err := ParseSubject(s.String())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again.String()).To(Equal(s.String()))
			g.Expect(validation.IsDNS1123Label(s.Slug())).To(BeEmpty())
			s.Tree = tree.Tree{}
			g.Expect(s).To(Equal(wanted))
		})
	}
	g := NewWithT(t)
	node, err := ParseSubject("./kubernetes")
	g.Expect(err).NotTo(HaveOccurred())
	virtual, err := ParseSubjects(run.VirtualLane, "./kubernetes")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(virtual[0].String()).To(Equal("virtual:v1.36.3@./kubernetes"))
	g.Expect(virtual[0].Slug()).NotTo(Equal(node.Slug()))
	_, err = ParseSubjects(run.NodeLane, "./kubernetes,virtual:./kubernetes")
	g.Expect(err).NotTo(HaveOccurred(), "the lanes differ")
	_, err = ParseSubjects(run.NodeLane, "./kubernetes,kubernetes/")
	g.Expect(err).To(MatchError(ContainSubstring("are the same source tree")))
}

func TestSourceTreesThatAreTooOldOrTooNew(t *testing.T) {
	t.Chdir(t.TempDir())
	for release, wanted := range map[string]struct{ node, virtual string }{
		"v1.22.9":         {"the oldest that podclock knows is v1.23", "check out a newer revision"},
		"v1.29.0":         {"", "the oldest that a virtual node knows is v1.30"},
		"v1.30.0":         {"", ""},
		"v1.38.0-alpha.2": {"", ""},
		"v1.39.0-alpha.0": {"the newest that podclock knows is v1.37", "beside trees of v1.38: use a newer podclock"},
	} {
		sources(t, release, release)
		for name, part := range map[string]string{"./" + release: wanted.node, "virtual:./" + release: wanted.virtual} {
			t.Run(name, func(t *testing.T) {
				g := NewWithT(t)
				_, err := ParseSubject(name)
				if part == "" {
					g.Expect(err).NotTo(HaveOccurred())
					return
				}
				g.Expect(err).To(MatchError(And(ContainSubstring(part), ContainSubstring("is the source of "+release))))
				g.Expect(errors.Is(err, ErrNodeOnly)).To(BeFalse())
			})
		}
	}
}

func TestSourceTreeOfUnknownVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	sources(t, "kubernetes", "nothing")
	g := NewWithT(t)
	_, err := ParseSubject("./kubernetes")
	g.Expect(err).To(MatchError(And(
		ContainSubstring("the version of ./kubernetes is unknown"), ContainSubstring("such as v1.37.2@./kubernetes"))))
	s, err := ParseSubject("v1.37.2@./kubernetes")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Version).To(Equal("v1.37.2"))
}

func TestNearest(t *testing.T) {
	g := NewWithT(t)
	for version, wanted := range map[string][]string{
		"v1.36.3+0123456789abcd-dirty": {"v1.36"},
		"v1.37.2":                      {"v1.37"},
		"v1.38.0-alpha.1.23+abc":       {"v1.37"},
		"v1.38.1":                      {"v1.37"},
		"v1.37.0-alpha.1":              {"v1.36", "v1.37"},
		"v1.37.0-rc.0":                 {"v1.37", "v1.36"},
		"v1.30.0-alpha.1":              {"v1.30"},
	} {
		g.Expect(Subject{Version: version, Virtual: true}.Nearest()).To(Equal(wanted), version)
	}
}
