package node

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestImageNames(t *testing.T) {
	g := NewWithT(t)
	const list = "example/kube-apiserver:v1.36.3\nexample/coredns/coredns:v1.14.2\nexample/pause:3.10.2\n" +
		"host:5000/etcd:3.6.8-0\n"
	names, err := imageNames(list, "version = 2\n  sandbox_image = \"example/pause:3.10\"\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names).To(Equal(map[string]string{
		"kube-apiserver": "example/kube-apiserver:v1.36.3", "coredns": "example/coredns/coredns:v1.14.2",
		"etcd": "host:5000/etcd:3.6.8-0", "pause": "example/pause:3.10",
	}), "containerd starts the pause image of its own configuration")

	_, err = imageNames(list, "version = 3\n")
	g.Expect(err).To(MatchError(ContainSubstring("sandbox_image")))
}

func TestKindFilesGetTheirModesBack(t *testing.T) {
	g := NewWithT(t)
	kind := t.TempDir()
	for _, name := range []string{
		"usr/local/bin/entrypoint", "kind/bin/hook.sh", "etc/systemd/system/kubelet.service",
	} {
		file := filepath.Join(kind, name)
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(file, []byte(name), 0o444)).To(Succeed()) // as the module cache does
	}
	l := layout{Root: t.TempDir()}
	g.Expect(l.installKindFiles(kind)).To(Succeed())
	for name, mode := range map[string]os.FileMode{
		"usr/local/bin/entrypoint": 0o755, "kind/bin/hook.sh": 0o755, "etc/systemd/system/kubelet.service": 0o644,
	} {
		file := filepath.Join(l.Root, name)
		g.Expect(os.ReadFile(file)).To(BeEquivalentTo(name))
		info, err := os.Stat(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(info.Mode().Perm()).To(Equal(mode), name)
	}
}

func TestRemoveLeftoversTakesOnlyBuilds(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	for _, name := range []string{"build-1/rootfs/etc", "build-2", "kept"} {
		g.Expect(os.MkdirAll(filepath.Join(folder, name), 0o755)).To(Succeed())
	}
	g.Expect(removeLeftovers(folder)).To(Succeed())
	entries, err := os.ReadDir(folder)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1))
	g.Expect(entries[0].Name()).To(Equal("kept"))
}
