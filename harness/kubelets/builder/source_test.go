package builder

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
)

// miniatureNode is a virtual node for the miniature. It prints what a probe dials, the count after a kill,
// and the values of its parts.
var miniatureNode = map[string]string{
	"harness/virtual/_node/main.go": `package main

import (
	"fmt"
	"os"

	"github.com/fsnotify/fsnotify"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/virtual/_node/inner"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/kubelet/prober"
	"k8s.io/kubernetes/pkg/probe"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-version" {
		fmt.Println("Kubernetes " + version.Get())
		return
	}
	fmt.Println(probe.Dials(), prober.AfterKill(), mark.Mark, inner.Minor, fsnotify.Stub)
}
`,
	"harness/virtual/_node/inner/new.go":         "//go:build kubelet1_37\n\npackage inner\n\nconst Minor = 37\n",
	"harness/virtual/_node/inner/old.go":         "//go:build !kubelet1_37\n\npackage inner\n\nconst Minor = 36\n",
	"harness/virtual/hooks/dialer.go.txt":        "package probe\n\nfunc Dials() string { return \"memory\" }\n",
	"harness/virtual/stubs/fsnotify/go.mod":      "module github.com/fsnotify/fsnotify\n\ngo 1.26.0\n",
	"harness/virtual/stubs/fsnotify/fsnotify.go": "package fsnotify\n\nconst Stub = \"stub\"\n",
	"harness/virtual/wire/wire.go":               "package wire\n",
	"harness/measure/victim/play/play.go":        "package play\n",
	"harness/measure/mark/mark.go":               "package mark\n\nconst Mark = \"mark\"\n",
	// What is not compiled in:
	"harness/measure/mark/mark_test.go": "package mark\n",
	"harness/measure/trial/trial.go":    "package trial\n",
}

// hook is read before a test changes its folder.
var hook, errHook = os.ReadFile("../../virtual/hooks/runtime.go.txt")

// useMiniatureNode adds a virtual node to the source that useMiniature returns.
func useMiniatureNode(t *testing.T) (source string) {
	g := NewWithT(t)
	source = useMiniature(t)
	g.Expect(errHook).NotTo(HaveOccurred())
	node := virtualSource{runtimeHook: hook}
	for path, content := range miniatureNode {
		node[path] = []byte(content)
	}
	g.Expect(node.write(source)).To(Succeed())
	pinned := filepath.Join(source, "images/node/kubernetes")
	goMod, err := os.ReadFile(filepath.Join(pinned, "go.mod"))
	g.Expect(err).NotTo(HaveOccurred())
	goSum, err := os.ReadFile(filepath.Join(pinned, "go.sum"))
	g.Expect(err).NotTo(HaveOccurred())
	text := strings.Replace(string(goMod), "module pinned", "module github.com/podclock/podclock", 1) +
		"\nrequire github.com/fsnotify/fsnotify v1.9.0\n\nreplace github.com/fsnotify/fsnotify => " +
		"./harness/virtual/stubs/fsnotify\n"
	g.Expect(moduleFiles{[]byte(text), goSum}.write(filepath.Join(source, "harness/virtual/kubernetes/v1.37.2"))).
		To(Succeed())
	return source
}

func TestBuildOfAVirtualNode(t *testing.T) {
	source := useMiniatureNode(t)
	clean := kubelets.Subject{Virtual: true, Version: "v1.37.2"}
	mutant := kubelets.Subject{Virtual: true, Version: "v1.37.2", Mutation: "resultrun-one"}
	change := func(t *testing.T, path, content string) {
		t.Helper()
		g := NewWithT(t)
		file := filepath.Join(source, filepath.FromSlash(path))
		before, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.WriteFile(file, []byte(content), 0o644)).To(Succeed())
		t.Cleanup(func() { g.Expect(os.WriteFile(file, before, 0o644)).To(Succeed()) })
	}
	built := func(t *testing.T, s kubelets.Subject) (Binary, string) {
		t.Helper()
		var log bytes.Buffer
		b, err := Build(t.Context(), s, Options{Source: source, Log: &log})
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		return b, log.String()
	}
	runs := func(t *testing.T, b Binary) string {
		t.Helper()
		out, err := exec.Command(b.Path).Output()
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		return string(out)
	}

	first, log := built(t, clean)
	t.Run("is the kubelet's source with its dialer exchanged", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(runs(t, first)).To(Equal("memory 0 mark 37 stub\n"))
		g.Expect(first.Version).To(Equal("v1.37.2"))
		g.Expect(filepath.Base(first.Path)).To(Equal("virtual-node"))
		g.Expect(log).To(And(
			HavePrefix("kubelet virtual:v1.37.2: building a virtual node of v1.37.2 as released"),
			ContainSubstring(
				"the first virtual node of v1.37.2 here",
			),
			ContainSubstring("minutes on two cores"),
			ContainSubstring("built in"),
		))
	})

	t.Run("has mutants", func(t *testing.T) {
		g := NewWithT(t)
		b, log := built(t, mutant)
		g.Expect(runs(t, b)).To(Equal("memory 1 mark 37 stub\n"))
		g.Expect(b.Version).To(Equal("v1.37.2+resultrun-one"))
		g.Expect(log).To(ContainSubstring("a virtual node of v1.37.2 with w.resultRun = 1"))
		g.Expect(log).NotTo(ContainSubstring("the first"))
	})

	t.Run("is another file than the kubelet of the node lane", func(t *testing.T) {
		g := NewWithT(t)
		b, log := built(t, kubelets.Subject{Version: "v1.37.2"})
		g.Expect(runs(t, b)).To(Equal("0\n"))
		g.Expect(log).NotTo(ContainSubstring("virtual"))
	})

	t.Run("is not built again for what is not compiled in", func(t *testing.T) {
		g := NewWithT(t)
		change(t, "harness/measure/mark/mark_test.go", "package other\n")
		change(t, "harness/measure/trial/trial.go", "package other\n")
		b, log := built(t, clean)
		g.Expect(b).To(Equal(first))
		g.Expect(log).To(ContainSubstring("built before, from the same inputs"))
	})

	t.Run("is the same wherever and whenever it is built", func(t *testing.T) {
		g := NewWithT(t)
		change(t, "harness/virtual/wire/wire.go", "package wire // and nothing new\n")
		b, _ := built(t, clean)
		g.Expect(b.Path).NotTo(Equal(first.Path))
		g.Expect(b.SHA256).To(Equal(first.SHA256), "the path it was built in is not in it")
	})

	for path, c := range map[string]struct{ content, says string }{
		"harness/virtual/_node/inner/new.go": {
			"package inner\n\nconst Minor = 38\n", "memory 0 mark 38 stub\n",
		},
		"harness/virtual/hooks/dialer.go.txt": {
			"package probe\n\nfunc Dials() string { return \"disk\" }\n", "disk 0 mark 37 stub\n",
		},
		"harness/virtual/stubs/fsnotify/fsnotify.go": {
			"package fsnotify\n\nconst Stub = \"stab\"\n", "memory 0 mark 37 stab\n",
		},
		"harness/measure/mark/mark.go": {"package mark\n\nconst Mark = \"park\"\n", "memory 0 park 37 stub\n"},
	} {
		t.Run("is built again after a change of "+path, func(t *testing.T) {
			change(t, path, c.content)
			b, _ := built(t, clean)
			NewWithT(t).Expect(runs(t, b)).To(Equal(c.says))
		})
	}

	for what, c := range map[string]struct{ path, content, says string }{
		"imports what the key does not know of": {
			"harness/virtual/_node/inner/new.go", "package inner\n\nimport _ " +
				"\"github.com/podclock/podclock/harness/measure/trial\"\n\nconst Minor = 37\n",
			"harness/kubelets/builder/source.go",
		},
		"does not say its version": {
			"harness/virtual/_node/main.go", "package main\n\nfunc main() {}\n", "instead of Kubernetes and a version",
		},
		"lacks a module": {
			"harness/virtual/_node/inner/new.go", "package inner\n\nimport _ \"example.com/gone\"\n\nconst Minor = " +
				"37\n", "example.com/gone",
		},
	} {
		t.Run("is not built if it "+what, func(t *testing.T) {
			g := NewWithT(t)
			change(t, c.path, c.content)
			_, err := Build(t.Context(), clean, Options{Source: source})
			g.Expect(err).
				To(MatchError(And(ContainSubstring("building kubelet virtual:v1.37.2"), ContainSubstring(c.says))))
			g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line: %v", err)
		})
	}

	t.Run("has no mutant that does not match", func(t *testing.T) {
		g := NewWithT(t)
		_, err := Build(
			t.Context(),
			kubelets.Subject{Virtual: true, Version: "v1.37.2", Mutation: "no-minimum-grace"},
			Options{Source: source},
		)
		g.Expect(err).To(MatchError(ContainSubstring("occurs 0 times")))
		_, err = Build(t.Context(), kubelets.Subject{Virtual: true, Version: "v1.23.1"}, Options{Source: source})
		g.Expect(err).To(MatchError(ContainSubstring(`no virtual node "v1.23.1"`)))
	})

	t.Run("leaves nothing unfinished", func(t *testing.T) {
		NewWithT(
			t,
		).Expect(filepath.Glob(filepath.Join(os.Getenv("PODCLOCK_CACHE"), "kubelet", "*"+unfinished))).
			To(BeEmpty())
	})
}

func TestVirtualSourceIsAllThatIsCompiledIn(t *testing.T) {
	g := NewWithT(t)
	source, err := readVirtualSource(podclockSource)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(source).
		To(And(
			HaveKey("harness/virtual/_node/main.go"),
			HaveKey(dialerHook),
			HaveKey("harness/measure/mark/mark.go"),
			HaveKey(
				"harness/measure/victim/play/play.go",
			),
			HaveKey("harness/virtual/wire/wire.go"),
			HaveKey("harness/virtual/stubs/fsnotify/go.mod"),
		))
	for path := range source {
		g.Expect(path).NotTo(HaveSuffix("_test.go"))
	}

	_, err = readVirtualSource(t.TempDir())
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

func TestVirtualTags(t *testing.T) {
	g := NewWithT(t)
	const old = "kubelet1_34,kubelet1_33,kubelet1_32,kubelet1_31,kubelet1_30"
	g.Expect(virtualTags("v1.37")).To(Equal("kubelet1_37,kubelet1_36,kubelet1_35," + old))
	g.Expect(virtualTags("v1.34")).To(Equal(old))
	g.Expect(virtualTags("v1.30")).To(Equal("kubelet1_30"))
}
