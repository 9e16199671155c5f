package builder

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	modversion "golang.org/x/mod/module"

	"github.com/podclock/podclock/harness/kubelets"
)

// miniatureTree makes the miniature's modules a source tree of v1.37.2 in the working directory, with one commit.
func miniatureTree(t *testing.T) (source string) {
	g := NewWithT(t)
	source = useMiniatureNode(t)
	g.Expect(os.WriteFile(filepath.Join(source, "go.mod"),
		[]byte("module github.com/podclock/podclock\n\ngo 1.26.0\n"), 0o644)).To(Succeed())
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		file := filepath.Join("kubernetes", filepath.FromSlash(name))
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(file, []byte(text), 0o644)).To(Succeed())
	}
	for name, text := range miniature[modversion.Version{Path: "k8s.io/kubernetes", Version: "v1.37.2"}] {
		write(name, text)
	}
	for name, text := range miniature[modversion.Version{Path: "k8s.io/component-base", Version: "v0.36.3"}] {
		write("staging/src/k8s.io/component-base/"+name, text)
	}
	write("go.mod", `module k8s.io/kubernetes

go 1.26.0

require (
	github.com/fsnotify/fsnotify v1.9.0
	k8s.io/component-base v0.0.0
)

replace k8s.io/component-base => ./staging/src/k8s.io/component-base
`)
	write("go.sum", "")
	git(t, "init", "--quiet")
	commit(t)
	git(t, "tag", "v1.37.2")
	return source
}

func git(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("git", append([]string{
		"-C", "kubernetes", "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false",
	}, args...)...).CombinedOutput()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), string(out))
}

func commit(t *testing.T) {
	t.Helper()
	git(t, "add", "--all")
	git(t, "commit", "--quiet", "--message=one")
}

// change replaces text in a file of the tree.
func change(t *testing.T, file, before, after string) {
	t.Helper()
	g := NewWithT(t)
	file = filepath.Join("kubernetes", filepath.FromSlash(file))
	text, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(ContainSubstring(before))
	g.Expect(os.WriteFile(file, bytes.ReplaceAll(text, []byte(before), []byte(after)), 0o644)).To(Succeed())
}

const worker = "pkg/kubelet/prober/worker.go"

func TestBuildOfASourceTree(t *testing.T) {
	defer func(space uint64) { treeSpace = space }(treeSpace)
	treeSpace = 64 << 20
	source := miniatureTree(t)
	build := func(t *testing.T, name string) (Binary, string, error) {
		t.Helper()
		s, err := kubelets.ParseSubject(name)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		var log bytes.Buffer
		b, err := Build(t.Context(), s, Options{Source: source, Log: &log})
		return b, log.String(), err
	}
	built := func(t *testing.T, name string) (b Binary, printed string) {
		t.Helper()
		g := NewWithT(t)
		b, log, err := build(t, name)
		g.Expect(err).NotTo(HaveOccurred(), log)
		out, err := exec.Command(b.Path).Output()
		g.Expect(err).NotTo(HaveOccurred())
		return b, string(out)
	}

	t.Run("asks for the space it needs", func(t *testing.T) {
		defer func(space uint64) { treeSpace = space }(treeSpace)
		treeSpace = 1 << 62
		_, _, err := build(t, "virtual:./kubernetes")
		NewWithT(t).Expect(err).To(MatchError(MatchRegexp("has [0-9]+ MB free and the build of a source tree needs")))
	})

	first, printed := built(t, "virtual:./kubernetes")
	t.Run("has the version of its tag and the virtual node's files", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(printed).To(Equal("memory 0 mark 37 stub\n"))
		g.Expect(first.Version).To(Equal("v1.37.2"))
		b, printed := built(t, "./kubernetes")
		g.Expect(printed).To(Equal("0\n"), "no virtual node")
		g.Expect(filepath.Base(b.Path)).To(Equal("kubelet"))
	})

	t.Run("is the same if nothing changed", func(t *testing.T) {
		again, _ := built(t, "virtual:./kubernetes")
		NewWithT(t).Expect(again).To(Equal(first))
	})

	change(t, worker, "w.resultRun = 0", "w.resultRun = 7")
	t.Run("has uncommitted changes, and leaves programs of before alone", func(t *testing.T) {
		g := NewWithT(t)
		b, printed := built(t, "virtual:./kubernetes")
		g.Expect(printed).To(Equal("memory 7 mark 37 stub\n"))
		g.Expect(b.Version).To(Equal("v1.37.2+dirty"))
		before, err := exec.Command(first.Path).Output()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(before)).To(Equal("memory 0 mark 37 stub\n"))
	})

	t.Run("can be a revision, which lacks uncommitted changes", func(t *testing.T) {
		g := NewWithT(t)
		b, log, err := build(t, "virtual:./kubernetes@v1.37.2")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(b.SHA256).To(Equal(first.SHA256), "the path it was built in is not in it")
		g.Expect(log).To(ContainSubstring("the uncommitted changes of ./kubernetes are no part of"))
		g.Expect(os.ReadFile(filepath.Join("kubernetes", worker))).To(ContainSubstring("resultRun = 7"))
	})

	t.Run("that does not compile shows the compiler's lines", func(t *testing.T) {
		g := NewWithT(t)
		change(t, worker, "w.resultRun = 7", "w.resultRun = seven")
		for _, name := range []string{"./kubernetes", "virtual:./kubernetes"} {
			_, _, err := build(t, name)
			g.Expect(err).To(MatchError(And(
				ContainSubstring("./kubernetes does not compile: "),
				ContainSubstring("./kubernetes/"+worker+":5:44: undefined: seven"))))
			g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line: %v", err)
		}
		change(t, worker, "w.resultRun = seven", "w.resultRun = 7")
	})

	t.Run("whose API moved names the call", func(t *testing.T) {
		g := NewWithT(t)
		change(t, worker, "AfterKill", "AfterDeath")
		_, _, err := build(t, "virtual:./kubernetes")
		g.Expect(err).To(MatchError(And(
			ContainSubstring("the API of ./kubernetes moved: podclock's own code"),
			ContainSubstring("harness/virtual/_node/main.go:"),
			ContainSubstring("undefined: prober.AfterKill"))))
		change(t, worker, "AfterDeath", "AfterKill")
	})

	t.Run("whose replaced file moved names what it lacks", func(t *testing.T) {
		g := NewWithT(t)
		change(t, "pkg/probe/dialer_others.go", "Dials()", "Calls()")
		const calls = "\n\nimport \"k8s.io/kubernetes/pkg/probe\"\n\nvar _ = probe.Calls\n"
		change(t, worker, "package prober\n", "package prober"+calls)
		_, _, err := build(t, "virtual:./kubernetes")
		g.Expect(err).To(MatchError(ContainSubstring("podclock's pkg/probe/dialer_others.go has no Calls")))
		change(t, worker, calls, "\n")
		g.Expect(os.Remove("kubernetes/pkg/probe/dialer_others.go")).To(Succeed())
		_, _, err = build(t, "virtual:./kubernetes")
		g.Expect(err).To(MatchError(ContainSubstring("replaces a file that v1.37.2+dirty does not have")))
		git(t, "checkout", "--quiet", "pkg/probe")
	})

	t.Run("whose module files lack a module names the remedy", func(t *testing.T) {
		g := NewWithT(t)
		change(t, worker, "package prober\n", "package prober\n\nimport _ \"golang.org/x/mod/semver\"\n")
		change(t, "go.mod", "require (\n", "require (\n\tgolang.org/x/mod v0.30.0\n")
		_, _, err := build(t, "virtual:./kubernetes")
		g.Expect(err).To(MatchError(And(
			ContainSubstring("the module files of ./kubernetes do not pin all"),
			ContainSubstring("hack/update-vendor.sh"))))
		git(t, "checkout", "--quiet", "go.mod")
		change(t, worker, "\n\nimport _ \"golang.org/x/mod/semver\"\n", "\n")
	})

	commit(t)
	git(t, "tag", "v1.38.0-alpha.1")
	t.Run("of a pre-release has the code of the nearest release", func(t *testing.T) {
		g := NewWithT(t)
		b, log, err := build(t, "virtual:./kubernetes")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(b.Version).To(Equal("v1.38.0-alpha.1"))
		g.Expect(log).To(ContainSubstring("the nearest is v1.37, and the virtual node's code"))
		git(t, "tag", "v1.37.0-alpha.1")
		git(t, "tag", "--delete", "v1.38.0-alpha.1")
		_, printed := built(t, "virtual:./kubernetes")
		g.Expect(printed).To(Equal("memory 7 mark 36 stub\n"), "an alpha has the code of the branch before")
		change(t, worker, "AfterKill", "AfterDeath")
		g.Expect(os.WriteFile(filepath.Join(source, "harness/virtual/_node/inner/new.go"), []byte(
			"//go:build kubelet1_37\n\npackage inner\n\nimport \"k8s.io/kubernetes/pkg/kubelet/prober\"\n\n"+
				"const Minor = 37\n\nvar AfterKill = prober.AfterDeath\n"), 0o644)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(source, "harness/virtual/_node/inner/old.go"), []byte(
			"//go:build !kubelet1_37\n\npackage inner\n\nimport \"k8s.io/kubernetes/pkg/kubelet/prober\"\n\n"+
				"const Minor = 36\n\nvar AfterKill = prober.AfterKill\n"), 0o644)).To(Succeed())
		main := filepath.Join(source, "harness/virtual/_node/main.go")
		text, err := os.ReadFile(main)
		g.Expect(err).NotTo(HaveOccurred())
		text = bytes.ReplaceAll(text, []byte("prober.AfterKill()"), []byte("inner.AfterKill()"))
		text = bytes.ReplaceAll(text, []byte("\t\"k8s.io/kubernetes/pkg/kubelet/prober\"\n"), nil)
		g.Expect(os.WriteFile(main, text, 0o644)).To(Succeed())
		_, printed = built(t, "virtual:./kubernetes")
		g.Expect(printed).To(Equal("memory 7 mark 37 stub\n"), "it has the code of its own branch already")
	})

	t.Run("has no key", func(t *testing.T) {
		s, err := kubelets.ParseSubject("./kubernetes")
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = Key(t.Context(), s, Options{Source: source})
		g.Expect(err).To(MatchError(ContainSubstring("has no hash")))
	})
}
