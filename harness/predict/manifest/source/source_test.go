package source

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/manifest"
)

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a, image: a}]}\n"

func TestReadFromAnAddress(t *testing.T) {
	g := NewWithT(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pod.yaml" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(pod))
	}))
	defer server.Close()
	m, err := Read([]string{server.URL + "/pod.yaml"}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveExactElements(HaveField("File", server.URL+"/pod.yaml")))
	_, err = Read([]string{server.URL + "/other.yaml"}, nil)
	g.Expect(err).To(MatchError(ContainSubstring("other.yaml: the server says 404 Not Found")))
	m, err = Version(t.Context(), server.URL+"/pod.yaml", StandardInput, false, strings.NewReader(pod))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveLen(1), "an address is no revision")
	server.Close()
	_, err = Read([]string{server.URL + "/pod.yaml"}, nil)
	g.Expect(err).To(MatchError(ContainSubstring("download the manifest within 30s")))
}

func TestAKustomizationIsNoManifest(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "kustomization.yaml")
	g.Expect(os.WriteFile(file, []byte("resources: [web.yaml]"), 0o600)).To(Succeed())
	files, err := Files([]string{dir}, false)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = Read(files, nil)
	g.Expect(err).To(MatchError(ContainSubstring("kubectl kustomize " + dir + " | podclock predict -")))
}

// A shell of Windows leaves patterns to the program.
func TestPatterns(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	g.Expect(os.MkdirAll("deploy/below", 0o700)).To(Succeed())
	for _, file := range []string{"deploy/b.yaml", "deploy/a.yaml", "deploy/c.txt", "deploy/below/d.yaml", "[x].yaml"} {
		g.Expect(os.WriteFile(file, []byte(pod), 0o600)).To(Succeed())
	}
	g.Expect(Files([]string{"deploy/*.yaml"}, false)).To(Equal([]string{"deploy/a.yaml", "deploy/b.yaml"}))
	g.Expect(Files([]string{"deploy/bel*", "[x].yaml"}, false)).To(Equal([]string{"deploy/below/d.yaml", "[x].yaml"}))
	for pattern, says := range map[string]string{"*.json": "no file matches it", "a[": "syntax error in pattern"} {
		_, err := Files([]string{pattern}, false)
		g.Expect(err).To(MatchError("read the manifests " + pattern + ": " + says))
	}
	for _, args := range []string{"init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm first"} {
		g.Expect(exec.Command("git", strings.Fields(args)...).Run()).To(Succeed())
	}
	g.Expect(os.Remove("deploy/a.yaml")).To(Succeed())
	for version, files := range map[string][]string{
		"deploy/*.yaml": {"deploy/b.yaml"}, "HEAD": {"HEAD:deploy/a.yaml", "HEAD:deploy/b.yaml"},
		"HEAD:deploy/a*": {"HEAD:deploy/a.yaml"},
	} {
		m, err := Version(t.Context(), version, "deploy/*.yaml", false, nil)
		g.Expect(err).NotTo(HaveOccurred(), version)
		var read []string
		for _, o := range m.Objects {
			read = append(read, o.File)
		}
		g.Expect(read).To(Equal(files), version)
	}
}

// A repository's root has files that configure programs. They are no manifests unless they are named.
func TestHiddenFilesAreLeftOut(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	files := []string{".podclock.yaml", "a.yaml", ".github/workflow.yaml", "below/b.yaml", "below/.c.yaml"}
	for _, file := range files {
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o700)).To(Succeed())
		g.Expect(os.WriteFile(file, []byte(pod), 0o600)).To(Succeed())
	}
	g.Expect(Files([]string{"."}, true)).To(HaveExactElements(HaveSuffix("a.yaml"), HaveSuffix("b.yaml")))
	g.Expect(Files([]string{".github", "below/.c.yaml"}, false)).
		To(Equal([]string{".github/workflow.yaml", "below/.c.yaml"}), "they are named")
	for _, args := range []string{"init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm first"} {
		g.Expect(exec.Command("git", strings.Fields(args)...).Run()).To(Succeed())
	}
	for version, want := range map[string]int{
		"HEAD": 2, "HEAD:below": 1, "HEAD:.github": 1, "HEAD:.podclock.yaml": 1,
	} {
		m, err := Version(t.Context(), version, StandardInput, true, nil)
		g.Expect(err).NotTo(HaveOccurred(), version)
		g.Expect(m.Objects).To(HaveLen(want), version)
	}
}

// A folder has files that are no manifests. They are counted. A manifest with a problem is still refused.
func TestFilesThatAreNoManifests(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	save := func(name, text string) string {
		file := filepath.Join(dir, name)
		g.Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
		return file
	}
	read := func() (manifest.Manifest, error) {
		files, err := Files([]string{dir}, true)
		g.Expect(err).NotTo(HaveOccurred())
		return Read(files, nil)
	}
	values := save("values.yaml", "replicas: 1\n")
	_, err := read()
	g.Expect(err).To(MatchError(ContainSubstring("kind: is missing")), "it is the only file")

	save("Chart.yaml", "apiVersion: v2\nname: a\n")
	save("compose.yaml", "services: {}\n---\n# nothing\n")
	save("template.yaml", "replicas: {{ .Values.replicas }}\n")
	save("kustomization.yaml", "resources: [pod.yaml]\n")
	_, err = read()
	g.Expect(err).To(MatchError(ContainSubstring("render it first")), "no file is a manifest")

	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: i}]}\n"
	save("pod.yaml", pod)
	m, err := read()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveLen(1))
	g.Expect(m.Skipped).To(ConsistOf(
		manifest.Skipped{Kind: "file without a kind", Files: true, Count: 3},
		manifest.Skipped{Kind: "template to render", Files: true, Count: 1},
		manifest.Skipped{Kind: "kustomization to build", Files: true, Count: 1},
	))

	save("values.yaml", "apiVersion: v1\nspec: {}\n")
	_, err = read()
	g.Expect(err).To(MatchError(ContainSubstring("kind: is missing")), "it may be a manifest with a mistake")
	save("values.yaml", pod+"---\nreplicas: 1\n")
	_, err = read()
	g.Expect(err).To(MatchError(ContainSubstring("kind: is missing")), "one document of %s has a kind", values)
}
