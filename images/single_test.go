package images

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/gomega"
)

func writeBinary(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestArchiveHoldsTheBinaryUnderItsName(t *testing.T) {
	g := NewWithT(t)
	s := Single{Ref: Ref("fault", "0123456789abcdef"), Binary: writeBinary(t, "ELF")}
	archive := filepath.Join(t.TempDir(), "fault.tar")
	g.Expect(s.WriteArchive(archive)).To(Succeed())

	tag, err := name.NewTag("localhost/podclock/fault:0123456789ab")
	g.Expect(err).NotTo(HaveOccurred())
	img, err := tarball.ImageFromPath(archive, &tag)
	g.Expect(err).NotTo(HaveOccurred())
	config, err := img.ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.OS).To(Equal("linux"))
	g.Expect(config.Config.Entrypoint).To(Equal([]string{"/usr/local/bin/victim"}))
	g.Expect(config.Config.Env).To(ConsistOf(HavePrefix("PATH=")))

	header, content := onlyFile(t, img)
	g.Expect(header.Name).To(Equal("usr/local/bin/victim"))
	g.Expect(header.Mode).To(Equal(int64(0o755)), "a binary without the x bit cannot start")
	g.Expect(content).To(Equal("ELF"))
}

func TestEqualInputsGiveEqualBytes(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	var archives [2][]byte
	for i := range archives {
		s := Single{Ref: "localhost/podclock/fault:one", Binary: writeBinary(t, "ELF")}
		file := filepath.Join(dir, "image.tar")
		g.Expect(s.WriteArchive(file)).To(Succeed())
		var err error
		archives[i], err = os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(archives[0]).To(Equal(archives[1]))
}

func TestContentHashFollowsContentAndNotName(t *testing.T) {
	g := NewWithT(t)
	base := Single{Ref: "localhost/podclock/fault:one", Binary: writeBinary(t, "ELF")}
	hashOf := func(s Single) string {
		img, err := s.Image()
		g.Expect(err).NotTo(HaveOccurred())
		hash, err := contentHash(img)
		g.Expect(err).NotTo(HaveOccurred())
		return hash
	}
	hash := hashOf(base)
	g.Expect(hash).To(HaveLen(64))

	renamed, otherBinary, otherPath := base, base, base
	renamed.Ref = "localhost/podclock/fault:two"
	otherBinary.Binary = writeBinary(t, "FLE")
	otherPath.Path = "/victim"
	g.Expect(hashOf(renamed)).To(Equal(hash))
	g.Expect(hashOf(otherBinary)).NotTo(Equal(hash))
	g.Expect(hashOf(otherPath)).NotTo(Equal(hash))
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	for title, s := range map[string]Single{
		"no tag":             {Ref: "fault", Binary: writeBinary(t, "ELF")},
		"no binary":          {Ref: "localhost/podclock/fault:one", Binary: filepath.Join(t.TempDir(), "absent")},
		"relative in image":  {Ref: "localhost/podclock/fault:one", Binary: writeBinary(t, "ELF"), Path: "bin/fault"},
		"malformed ref name": {Ref: "localhost/Pod Clock:one", Binary: writeBinary(t, "ELF")},
	} {
		t.Run(title, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			g.Expect(s.WriteArchive(filepath.Join(dir, "image.tar"))).NotTo(Succeed())
			entries, err := os.ReadDir(dir)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(entries).To(BeEmpty())
		})
	}
}

func onlyFile(t *testing.T, img v1.Image) (*tar.Header, string) {
	t.Helper()
	fs := mutate.Extract(img)
	defer func() { _ = fs.Close() }()
	r := tar.NewReader(fs)
	header, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("the image holds more than one file: %v", err)
	}
	return header, string(content)
}
