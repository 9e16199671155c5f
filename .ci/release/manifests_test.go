package main

import (
	"archive/zip"
	"bytes"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/program"
)

func TestManifestsNameTheArchives(t *testing.T) {
	g := NewWithT(t)
	r := files{
		folder: t.TempDir(), program: stamp{Info: program.Info{Version: "v0.4.0"}}, checksums: map[string]string{},
	}
	for _, p := range platforms {
		r.checksums[p.Name()] = "sum-of-" + p.Name()
	}
	g.Expect(r.manifests(t.Context())).To(Succeed())
	formula, err := os.ReadFile(r.path("podclock.rb"))
	g.Expect(err).NotTo(HaveOccurred())
	const archives = "https://github.com/podclock/podclock/releases/download/v0.4.0/"
	g.Expect(string(formula)).To(And(ContainSubstring(`version "0.4.0"`),
		ContainSubstring("      url \""+archives+"podclock_linux_arm64.tar.gz\"\n"+
			"      sha256 \"sum-of-podclock_linux_arm64\"\n"),
		Not(ContainSubstring("windows"))))

	var manifest struct {
		Spec struct {
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	text, err := os.ReadFile(r.path("krew.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(text, &manifest)).To(Succeed())
	g.Expect(manifest.Spec.Platforms).To(HaveLen(len(platforms)))
	last := manifest.Spec.Platforms[len(platforms)-1]
	g.Expect(last.Selector.MatchLabels).To(Equal(map[string]string{"os": "windows", "arch": "amd64"}))
	g.Expect(last.URI).To(Equal(archives + "podclock_windows_amd64.zip"))
	g.Expect(last.Bin).To(Equal("podclock.exe"))
	g.Expect(last.SHA256).To(Equal("sum-of-podclock_windows_amd64"))
}

func TestArchivesDependOnTheirContentOnly(t *testing.T) {
	g := NewWithT(t)
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.FixedZone("", 3600))
	for _, p := range platforms {
		inside := []content{{p.Program(), []byte("program"), 0o755}, {"man/podclock.1", []byte("page"), 0o644}}
		once, err := p.pack(inside, at)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.pack(inside, at.UTC())).To(Equal(once), p.Name())
		if p.OS == "windows" {
			r, err := zip.NewReader(bytes.NewReader(once), int64(len(once)))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.File[0].Name).To(Equal("podclock.exe"))
		}
	}
}
