package source

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
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
