package builder

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
)

var virtualNode = flag.String(
	"virtual",
	"",
	"the version whose virtual node to vet and test; the first time takes minutes",
)

// The virtual node's own tests need the source of Kubernetes, so the main module does not contain them:
//
//	go test -v -timeout=30m -run=TestVirtualNode ./harness/kubelets/builder -virtual=v1.37.2
func TestVirtualNode(t *testing.T) {
	if *virtualNode == "" {
		t.Skip("it compiles the kubelet: name a version with -virtual")
	}
	g := NewWithT(t)
	s := kubelets.Subject{Virtual: true, Version: *virtualNode}
	r, err := newRecipe(t.Context(), s, "", podclockSource)
	g.Expect(err).NotTo(HaveOccurred())
	args := slices.Clone(r.flags)
	visit := func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data := strings.Contains(name, "/testdata/")
		if data || strings.HasSuffix(name, "_test.go") {
			r.virtual[name], err = fs.ReadFile(os.DirFS(podclockSource), name)
		}
		if folder := "./" + path.Dir(name); !data && strings.HasSuffix(name, ".go") && !slices.Contains(args, folder) {
			args = append(args, folder) // a pattern skips folders that begin with _
		}
		return err
	}
	g.Expect(fs.WalkDir(os.DirFS(podclockSource), "harness/virtual/_node", visit)).To(Succeed())
	// A virtual node does not contain this package and its embedded file. The test compares it with the API server's
	// code, which can't be a dependency of podclock.
	manifest, err := fs.Glob(os.DirFS(podclockSource), "harness/predict/manifest/*.*")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(manifest).NotTo(BeEmpty())
	for _, name := range manifest {
		if !strings.HasSuffix(name, "_test.go") {
			r.virtual[name], err = fs.ReadFile(os.DirFS(podclockSource), name)
			g.Expect(err).NotTo(HaveOccurred())
		}
	}
	work := t.TempDir()
	g.Expect(r.layOut(t.Context(), work, t.Logf)).To(Succeed())
	overlay, err := r.overlay(t.Context(), work)
	g.Expect(err).NotTo(HaveOccurred())
	args = append([]string{"-overlay", overlay}, args...)

	for _, command := range []string{"vet", "test"} {
		t.Run(command, func(t *testing.T) {
			out, err := r.goCommand(t.Context(), work, append([]string{command}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("go %s: %v\n%s", command, err, out)
			}
			t.Logf("%s", out)
		})
	}
}
