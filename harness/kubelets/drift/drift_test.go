package drift

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	workerFile = "pkg/kubelet/prober/worker.go"
	podFile    = "pkg/kubelet/kubelet.go"
)

const worker = `package prober

// doProbe probes.
func (w *worker) doProbe(n int) bool {
	// a comment
	if n > 1 {
		return run(n, 2)
	}
	return false
}

const maxProbeRetries = 3

type worker struct{ n int }
`

var formulas = []formula.Formula{
	{ID: "probes/one", Source: workerFile + " doProbe (a remark), maxProbeRetries"},
	{ID: "probes/two", Source: workerFile + " worker.doProbe; " + podFile + " SyncPod"},
	{ID: "probes/old", Source: "before v1.25.0 " + workerFile + " worker; " + podFile + " SyncPod"},
	{ID: "runtime/one", Source: "containerd its code"},
}

func source(name, version string, files map[string]string) *Tree {
	all := fstest.MapFS{}
	for path, text := range files {
		all[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return &Tree{Name: name, Version: version, Modules: map[string]fs.FS{formula.Kubernetes: all}}
}

const syncPod = "package kubelet\n\nfunc (kl *Kubelet) SyncPod() {}\n"

func TestCompare(t *testing.T) {
	before := map[string]string{workerFile: worker, podFile: syncPod}
	with := func(path, text string) map[string]string {
		files := map[string]string{workerFile: worker, podFile: syncPod}
		files[path] = text
		return files
	}
	const formatted = "package prober\nfunc (w *worker) doProbe(\n n int,\n) bool { if n > 1 { return run(" +
		" // why\n n,\n 2,\n)}\n\n return false}\n" +
		"const (\n// three\nmaxProbeRetries   = 3)\ntype worker struct {\n n int }\n"
	for name, c := range map[string]struct {
		files   map[string]string
		summary string
		changed map[string][]string
		gone    []string
	}{
		"nothing": {before, "0 of 3 formulas were read in functions that changed between v1.36.0 and new.", nil, nil},
		"comments and formatting": {with(workerFile, formatted),
			"0 of 3 formulas were read in functions that changed between v1.36.0 and new.", nil, nil},
		"a function": {with(podFile, "package kubelet\n\nfunc (kl *Kubelet) SyncPod() { kl.x() }\n"),
			"2 of 3 formulas were read in functions that changed between v1.36.0 and new.",
			map[string][]string{podFile + " SyncPod": {"probes/two", "probes/old"}}, nil},
		"a function that is gone": {with(podFile, "package kubelet\n"),
			"0 of 3 formulas were read in functions that changed between v1.36.0 and new; one function is gone.",
			nil, []string{"new has no " + podFile + " SyncPod: the file does not declare it."}},
		"a function that moved": {map[string]string{workerFile: worker, "pkg/kubelet/sync.go": syncPod},
			"0 of 3 formulas were read in functions that changed between v1.36.0 and new; one function is gone.",
			nil, []string{"new has no " + podFile + " SyncPod: there is no such file, " +
				"but pkg/kubelet/sync.go declares it."}},
		"two of a name": {with(podFile, syncPod+"func SyncPod() {}\n"),
			"0 of 3 formulas were read in functions that changed between v1.36.0 and new; one function is gone.",
			nil, []string{"new has no " + podFile + " SyncPod: the file declares 2 of this name."}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, err := Compare(source("v1.36.0", "v1.36.0", before), source("new", "v1.38.0", c.files), formulas)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Summary()).To(Equal(c.summary))
			g.Expect(r.Elsewhere).To(Equal([]string{"runtime/one"}))
			changed, gone := map[string][]string{}, []string{}
			for _, f := range r.Changed {
				changed[f.Name] = f.Formulas
			}
			for _, one := range r.Gone {
				gone = append(gone, one.String())
			}
			g.Expect(changed).To(HaveLen(len(c.changed)))
			for function, of := range c.changed {
				g.Expect(changed).To(HaveKeyWithValue(function, of))
			}
			g.Expect(gone).To(HaveLen(len(c.gone)))
			g.Expect(gone).To(ContainElements(c.gone))
		})
	}
}

func TestCompareShowsTheDifference(t *testing.T) {
	g := NewWithT(t)
	const other = "package prober\n\nfunc (w *worker) doProbe(n int) bool {\n\n\tif n > 2 { // two\n" +
		"\t\treturn run(n, 2)\n\t}\n\n\treturn false\n}\n\nconst maxProbeRetries = 3\n"
	r, err := Compare(source("v1.36.0", "v1.36.0", map[string]string{workerFile: worker, podFile: syncPod}),
		source("./new", "v1.38.0", map[string]string{workerFile: other, podFile: syncPod}), formulas)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Drifted).To(Equal([]string{"probes/one", "probes/two"}))
	g.Expect(r.Changed).To(HaveLen(2), "one source names the method with its type")
	g.Expect(r.Changed[0].Diff).To(Equal("--- v1.36.0\n+++ ./new\n@@ -1,5 +1,5 @@\n" +
		" func (w *worker) doProbe(n int) bool {\n-\tif n > 1 {\n+\tif n > 2 {\n" +
		" \t\treturn run(n, 2)\n \t}\n \treturn false\n"))
}

// The formulas know that 1.24 has syncPod and the worker, and 1.27 SyncPod alone.
func TestCompareFollowsTheReleases(t *testing.T) {
	g := NewWithT(t)
	old := source("v1.24.17", "v1.24.17", map[string]string{
		workerFile: worker, podFile: "package kubelet\n\nfunc (kl *Kubelet) syncPod() {}\n",
	})
	now := source("v1.36.0", "v1.36.0", map[string]string{workerFile: worker, podFile: syncPod})
	r, err := Compare(old, now, formulas)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Gone).To(BeEmpty())
	diffs := map[string]string{}
	for _, f := range r.Changed {
		diffs[f.Name] = f.Diff
	}
	g.Expect(diffs).To(HaveLen(2))
	g.Expect(diffs[podFile+" SyncPod"]).
		To(ContainSubstring("-func (kl *Kubelet) syncPod() {}\n+func (kl *Kubelet) SyncPod() {}\n"))
	g.Expect(diffs[workerFile+" worker"]).
		To(Equal("--- v1.24.17\n+++ v1.36.0\n@@ -1 +0,0 @@\n-worker struct{ n int }\n"))
}

func TestCompareReportsSourcesThatAreNoGo(t *testing.T) {
	whole := source("v1.36.0", "v1.36.0", map[string]string{workerFile: worker, podFile: syncPod})
	broken := source("./new", "v1.38.0", map[string]string{workerFile: worker, podFile: "package kubelet\nx("})
	_, err := Compare(whole, broken, formulas)
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("parse the source of ./new: " + podFile + ":2:1")))
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		path = filepath.Join(root, filepath.FromSlash(path))
		NewWithT(t).Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		NewWithT(t).Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
	}
	return root
}

const goMod = "module k8s.io/kubernetes\n"

func TestOpenAFolder(t *testing.T) {
	g := NewWithT(t)
	of := slices.Concat(formulas, []formula.Formula{
		{ID: "a/b", Source: "apiserver pkg/registry/rest/delete.go BeforeDelete"},
	})
	const apiserver, componentBase = "staging/src/k8s.io/apiserver/go.mod", "staging/src/k8s.io/component-base/go.mod"
	whole := folder(t, map[string]string{
		"go.mod": goMod, apiserver: "", componentBase: "",
		"CHANGELOG/CHANGELOG-1.9.md": "", "CHANGELOG/CHANGELOG-1.38.md": "", "CHANGELOG/OWNERS": "",
	})
	opened, err := Open(t.Context(), whole, of, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(opened.Version).To(Equal("v1.38.0"))
	g.Expect(opened.Modules).To(And(HaveLen(2), HaveKey("k8s.io/apiserver")))
	opened, err = Open(t.Context(), folder(t, map[string]string{"go.mod": goMod, componentBase: ""}), formulas, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(opened.Version).To(Equal(formula.NewestKnown), "without a changelog")
	for says, files := range map[string]map[string]string{
		"it has no go.mod": {"README.md": ""},
		"its go.mod is that of module x instead of k8s.io/kubernetes":            {"go.mod": "module x\n"},
		"has no staging/src/k8s.io/apiserver, in which formulas were read; name": {"go.mod": goMod, componentBase: ""},
		"formulas were read in v1.22.0 to v1.37.2; name a newer release": {
			"go.mod": goMod, "CHANGELOG/CHANGELOG-1.21.md": "", apiserver: "", componentBase: "",
		},
	} {
		_, err := Open(t.Context(), folder(t, files), of, nil)
		g.Expect(err).To(MatchError(ContainSubstring(says)))
	}
	_, err = Open(t.Context(), "./nowhere", formulas, nil)
	g.Expect(err).To(MatchError(HavePrefix("./nowhere: there is no such release or folder; name a release, such as")))
	_, err = Open(t.Context(), whole+"@main", of, nil)
	g.Expect(err).To(MatchError(ContainSubstring(`so it has no revision "main"`)))
}

func TestOpenARelease(t *testing.T) {
	g := NewWithT(t)
	of := slices.Concat(formulas, []formula.Formula{
		{ID: "a/b", Source: "apiserver pkg/registry/rest/delete.go BeforeDelete"},
	})
	var asked []string
	source := func(_ context.Context, module string) (string, error) {
		asked = append(asked, module)
		return t.TempDir(), nil
	}
	opened, err := Open(t.Context(), "v1.34.4", of, source)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(opened.Version).To(Equal("v1.34.4"))
	g.Expect(asked).To(Equal([]string{"k8s.io/kubernetes@v1.34.4", "k8s.io/apiserver@v0.34.4"}))
	opened, err = Open(t.Context(), "v1.33", of, source)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(opened.Name).To(MatchRegexp(`^v1\.33\.\d+$`))
	_, err = Open(t.Context(), "v1.99", of, source)
	g.Expect(err).To(MatchError(HavePrefix("v1.99: no release of this branch is known; name a release")))
	_, err = Open(t.Context(), "v1.21.14", of, source)
	g.Expect(err).To(MatchError(HavePrefix("v1.21.14: formulas were read in v1.22.0 to")))
	_, err = Open(t.Context(), "v1.36.9", of,
		func(context.Context, string) (string, error) { return "", errors.New("no network") })
	g.Expect(err).To(MatchError("release v1.36.9: no network, or name a folder with its source"))
}
