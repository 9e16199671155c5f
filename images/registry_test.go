package images

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

var machines = map[string]string{"amd64": "EM_X86_64", "arm64": "EM_AARCH64"}

var four = []string{Fault, victim.OtherImage, victim.StopSignalImage, Recorder}

// loggedIn makes docker's credentials those of a user for a registry, or none at all.
func loggedIn(t *testing.T, registry, password string) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("HOME", folder) // nothing is compiled from here on
	t.Setenv("DOCKER_CONFIG", folder)
	other := base64.StdEncoding.EncodeToString([]byte("me:other"))
	auths := map[string]any{"other.example": map[string]string{"auth": other}}
	if registry != "" {
		auths[registry] = map[string]string{"auth": base64.StdEncoding.EncodeToString([]byte("me:" + password))}
	}
	text, err := json.Marshal(map[string]any{"auths": auths})
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(folder, "config.json"), text, 0o600)).To(Succeed())
}

// serve starts a registry that wants a password.
func serve(t *testing.T, start func(http.Handler) *httptest.Server) (place string) {
	t.Helper()
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	_, address, _ := strings.Cut(server.URL, "://")
	return address + "/team/podclock"
}

func host(place string) string { before, _, _ := strings.Cut(place, "/"); return before }

func TestPush(t *testing.T) {
	skipInShort(t)
	g := NewWithT(t)
	place := serve(t, httptest.NewServer)
	set, err := BuildSet(t.Context(), false)
	g.Expect(err).NotTo(HaveOccurred())

	loggedIn(t, "", "")
	g.Expect(set.Push(t.Context(), place, false)).To(MatchError(And(
		ContainSubstring("push to "+place), ContainSubstring("docker login"))))
	loggedIn(t, host(place), "secret")
	g.Expect(set.Push(t.Context(), place+"/", false)).To(Succeed())
	g.Expect(set.Refs(place)).To(HaveLen(len(four)))
	for _, image := range four {
		ref, err := name.ParseReference(set.Ref(place, image), name.StrictValidation)
		g.Expect(err).NotTo(HaveOccurred())
		index, err := remote.Index(ref, remote.WithAuthFromKeychain(authn.DefaultKeychain))
		g.Expect(err).NotTo(HaveOccurred(), "what was pushed has the digest that a run computes")
		manifest, err := index.IndexManifest()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(manifest.MediaType)).To(Equal("application/vnd.oci.image.index.v1+json"))
		var platforms []string
		for _, m := range manifest.Manifests {
			g.Expect(string(m.MediaType)).To(Equal("application/vnd.oci.image.manifest.v1+json"))
			platforms = append(platforms, m.Platform.String())
			img, err := index.Image(m.Digest)
			g.Expect(err).NotTo(HaveOccurred())
			config, err := img.ConfigFile()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(config.Platform().String()).To(Equal(m.Platform.String()))
			g.Expect(machine(t, img)).To(Equal(machines[m.Platform.Architecture]))
		}
		g.Expect(platforms).To(Equal([]string{"linux/amd64", "linux/arm64"}))
	}
}

// machine returns the machine that an image's binary is for.
func machine(t *testing.T, img v1.Image) string {
	t.Helper()
	g := NewWithT(t)
	files := mutate.Extract(img)
	defer func() { _ = files.Close() }()
	r := tar.NewReader(files)
	for header, err := r.Next(); header == nil || header.Typeflag != tar.TypeReg; header, err = r.Next() {
		g.Expect(err).NotTo(HaveOccurred())
	}
	content, err := io.ReadAll(r)
	g.Expect(err).NotTo(HaveOccurred())
	binary, err := elf.NewFile(bytes.NewReader(content))
	g.Expect(err).NotTo(HaveOccurred())
	return binary.Machine.String()
}

// Push to a registry whose certificate nobody trusts.
func TestPushInsecure(t *testing.T) {
	g := NewWithT(t)
	place := serve(t, httptest.NewTLSServer)
	loggedIn(t, host(place), "secret")
	base, err := Single{Binary: writeBinary(t, "ELF")}.Image()
	g.Expect(err).NotTo(HaveOccurred())
	set := &Set{
		indexes: map[string]v1.ImageIndex{Fault: mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: base})},
		digests: map[string]v1.Hash{Fault: {Algorithm: "sha256", Hex: strings.Repeat("0", 64)}},
	}
	g.Expect(set.Push(t.Context(), place, false)).To(MatchError(ContainSubstring("--insecure")))
	g.Expect(set.Push(t.Context(), place, true)).To(Succeed())
}

func TestPlacesAreChecked(t *testing.T) {
	for place, valid := range map[string]bool{
		"registry.example/podclock": true, "registry.example:5000/a/b/": true, "localhost:5000/podclock": true,
		"registry.example/podclock:v1": false, "podclock": false, "": false, "registry.example/Podclock": false,
	} {
		g := NewWithT(t)
		if err := ValidPlace(place); valid {
			g.Expect(err).NotTo(HaveOccurred(), place)
		} else {
			g.Expect(err).To(MatchError(ContainSubstring("a registry and a path")), place)
		}
	}
}

func TestThePullSecretHasOneRegistry(t *testing.T) {
	g := NewWithT(t)
	loggedIn(t, "registry.example", "secret")
	secret, err := PullSecret(t.Context(), "registry.example/podclock")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(secret).To(MatchJSON(`{"auths":{"registry.example":
		{"username":"me","password":"secret","auth":"bWU6c2VjcmV0"}}}`))
	loggedIn(t, "", "")
	_, err = PullSecret(t.Context(), "registry.example/podclock")
	g.Expect(err).To(MatchError(ContainSubstring("`docker login registry.example`")))
	_, err = PullSecret(t.Context(), "")
	g.Expect(err).To(HaveOccurred(), "without a place there is no registry")
}

func TestSave(t *testing.T) {
	skipInShort(t)
	g := NewWithT(t)
	cacheFolder(t)
	file := filepath.Join(t.TempDir(), "podclock.tar")
	names, err := Save(t.Context(), file, "linux/amd64", false)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names).To(HaveLen(len(four)))
	fault, err := Build(t.Context(), Fault, "amd64", io.Discard)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names).To(ContainElements(fault.Ref, fault.Other, fault.StopSignal), "a run looks for these")
	for _, saved := range names {
		tag, err := name.NewTag(saved)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = tarball.ImageFromPath(file, &tag)
		g.Expect(err).NotTo(HaveOccurred())
	}
	for _, platform := range []string{"linux/s390x", "windows/amd64", "amd64", "a/b/c/d"} {
		absent := filepath.Join(t.TempDir(), "none.tar")
		_, err := Save(t.Context(), absent, platform, false)
		g.Expect(err).To(MatchError(ContainSubstring("there are images for linux/amd64 and linux/arm64")), platform)
		g.Expect(absent).NotTo(BeAnExistingFile())
	}
}
