package kubelet

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMutatedTreeDiffersInOneFile(t *testing.T) {
	g := NewWithT(t)
	original := t.TempDir()
	files := map[string]string{
		"go.mod": "module k", "pkg/prober/worker.go": "package prober", "pkg/prober/prober.go": "package prober",
		"pkg/kubelet.go": "package pkg", "pkg/kuberuntime/x/y.go": "package x", "cmd/kubelet/main.go": "package main",
	}
	for name, content := range files {
		path := filepath.Join(original, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(content), 0o444)).To(Succeed())
	}
	mutated := filepath.Join(t.TempDir(), "mutated")
	g.Expect(mutatedTree(mutated, original, "pkg/prober/worker.go", []byte("package mutated"))).To(Succeed())

	for name, content := range files {
		if name == "pkg/prober/worker.go" {
			content = "package mutated"
		}
		g.Expect(os.ReadFile(filepath.Join(mutated, name))).To(BeEquivalentTo(content), name)
	}
	g.Expect(os.ReadFile(filepath.Join(original, "pkg/prober/worker.go"))).To(BeEquivalentTo("package prober"), "the original is untouched")

	g.Expect(os.RemoveAll(mutated)).To(Succeed())
	left := 0
	g.Expect(fs.WalkDir(os.DirFS(original), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left++
		}
		return err
	})).To(Succeed())
	g.Expect(left).To(Equal(len(files)), "removing the mutant leaves the original alone")
}

func TestMutatedTreeNeedsTheFile(t *testing.T) {
	g := NewWithT(t)
	original := t.TempDir()
	g.Expect(os.Mkdir(filepath.Join(original, "pkg"), 0o755)).To(Succeed())
	err := mutatedTree(filepath.Join(t.TempDir(), "mutated"), original, "pkg/gone.go", nil)
	g.Expect(err).To(MatchError(ContainSubstring("has no gone.go")))
}
