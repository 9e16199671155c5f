package tree

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/cache"
)

// newTree writes the files by which a tree is known, and its changelog.
func newTree(t *testing.T, folder string) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":                           "module k8s.io/kubernetes\n",
		staging + "/component-base/go.mod": "module k8s.io/component-base\n",
		versionFile:                        "package version\n\nconst (\n\tDefaultKubeBinaryVersion = \"1.36\"\n)\n",
		"CHANGELOG/CHANGELOG-1.36.md":      "# v1.36.2\n\nfixes\n\n# v1.36.1\n",
		"vendor/modules.txt":               "# modules\n",
		"pkg/kubelet/kubelet.go":           "package kubelet\n",
	} {
		write(t, filepath.Join(folder, filepath.FromSlash(name)), text)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	g := NewWithT(t)
	g.Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(file, []byte(text), 0o644)).To(Succeed())
}

func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{
		"-C", folder, "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false",
	}, args...)...)
	out, err := cmd.CombinedOutput()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), string(out))
	return strings.TrimSpace(string(out))
}

func commitAll(t *testing.T, folder string) (commit string) {
	t.Helper()
	git(t, folder, "init", "--quiet")
	git(t, folder, "add", "--all")
	git(t, folder, "commit", "--quiet", "--message=one")
	return git(t, folder, "rev-parse", "HEAD")
}

func patchOf(branch string) string { return branch + ".9" }

func TestVersionOfATree(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	newTree(t, "k")
	opened := func(name string) Tree {
		folder, revision, found := Cut(name)
		g.Expect(found).To(BeTrue())
		tree, err := Open(folder, revision, patchOf)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(tree.String()).To(Equal(name))
		return tree
	}

	noGit := opened("./k")
	g.Expect(noGit.Version).To(Equal("v1.36.2"))
	g.Expect(noGit.Guess).To(And(
		HavePrefix("version v1.36.2 is from CHANGELOG/CHANGELOG-1.36.md"), ContainSubstring("no git repository")))

	commit := commitAll(t, "k")
	untagged := opened("k")
	g.Expect(untagged.Version).To(Equal("v1.36.2+" + commit[:14]))
	g.Expect(untagged.Guess).To(ContainSubstring("git finds no tag of a release"))

	git(t, "k", "tag", "v1.36.3")
	g.Expect(opened("k")).To(Equal(Tree{Path: "k", Version: "v1.36.3", Commit: commit}))

	write(t, "k/pkg/kubelet/new.go", "package kubelet\n")
	g.Expect(opened("k")).To(Equal(Tree{Path: "k", Version: "v1.36.3+dirty", Commit: commit, Dirty: true}))
	g.Expect(opened("k@v1.36.3")).To(Equal(
		Tree{Path: "k", Revision: "v1.36.3", Version: "v1.36.3", Commit: commit, LeavesOut: true}))

	later := commitAll(t, "k")
	g.Expect(opened("k").Version).To(Equal("v1.36.3+" + later[:14]))
	g.Expect(opened("k@HEAD@{1}").Version).To(Equal("v1.36.3"), "the revision has an at sign of its own")
	write(t, "k/pkg/kubelet/new.go", "package kubelet // changed\n")
	g.Expect(opened("k").Version).To(Equal("v1.36.3+" + later[:14] + "-dirty"))

	git(t, "k", "tag", "v1.37.0-alpha.1", "HEAD~1")
	git(t, "k", "tag", "--delete", "v1.36.3")
	g.Expect(opened("k@HEAD").Version).To(Equal("v1.37.0-alpha.1.1+" + later[:14]))

	write(t, "k/inside/go.mod", "module k8s.io/kubernetes\n")
	write(t, "k/inside/"+staging+"/component-base/go.mod", "module k8s.io/component-base\n")
	write(t, "k/inside/"+versionFile, "const DefaultKubeBinaryVersion = \"1.35\"\n")
	inside := opened("k/inside")
	g.Expect(inside.Version).To(Equal("v1.35.9"), "another repository's tags are not the tree's")
	g.Expect(inside.Guess).To(ContainSubstring("is not the root of a git repository"))
}

func TestVersionThatTheUserNames(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	newTree(t, "k")
	plain, err := Open("k", "", patchOf)
	g.Expect(err).NotTo(HaveOccurred())
	known, err := plain.With("v1.36.3")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(known.Version).To(Equal("v1.36.3"))
	_, err = plain.With("v1.37.0")
	g.Expect(err).To(MatchError(ContainSubstring(`"k" is the source of v1.36.2, not of v1.37.0`)))

	newTree(t, "silent")
	g.Expect(os.RemoveAll("silent/CHANGELOG")).To(Succeed())
	g.Expect(os.Remove("silent/" + versionFile)).To(Succeed())
	silent, err := Open("silent", "", patchOf)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(silent.Version).To(BeEmpty())
	g.Expect(silent.Guess).To(HaveSuffix("is no git repository, and no file in CHANGELOG names a release"))
	silent, err = silent.With("v1.30.1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(silent.Version).To(Equal("v1.30.1"))

	commit := commitAll(t, "k")
	untagged, err := Open("k", "", patchOf)
	g.Expect(err).NotTo(HaveOccurred())
	known, err = untagged.With("v1.36.3")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(known.Version).To(Equal("v1.36.3+" + commit[:14]))
	again, err := untagged.With(known.Version)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(known), "the name of a subject is read again")
	_, err = untagged.With("v1.36.3+00000000000000")
	g.Expect(err).To(HaveOccurred(), "another commit")

	git(t, "k", "tag", "v1.36.4")
	tagged, err := Open("k", "", patchOf)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = tagged.With("v1.36.3")
	g.Expect(err).To(HaveOccurred(), "the tag decides")
}

func TestFolderThatIsNoTree(t *testing.T) {
	t.Chdir(t.TempDir())
	newTree(t, "k")
	g := NewWithT(t)
	newTree(t, "published")
	g.Expect(os.RemoveAll("published/staging")).To(Succeed())
	write(t, "other/go.mod", "module example.com/other\n")
	g.Expect(os.Mkdir("empty", 0o755)).To(Succeed())
	newTree(t, "repository")
	commitAll(t, "repository")
	git(t, "repository", "tag", "v1.36.3")
	write(t, "repository/pkg/kubelet/new.go", "package kubelet\n")
	commitAll(t, "repository")
	here, err := os.Getwd()
	g.Expect(err).NotTo(HaveOccurred())
	git(t, ".", "clone", "--quiet", "--depth=1", "file://"+filepath.Join(here, "repository"), "shallow")

	for name, wanted := range map[string][]string{
		"empty":             {`"empty" is a folder, but no source tree of Kubernetes: it has no go.mod`},
		"other":             {"its go.mod is that of module example.com/other instead of k8s.io/kubernetes"},
		"published":         {"it has no modules in staging/src/k8s.io, as the published module"},
		"k@v1.36.3":         {"is no git repository", `so it has no revision "v1.36.3": write k alone`},
		"repository@gone":   {`repository" has no revision "gone": correct it, or fetch it`},
		"repository@--help": {`repository" has no revision "--help"`},
		"shallow@v1.36.2":   {`has no revision "v1.36.2": the clone is shallow`, "git fetch --unshallow"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			folder, revision, found := Cut(name)
			g.Expect(found).To(BeTrue())
			_, err := Open(folder, revision, patchOf)
			g.Expect(err).To(HaveOccurred())
			for _, part := range wanted {
				g.Expect(err.Error()).To(ContainSubstring(part))
			}
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
		})
	}
	_, _, found := Cut("gone@v1.36.3")
	g.Expect(found).To(BeFalse())
}

func TestSourceOfARevisionLeavesTheWorkTreeAlone(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	t.Setenv(cache.Variable, t.TempDir())
	newTree(t, "k")
	commitAll(t, "k")
	git(t, "k", "tag", "v1.36.3")
	write(t, "k/pkg/kubelet/kubelet.go", "package kubelet // changed\n")
	git(t, "k", "add", "pkg")
	before := git(t, "k", "status", "--porcelain")
	index, err := os.ReadFile("k/.git/index")
	g.Expect(err).NotTo(HaveOccurred())

	tree, err := Open("k", "HEAD", patchOf)
	g.Expect(err).NotTo(HaveOccurred())
	for range 2 { // the second finds it in the cache
		source, err := tree.Source(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.ReadFile(filepath.Join(source, "pkg/kubelet/kubelet.go"))).To(Equal([]byte("package kubelet\n")))
		g.Expect(filepath.Join(source, "vendor")).NotTo(BeADirectory())
	}
	g.Expect(git(t, "k", "status", "--porcelain")).To(Equal(before))
	g.Expect(os.ReadFile("k/.git/index")).To(Equal(index))
	g.Expect(git(t, "k", "worktree", "list")).NotTo(ContainSubstring(os.Getenv(cache.Variable)))

	work, err := Open("k", "", patchOf)
	g.Expect(err).NotTo(HaveOccurred())
	here, err := filepath.EvalSymlinks("k")
	g.Expect(err).NotTo(HaveOccurred())
	here, err = filepath.Abs(here)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(work.Source(t.Context())).To(Equal(here))
}
