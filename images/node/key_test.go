package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// fakeSource is a source tree that holds every ingredient.
func fakeSource(t *testing.T) source {
	t.Helper()
	s := source{Root: t.TempDir(), KindVersion: "v0.33.0", Go: "go1.26.8"}
	for _, name := range hashedFiles() {
		file := filepath.Join(s.Root, "images", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestKeyFollowsEveryIngredient(t *testing.T) {
	g := NewWithT(t)
	s := fakeSource(t)
	key, err := s.key()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.key()).To(Equal(key))

	seen := map[string]string{key: "nothing changed"}
	changed := func(what string) {
		other, err := s.key()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(seen).NotTo(HaveKey(other), "changing %s gave the key of: %s", what, seen[other])
		seen[other] = what
	}
	for _, name := range hashedFiles() {
		file := filepath.Join(s.Root, "images", name)
		g.Expect(os.WriteFile(file, []byte(name+" changed"), 0o600)).To(Succeed())
		changed(name)
	}
	s.Go = "go1.27.0"
	changed("the toolchain")
	s.KindVersion = "v0.34.0"
	changed("kind")
}

func TestKeyNeedsEveryIngredient(t *testing.T) {
	g := NewWithT(t)
	s := fakeSource(t)
	missing := filepath.Join(s.Root, "images", "node", "runc", "go.sum")
	g.Expect(os.Remove(missing)).To(Succeed())
	_, err := s.key()
	g.Expect(err).To(MatchError(ContainSubstring(missing)))
}

func TestSourceIsThisCheckout(t *testing.T) {
	g := NewWithT(t)
	s, err := findSource(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.key()).To(HaveLen(64), "every ingredient is there")
	g.Expect(filepath.Join(s.KindFiles, "usr", "local", "bin", "entrypoint")).To(BeARegularFile())
	g.Expect(s.Go).To(HavePrefix("go1."))
}

func TestEveryComponentIsPinned(t *testing.T) {
	g := NewWithT(t)
	s, err := findSource(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	for _, c := range components() {
		version, err := c.version(s.Root)
		g.Expect(err).NotTo(HaveOccurred())
		if c.Module == "" {
			continue
		}
		g.Expect(version).To(MatchRegexp(`^v\d+\.\d+\.\d+$`), c.Folder)
		mod, err := os.ReadFile(filepath.Join(s.Root, "images", "node", c.Folder, "go.mod"))
		g.Expect(err).NotTo(HaveOccurred())
		for _, p := range c.Programs {
			g.Expect(string(mod)).
				To(ContainSubstring(p.Package), "the tools of %s keep the sums of %s", c.Folder, p.Package)
		}
	}
}

func TestVersionOfAnUnpinnedComponent(t *testing.T) {
	g := NewWithT(t)
	root := t.TempDir()
	folder := filepath.Join(root, "images", "node", "etcd")
	g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	etcd := component{Folder: "etcd", Module: "go.etcd.io/etcd/server/v3"}
	_, err := etcd.version(root)
	g.Expect(err).To(MatchError(os.ErrNotExist))

	g.Expect(os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module m\n"), 0o600)).To(Succeed())
	_, err = etcd.version(root)
	g.Expect(err).To(MatchError(ContainSubstring("does not require go.etcd.io/etcd/server/v3")))
}

func TestBuildFlagsStampTheVersion(t *testing.T) {
	flags := strings.Join(BuildFlags("v1.36.3"), " ")
	NewWithT(t).Expect(flags).To(And(
		ContainSubstring(
			"version.gitVersion=v1.36.3 ",
		),
		ContainSubstring("version.gitMajor=1 "),
		HaveSuffix("version.gitMinor=36"),
	))
}

func TestKeyIgnoresCommentsAndLayoutOfCode(t *testing.T) {
	g := NewWithT(t)
	hash := func(content string) string {
		file := filepath.Join(t.TempDir(), "a.go")
		g.Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
		sum, err := fileHash(file)
		g.Expect(err).NotTo(HaveOccurred())
		return sum
	}
	before := hash("package a\n\n//go:embed a\nvar x = 1 // one\n")
	g.Expect(hash("package a\n\n// x is one.\n//\n//go:embed a\nvar x =\n\t1\n")).To(Equal(before))
	g.Expect(hash("package a\n\n//go:embed a\nvar x = 2 // one\n")).NotTo(Equal(before))
	g.Expect(hash("package a\n\n//go:embed b\nvar x = 1 // one\n")).NotTo(Equal(before))
}
