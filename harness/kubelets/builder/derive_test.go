package builder

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	modversion "golang.org/x/mod/module"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// A release without pinned module files is built from Kubernetes' own go.mod. The staging module of v1.33.2 cannot be
// downloaded, that of v1.33.1 can.
func TestBuildWithDerivedModules(t *testing.T) {
	g := NewWithT(t)
	source := useMiniature(t)
	g.Expect(os.WriteFile(filepath.Join(source, "go.mod"), []byte("module m\n\ngo 1.26.0\n"), 0o600)).To(Succeed())
	t.Setenv("GOSUMDB", "off")
	proxy := strings.TrimPrefix(os.Getenv("GOPROXY"), "file://")
	for mod, files := range miniature {
		own, version := maps.Clone(files), "v0.33.1"
		if mod.Path == mutation.Kubernetes {
			version = "v1.33.2"
			own["go.mod"] = "module k8s.io/kubernetes\n\ngo 1.26.0\n\nrequire k8s.io/component-base v0.0.0\n\n" +
				"replace k8s.io/component-base => ./staging/src/k8s.io/component-base\n"
		}
		publish(g, proxy, modversion.Version{Path: mod.Path, Version: version}, own)
	}

	var log bytes.Buffer
	b, err := Build(t.Context(), kubelets.Subject{Version: "v1.33.2"}, Options{Source: source, Log: &log})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.Version).To(Equal("v1.33.2"))
	const logged = "k8s.io/component-base v0.33.2 cannot be downloaded: v0.33.1 takes its place"
	g.Expect(log.String()).To(ContainSubstring(logged))

	kept, err := readModules(filepath.Join(os.Getenv("PODCLOCK_CACHE"), "modules", "node-v1.33.2"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(kept.goMod)).To(And(ContainSubstring("require k8s.io/kubernetes v1.33.2"),
		ContainSubstring("k8s.io/component-base => k8s.io/component-base v0.33.1")))
	g.Expect(string(kept.goSum)).To(ContainSubstring("k8s.io/component-base v0.33.1 h1:"))

	mutant := kubelets.Subject{Version: "v1.33.2", Mutation: "resultrun-one"}
	g.Expect(Build(t.Context(), mutant, Options{Source: source})).To(HaveField("Version", "v1.33.2+resultrun-one"))

	manager := Options{Source: source, Component: mutation.ControllerManager}
	other, err := Build(t.Context(), kubelets.Subject{Version: "v1.33.2"}, manager)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(filepath.Base(other.Path)).To(Equal("kube-controller-manager"))
	g.Expect(filepath.Dir(other.Path)).NotTo(Equal(filepath.Dir(b.Path)))

	_, err = Build(t.Context(), kubelets.Subject{Version: "v1.33.99"}, Options{Source: source})
	g.Expect(err).To(MatchError(ContainSubstring("k8s.io/kubernetes@v1.33.99")))
	g.Expect(err).To(MatchError(ContainSubstring("the newest patch that podclock knows is v1.33.13")))
}

// A pre-release that the proxy lacks has neighbours, and a Go version that it lacks has a remedy.
func TestPreReleasesThatCannotBeBuilt(t *testing.T) {
	g := NewWithT(t)
	source := useMiniature(t)
	g.Expect(os.WriteFile(filepath.Join(source, "go.mod"), []byte("module m\n\ngo 1.26.0\n"), 0o600)).To(Succeed())
	t.Setenv("GOSUMDB", "off")
	proxy := strings.TrimPrefix(os.Getenv("GOPROXY"), "file://")
	const version = "v1.38.0-beta.0"
	publish(g, proxy, modversion.Version{Path: mutation.Kubernetes, Version: version}, map[string]string{
		"go.mod": "module k8s.io/kubernetes\n\ngo 1.99.0\n",
	})
	list := filepath.Join(proxy, mutation.Kubernetes, "@v", "list")
	g.Expect(os.WriteFile(list, []byte("v1.37.2\nv1.38.0-beta.0\nv1.36.3\n"), 0o600)).To(Succeed())
	for version, wanted := range map[string]string{
		version:           "it needs Go 1.99.0 or newer, which can't be downloaded: ",
		"v1.38.0-alpha.2": "; the nearest that it lists are v1.37.2 and v1.38.0-beta.0",
		"v1.38.0-beta.1":  "; the nearest that it lists are v1.38.0-beta.0",
	} {
		s := kubelets.Subject{Version: version}
		_, err := newRecipe(t.Context(), s, "", source)
		g.Expect(err).To(MatchError(ContainSubstring(wanted)), version)
		g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line")
	}
}

// A pre-release's module has no patch before it that could take its place.
func TestAModuleOfAPreReleaseThatIsNotServed(t *testing.T) {
	g := NewWithT(t)
	source := useMiniature(t)
	g.Expect(os.WriteFile(filepath.Join(source, "go.mod"), []byte("module m\n\ngo 1.26.0\n"), 0o600)).To(Succeed())
	t.Setenv("GOSUMDB", "off")
	own := maps.Clone(miniature[modversion.Version{Path: mutation.Kubernetes, Version: "v1.37.2"}])
	own["go.mod"] = "module k8s.io/kubernetes\n\ngo 1.26.0\n\nrequire k8s.io/component-base v0.0.0\n\n" +
		"replace k8s.io/component-base => ./staging/src/k8s.io/component-base\n"
	const version = "v1.38.0-alpha.9"
	proxy := strings.TrimPrefix(os.Getenv("GOPROXY"), "file://")
	publish(g, proxy, modversion.Version{Path: mutation.Kubernetes, Version: version}, own)
	_, err := Build(t.Context(), kubelets.Subject{Version: version}, Options{Source: source})
	g.Expect(err).To(MatchError(ErrNotServed))
	g.Expect(err).To(MatchError(ContainSubstring("k8s.io/component-base@v0.38.0-alpha.9")))
}

func TestOnlyWhatTheChecksumDatabaseLacksIsUnverified(t *testing.T) {
	t.Setenv("GONOSUMDB", "example.com/own")
	const (
		url      = "reading https://proxy.golang.org/sumdb/sum.golang.org/lookup/k8s.io/kube-scheduler@v0.25.16: "
		verify   = "k8s.io/kube-scheduler@v0.25.16: verifying module: "
		lacking  = verify + "k8s.io/kube-scheduler@v0.25.16: " + url + "404 Not Found"
		down     = verify + "k8s.io/kube-scheduler@v0.25.16: " + url + "503 Busy"
		mismatch = verify + "checksum mismatch\n"
		other    = "example.com/m@v1.0.0: verifying module: example.com/m@v1.0.0: " + url + "404 Not Found"
	)
	for text, unverified := range map[string][]string{
		lacking: {"k8s.io/kube-scheduler@v0.25.16"}, down: nil, mismatch: nil, other: nil,
		mismatch + "go: k8s.io/api@v0.25.16: verifying go.mod: k8s.io/api@v0.25.16/go.mod: " + url + "404 Not Found": {
			"k8s.io/api@v0.25.16",
		},
	} {
		g, d := NewWithT(t), &derived{}
		g.Expect(d.lacksSum(text)).To(Equal(unverified != nil), text)
		g.Expect(d.unverified).To(Equal(unverified), text)
		g.Expect(d.lacksSum(text)).To(BeFalse(), "the same error again is another one")
		g.Expect(d.substitute(text)).To(BeFalse())
	}
	d := &derived{}
	d.lacksSum(lacking)
	NewWithT(t).Expect(d.unchecked()).To(Equal("GONOSUMDB=example.com/own,k8s.io/kube-scheduler"))
}

// The virtual node's code for the branch before does not compile with an alpha, so that for its own branch does.
func TestAPreReleaseTakesTheCodeThatCompiles(t *testing.T) {
	g := NewWithT(t)
	source := useMiniatureNode(t)
	g.Expect(os.WriteFile(filepath.Join(source, "go.mod"), []byte("module m\n\ngo 1.26.0\n"), 0o600)).To(Succeed())
	old := filepath.Join(source, "harness/virtual/_node/inner/old.go")
	moved := "//go:build !kubelet1_37\n\npackage inner\n\nconst Minor = moved\n"
	g.Expect(os.WriteFile(old, []byte(moved), 0o600)).To(Succeed())
	t.Setenv("GOSUMDB", "off")
	proxy := strings.TrimPrefix(os.Getenv("GOPROXY"), "file://")
	for mod, files := range miniature {
		own, version := maps.Clone(files), "v0.37.0-alpha.1"
		if mod.Path == mutation.Kubernetes {
			version = "v1.37.0-alpha.1"
			own["go.mod"] = "module k8s.io/kubernetes\n\ngo 1.26.0\n\nrequire k8s.io/component-base v0.0.0\n\n" +
				"replace k8s.io/component-base => ./staging/src/k8s.io/component-base\n"
		}
		publish(g, proxy, modversion.Version{Path: mod.Path, Version: version}, own)
	}
	var log bytes.Buffer
	s := kubelets.Subject{Virtual: true, Version: "v1.37.0-alpha.1"}
	b, err := Build(t.Context(), s, Options{Source: source, Log: &log})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(log.String()).To(And(ContainSubstring("the API of v1.37.0-alpha.1 moved"),
		ContainSubstring("trying the code for kubelets v1.37")))
	out, err := exec.Command(b.Path).Output()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(out)).To(Equal("memory 0 mark 37 stub\n"))
}
