package builder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	modversion "golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// miniature is a Kubernetes of three small packages, which builds in a second. Its kubelet prints its
// version as the real one does, or the count of probe results after a kill.
var miniature = map[modversion.Version]map[string]string{
	{Path: "k8s.io/kubernetes", Version: "v1.37.2"}: {
		"go.mod": "module k8s.io/kubernetes\n\ngo 1.26.0\n\nrequire k8s.io/component-base v0.36.3\n",
		"cmd/kubelet/kubelet.go": `package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("Kubernetes " + version.Get())
		return
	}
	fmt.Println(prober.AfterKill())
}
`,
		"cmd/kube-controller-manager/main.go": `package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("Kubernetes " + version.Get())
		return
	}
	fmt.Println(new(tainteviction.Controller).ProcessPodOnNode())
}
`,
		"pkg/controller/tainteviction/taint_eviction.go": `package tainteviction

import "time"

type Controller struct{}

func (c *Controller) ProcessPodOnNode() time.Duration { return c.processPodOnNode(time.Time{}, time.Second) }

func (c *Controller) processPodOnNode(startTime time.Time, minTolerationTime time.Duration) time.Duration {
	triggerTime := startTime.Add(minTolerationTime)
	return triggerTime.Sub(startTime)
}
`,
		"pkg/probe/dialer_others.go": "package probe\n\nfunc Dials() string { return \"network\" }\n",
		"pkg/kubelet/prober/doc.go":  "package prober\n",
		"pkg/kubelet/prober/worker.go": `package prober

type worker struct{ resultRun int }

func (w *worker) doProbe() { w.resultRun = 0 }

func AfterKill() int {
	w := worker{resultRun: 3}
	w.doProbe()
	return w.resultRun
}
`,
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go": "package kuberuntime\n\nconst minimumGracePeriodInSeconds " +
			"= 3\n",
	},
	{Path: "k8s.io/component-base", Version: "v0.36.3"}: {
		"go.mod": "module k8s.io/component-base\n\ngo 1.26.0\n",
		"version/base.go": "package version\n\nvar gitVersion = \"unset\"\n\nfunc Get() string { return " +
			"gitVersion }\n",
	},
}

// useMiniature makes the miniature the only available Kubernetes, and returns a podclock source that pins it.
func useMiniature(t *testing.T) (source string) {
	g := NewWithT(t)
	proxy, source := t.TempDir(), t.TempDir()
	goMod := "module pinned\n\ngo 1.26.0\n"
	var goSum strings.Builder
	for mod, files := range miniature {
		zipped := publish(g, proxy, mod, files)
		goMod += "\nrequire " + mod.Path + " " + mod.Version + " // indirect\n"
		sum, err := dirhash.HashZip(zipped, dirhash.Hash1)
		g.Expect(err).NotTo(HaveOccurred())
		goSum.WriteString(mod.Path + " " + mod.Version + " " + sum + "\n")
		sum, err = dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(files["go.mod"])), nil
		})
		g.Expect(err).NotTo(HaveOccurred())
		goSum.WriteString(mod.Path + " " + mod.Version + "/go.mod " + sum + "\n")
	}
	g.Expect(moduleFiles{[]byte(goMod), []byte(goSum.String())}.write(filepath.Join(source, "images/node/kubernetes"))).
		To(Succeed())

	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GOMODCACHE", filepath.Join(t.TempDir(), "mod"))
	t.Cleanup(func() { // the module cache is read-only, which t.TempDir can't remove
		g.Expect(exec.Command("go", "clean", "-modcache").Run()).To(Succeed())
	})
	t.Setenv("PODCLOCK_CACHE", t.TempDir())
	return source
}

// publish makes a module available and returns its zip file.
func publish(g *WithT, proxy string, mod modversion.Version, files map[string]string) string {
	base := filepath.Join(proxy, mod.Path, "@v", mod.Version)
	g.Expect(os.MkdirAll(filepath.Dir(base), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(base+".mod", []byte(files["go.mod"]), 0o644)).To(Succeed())
	g.Expect(os.WriteFile(base+".info", []byte(`{"Version":"`+mod.Version+`"}`), 0o644)).To(Succeed())
	zipped, err := os.Create(base + ".zip")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(zip.Create(zipped, mod, zipFiles(files))).To(Succeed())
	g.Expect(zipped.Close()).To(Succeed())
	return zipped.Name()
}

type memoryFile struct{ path, content string }

func (f memoryFile) Path() string { return f.path }
func (f memoryFile) Open() (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(f.content)), nil
}
func (f memoryFile) Lstat() (os.FileInfo, error) { return os.Lstat("build_test.go") } // any regular file

func zipFiles(files map[string]string) []zip.File {
	var all []zip.File
	for path, content := range files {
		all = append(all, memoryFile{path: path, content: content})
	}
	return all
}

func TestBuild(t *testing.T) {
	source := useMiniature(t)
	clean := kubelets.Subject{Version: "v1.37.2"}
	mutant := kubelets.Subject{Version: "v1.37.2", Mutation: "resultrun-one"}
	builds := map[kubelets.Subject]Binary{}

	for s, afterKill := range map[kubelets.Subject]string{clean: "0\n", mutant: "1\n"} {
		t.Run(s.String()+" has its version and its mutation", func(t *testing.T) {
			g := NewWithT(t)
			var log bytes.Buffer
			b, err := Build(t.Context(), s, Options{Source: source, Log: &log})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(log.String()).
				To(And(HavePrefix("kubelet "+s.String()+": building"), ContainSubstring("built in"),
					HaveSuffix(b.Path+"\n")))
			g.Expect(b.Version).To(Equal(s.String()))
			g.Expect(b.Toolchain).To(HavePrefix("go1."))
			g.Expect(b.SHA256).To(HaveLen(64))

			out, err := exec.Command(b.Path).Output()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(out)).To(Equal(afterKill))
			builds[s] = b
		})
	}

	t.Run("another component of Kubernetes is a program of its own", func(t *testing.T) {
		g := NewWithT(t)
		b, err := Build(
			t.Context(),
			kubelets.Subject{Version: "v1.37.2", Mutation: "toleration-ignored"},
			Options{Source: source},
		)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(filepath.Base(b.Path)).To(Equal("kube-controller-manager"))
		g.Expect(b.Version).To(Equal("v1.37.2+toleration-ignored"))
		out, err := exec.Command(b.Path).Output()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(out)).To(Equal("0s\n"))
	})

	t.Run("one program can have the mutation or not", func(t *testing.T) {
		g := NewWithT(t)
		m, _ := mutation.Find(mutant.Mutation)
		b, err := bounded(t.Context(), clean, Options{Source: source}, []mutation.Mutation{m})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(b.Path).NotTo(BeElementOf(builds[clean].Path, builds[mutant].Path))
		for _, s := range []kubelets.Subject{clean, mutant} {
			for _, args := range [][]string{nil, {"--version"}} {
				alone, err := exec.Command(builds[s].Path, args...).Output()
				g.Expect(err).NotTo(HaveOccurred())
				together := exec.Command(b.Path, args...)
				together.Env = append(os.Environ(), mutation.Variable+"="+s.Mutation)
				g.Expect(together.Output()).To(Equal(alone), "%s %v", s, args)
			}
		}
	})

	t.Run("the same inputs are not built again", func(t *testing.T) {
		g := NewWithT(t)
		var log bytes.Buffer
		g.Expect(Build(t.Context(), mutant, Options{Source: source, Log: &log})).To(Equal(builds[mutant]))
		g.Expect(log.String()).To(ContainSubstring("built before, from the same inputs"))
	})

	t.Run("other module files are built again", func(t *testing.T) {
		g := NewWithT(t)
		goMod := filepath.Join(source, "images/node/kubernetes/go.mod")
		content, err := os.ReadFile(goMod)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.WriteFile(goMod, append(content, "// other\n"...), 0o644)).To(Succeed())
		b, err := Build(t.Context(), mutant, Options{Source: source})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(b.Path).NotTo(Equal(builds[mutant].Path))
		g.Expect(b.SHA256).To(Equal(builds[mutant].SHA256), "the path it was built in is not in it")
	})

	t.Run("a mutation that does not match builds nothing", func(t *testing.T) {
		g := NewWithT(t)
		_, err := Build(
			t.Context(),
			kubelets.Subject{Version: "v1.37.2", Mutation: "no-minimum-grace"},
			Options{Source: source},
		)
		g.Expect(err).
			To(MatchError(And(ContainSubstring("building kubelet "+
				"v1.37.2+no-minimum-grace"), ContainSubstring("occurs 0 times"))))
		_, err = Build(
			t.Context(),
			kubelets.Subject{Version: "v1.37.2", Mutation: "hook-not-subtracted"},
			Options{Source: source},
		)
		g.Expect(err).To(MatchError(ContainSubstring("kuberuntime_container.go: no such file")))
	})

	t.Run("an unknown subject builds nothing", func(t *testing.T) {
		g := NewWithT(t)
		_, err := Build(t.Context(), kubelets.Subject{Version: "v1.0.0"}, Options{Source: source})
		g.Expect(err).To(MatchError(ContainSubstring(`no kubelet "v1.0.0"`)))
	})

	t.Run("a checksum that is not pinned is named", func(t *testing.T) {
		g := NewWithT(t)
		goSum := filepath.Join(source, "images/node/kubernetes/go.sum")
		content, err := os.ReadFile(goSum)
		g.Expect(err).NotTo(HaveOccurred())
		var kept []string
		for line := range strings.Lines(string(content)) {
			if !strings.HasPrefix(line, "k8s.io/component-base v0.36.3 ") {
				kept = append(kept, line)
			}
		}
		g.Expect(os.WriteFile(goSum, []byte(strings.Join(kept, "")), 0o644)).To(Succeed())
		_, err = Build(t.Context(), clean, Options{Source: source})
		g.Expect(err).
			To(MatchError(And(ContainSubstring("missing go.sum entry"), ContainSubstring("k8s.io/component-base"),
				ContainSubstring("images/node/kubernetes does not pin all that v1.37.2 is built from"))))
		g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line")
	})

	t.Run("nothing unfinished is left", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(os.ReadDir(filepath.Join(os.Getenv("PODCLOCK_CACHE"), "kubelet"))).To(HaveLen(5))
		g.Expect(filepath.Glob(filepath.Join(os.Getenv("PODCLOCK_CACHE"), "kubelet", "*"+unfinished))).To(BeEmpty())
	})
}

func TestBuildThatIsInterrupted(t *testing.T) {
	g := NewWithT(t)
	source := useMiniature(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted by the user")
	// The first line is written when everything is ready to compile.
	log := writerFunc(func() { cancel(interrupted) })
	_, err := Build(ctx, kubelets.Subject{Version: "v1.37.2"}, Options{Source: source, Log: log})
	g.Expect(err).To(MatchError(interrupted))
	g.Expect(os.ReadDir(filepath.Join(os.Getenv("PODCLOCK_CACHE"), "kubelet"))).To(BeEmpty())
}

type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestBuildOutputSeparatesPackagesFromErrors(t *testing.T) {
	g := NewWithT(t)
	var progress []string
	o := buildOutput{logf: func(string, ...any) { progress = append(progress, "") }}
	for _, chunk := range []string{
		"internal/abi\nk8s.io/kuber", "netes/pkg/kubelet\n# k8s.io/kubernetes/pkg\npkg/a.go:1:2: ", "undefined: b\n",
	} {
		n, err := o.Write([]byte(chunk))
		g.Expect(n, err).To(Equal(len(chunk)))
	}
	g.Expect(o.packages).To(Equal(2))
	g.Expect(o.errors.String()).To(Equal("# k8s.io/kubernetes/pkg\npkg/a.go:1:2: undefined: b\n"))
	g.Expect(kubelets.FirstLines(o.errors.String())).To(Equal("# k8s.io/kubernetes/pkg; pkg/a.go:1:2: undefined: b"))
	g.Expect(kubelets.FirstLines(strings.Repeat("x\n", 12))).To(HaveSuffix("x; and 2 lines more"))
	g.Expect(progress).To(HaveLen(1), "a long start prints one line, not one for each package")
}

func TestBuildOfAnOwnBinaryTakesItAsItIs(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	t.Setenv("PODCLOCK_CACHE", t.TempDir())
	g.Expect(os.WriteFile("kubelet", []byte("#!/bin/sh\necho Kubernetes v1.37.2-dirty\n"), 0o755)).To(Succeed())
	s, err := kubelets.ParseSubject("./kubelet")
	g.Expect(err).NotTo(HaveOccurred())

	b, err := Build(t.Context(), s, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile("kubelet")
	g.Expect(err).NotTo(HaveOccurred())
	sum := sha256.Sum256(content)
	here, err := os.Getwd()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b).To(Equal(Binary{
		Path: filepath.Join(
			here,
			"kubelet",
		),
		Version: "v1.37.2-dirty",
		SHA256:  hex.EncodeToString(sum[:]),
		Size:    int64(len(content)),
	}))
	g.Expect(os.ReadDir(os.Getenv("PODCLOCK_CACHE"))).To(BeEmpty())

	g.Expect(os.Remove("kubelet")).To(Succeed())
	_, err = Build(t.Context(), s, Options{})
	g.Expect(err).To(MatchError(ContainSubstring("there is no file")))
}
