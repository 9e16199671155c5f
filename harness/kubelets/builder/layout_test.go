package builder

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestChangedTreeDiffersInTheFilesNamed(t *testing.T) {
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
	exchanged := map[string][]byte{
		"pkg/prober/worker.go": []byte(
			"package mutated",
		),
		"pkg/kuberuntime/x/y.go": []byte("package y"),
		"pkg/kubelet.go":         []byte("package hook"),
	}
	g.Expect(changedTree(mutated, original, exchanged)).To(Succeed())

	for name, content := range files {
		if other, ok := exchanged[name]; ok {
			content = string(other)
		}
		g.Expect(os.ReadFile(filepath.Join(mutated, name))).To(BeEquivalentTo(content), name)
	}
	g.Expect(os.ReadFile(filepath.Join(original, "pkg/prober/worker.go"))).
		To(BeEquivalentTo("package prober"), "the original is untouched")

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

func TestChangedTreeNeedsTheFiles(t *testing.T) {
	g := NewWithT(t)
	original := t.TempDir()
	g.Expect(os.MkdirAll(filepath.Join(original, "pkg"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(original, "pkg", "there.go"), nil, 0o444)).To(Succeed())
	for missing, says := range map[string]string{
		"pkg/gone.go": "has no gone.go", "gone/there.go": "has no gone", "pkg/there.go/x": "not a directory",
	} {
		t.Run(missing, func(t *testing.T) {
			g := NewWithT(t)
			err := changedTree(filepath.Join(t.TempDir(), "mutated"), original, map[string][]byte{missing: nil})
			g.Expect(err).To(MatchError(ContainSubstring(says)))
		})
	}
}
