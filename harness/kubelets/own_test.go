package kubelets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/measure/run"
)

// script writes a shell script in place of a kubelet.
func script(t *testing.T, path, text string) {
	t.Helper()
	g := NewWithT(t)
	g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755)).To(Succeed())
}

// printing is a script that prints the version of a kubelet.
func printing(version string) string {
	return `case "$*" in *--version*) echo 'Kubernetes ` + version + `';; *) exit 1;; esac`
}

func TestParseSubjectOfAPath(t *testing.T) {
	t.Chdir(t.TempDir())
	const dirty = "v1.37.0-alpha.1.23+0123456789abcd-dirty"
	script(t, "_output/bin/kubelet", printing(dirty))
	script(t, "mine", printing("v1.37.2"))
	here, err := os.Getwd()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())

	for input, wanted := range map[string]Subject{
		"./_output/bin/kubelet": {Version: dirty, Path: "./_output/bin/kubelet"},
		"_output/bin/kubelet":   {Version: dirty, Path: "_output/bin/kubelet"},
		"./mine":                {Version: "v1.37.2", Path: "./mine"},
		here + "/mine":          {Version: "v1.37.2", Path: here + "/mine"},
		"v1.37.2@./mine":        {Version: "v1.37.2", Path: "./mine"},
		dirty + "@" + here + "/_output/bin/kubelet": {Version: dirty, Path: here + "/_output/bin/kubelet"},
	} {
		t.Run(input, func(t *testing.T) {
			g := NewWithT(t)
			s, err := ParseSubject(input)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(s).To(Equal(wanted))
			g.Expect(s.Own()).To(BeTrue())
			g.Expect(s.Released()).To(BeFalse(), "the node image's kubelet is not accepted")
			g.Expect(s.Reports()).To(Equal(wanted.Version))
			g.Expect(s.String()).To(Equal(wanted.Version + "@" + wanted.Path))
			g.Expect(ParseSubject(s.String())).To(Equal(s))
		})
	}
}

func TestParseSubjectOfAPathThatIsNoKubelet(t *testing.T) {
	t.Chdir(t.TempDir())
	script(t, "bin/kubelet", printing("v1.37.2"))
	script(t, "plain", printing("v1.37.2"))
	script(
		t,
		"kube-apiserver",
		`case "$*" in *--node-ip*) echo "Error: unknown flag: --node-ip" >&2; exit 1;; esac; echo 'Kubernetes v1.37.2'`,
	)
	script(t, "chatty", `yes | head -1000; echo 'Kubernetes v1.37.2'`)
	script(t, "unstamped", printing("v0.0.0-master+$Format:%H$"))
	script(t, "odd", printing("v1.36"))
	script(t, "foreign", "")
	g := NewWithT(t)
	g.Expect(os.Chmod("plain", 0o644)).To(Succeed())
	g.Expect(os.WriteFile("foreign", []byte("\x7fELF of another machine"), 0o755)).To(Succeed())
	here, err := os.Getwd()
	g.Expect(err).NotTo(HaveOccurred())

	for input, wanted := range map[string][]string{
		"./gone":                 {`there is no file "` + here + `/gone"`, "correct the path", "make WHAT=cmd/kubelet"},
		"~/kubelet":              {"$HOME"},
		"./bin":                  {`"./bin" is a folder`},
		"./bin/kubelet/kubelet":  {"not a directory"},
		"/dev/null":              {"no regular file"},
		"./plain":                {`"./plain" is not executable`, "chmod +x"},
		"./kube-apiserver":       {"unknown flag: --node-ip", "make WHAT=cmd/kubelet"},
		"./chatty":               {`it prints "y" instead of Kubernetes and a version`},
		"./unstamped":            {"which a build without a version has", "make WHAT=cmd/kubelet"},
		"./odd":                  {`"v1.36"`, "no semantic version"},
		"./foreign":              {"exec format error", "make WHAT=cmd/kubelet"},
		"v1.36.2@./bin/kubelet":  {"is a kubelet v1.37.2, not v1.36.2"},
		"v1.36@./bin/kubelet":    {"there is no file"},
		"v1.37.2@kubelet":        {`there is no runtime "kubelet"`, "has a slash"},
		"kubelet":                {`there is no kubelet "kubelet"`, "has a slash"},
		"./bin/kubelet\nv1.37.2": {"there is no file"},
	} {
		t.Run(input, func(t *testing.T) {
			g := NewWithT(t)
			s, err := ParseSubject(input)
			g.Expect(err).To(HaveOccurred(), "%v", s)
			g.Expect(err.Error()).To(HavePrefix("subject "))
			for _, w := range wanted {
				g.Expect(err.Error()).To(ContainSubstring(w))
			}
			g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line")
			g.Expect(len(err.Error())).To(BeNumerically("<", 500))
		})
	}
}

func TestSubjectsThatCollide(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	script(t, "a/kubelet", printing("v1.37.2"))
	script(t, "b/kubelet", printing("v1.37.2"))
	g.Expect(os.Symlink("a/kubelet", "link")).To(Succeed())

	subjects, err := ParseSubjects(run.NodeLane, "v1.37.2,./a/kubelet, ./b/kubelet,v1.37.2+resultrun-one")
	g.Expect(err).NotTo(HaveOccurred())
	names, slugs := map[string]bool{}, map[string]bool{}
	for _, s := range subjects {
		names[s.String()], slugs[s.Slug()] = true, true
	}
	g.Expect(names).To(HaveLen(4), "one version, three kubelets")
	g.Expect(slugs).To(HaveLen(4))

	for list, says := range map[string]string{
		"./a/kubelet,./a/kubelet": `subject "./a/kubelet" occurs twice`,
		"./a/kubelet,./link":      `subjects "./a/kubelet" and "./link" are the same file`,
		"./link,a/../a/kubelet":   "are the same file",
		"./link,v1.37.2@./link":   `subjects "./link" and "v1.37.2@./link" are the same file`,
	} {
		_, err := ParseSubjects(run.NodeLane, list)
		g.Expect(err).To(MatchError(ContainSubstring(says)), list)
	}
}

func TestSlugIsALabel(t *testing.T) {
	for _, s := range []Subject{
		{Version: "v1.37.2", Path: "./kubelet"},
		{Version: "v1.37.2+resultrun-one", Path: "./kubelet"},
		{Version: "v1.37.0-alpha.1.23+0123456789abcd-dirty", Path: "/opt/" + strings.Repeat("long/", 50) + "kubelet"},
		{Version: "v1.37.0-rc.1+" + strings.Repeat("x", 39) + "-" + strings.Repeat("x", 90), Path: "./kubelet"},
	} {
		t.Run(s.Version, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(validation.IsDNS1123Label(s.Slug())).To(BeEmpty(), s.Slug())
			elsewhere := s
			elsewhere.Path += "2"
			g.Expect(elsewhere.Slug()).NotTo(Equal(s.Slug()))
			g.Expect(s.Slug()).NotTo(Equal(Subject{Version: s.Version}.Slug()))
		})
	}
}

func TestAskVersionOfAProgramThatHangs(t *testing.T) {
	g := NewWithT(t)
	hanging := filepath.Join(t.TempDir(), "hanging")
	script(t, hanging, "exec sleep 60")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("long enough"))
	defer cancel()
	start := time.Now()
	_, err := AskVersion(ctx, hanging)
	g.Expect(err).To(MatchError("long enough"))
	g.Expect(time.Since(start)).To(BeNumerically("<", versionTimeout))
}
