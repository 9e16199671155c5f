package machine_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/kubernetes/pkg/volume/util/fs"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
	"github.com/podclock/podclock/harness/virtual/_node/machine"
)

const mib = 1 << 20

// node is a machine with a bounded file system, and a volume of one container.
func node(t *testing.T, bytes, inodes int64) (m *machine.Machine, c cri.Container, volume string) {
	root := t.TempDir()
	volume = filepath.Join(root, "pods", "uid", "volumes", "data")
	NewWithT(t).Expect(os.MkdirAll(volume, 0o755)).To(Succeed())
	c = cri.Container{
		ID:        "c",
		Name:      "victim",
		PodUID:    "uid",
		Mounts:    map[string]string{"/data": volume},
		Running:   true,
		CreatedAt: time.Now(),
	}
	return machine.New(machine.Options{
		Root:         root,
		NodeFSBytes:  bytes,
		NodeFSInodes: inodes,
		Containers:   func() []cri.Container { return []cri.Container{c} },
	}), c, volume
}

func rootFS(t *testing.T, m *machine.Machine) cadvisor.FsInfo {
	info, err := m.Cadvisor().RootFsInfo()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return info
}

func TestWhatIsFilledIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		m, c, volume := node(t, 128*mib, 20_000)
		empty := rootFS(t, m)
		g.Expect(empty.Capacity).To(BeEquivalentTo(128 * mib))
		g.Expect(*empty.Inodes).To(BeEquivalentTo(20_000))

		g.Expect(m.Fill(c, victim.Run{FillDir: "/data", FillBytes: 80 * mib})).To(Succeed())
		du, err := fs.DiskUsage(volume)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(du.Bytes).To(BeNumerically("~", 80*mib, mib/4), "as the kubelet measures a volume")
		filled := rootFS(t, m)
		g.Expect(empty.Available - filled.Available).To(BeNumerically("~", 80*mib, mib/4))
		g.Expect(filled.Usage + filled.Available).To(Equal(filled.Capacity))

		g.Expect(m.Fill(c, victim.Run{FillDir: "/data/more", FillFiles: 300})).To(Succeed())
		g.Expect(*filled.InodesFree - *rootFS(t, m).InodesFree).To(BeEquivalentTo(301))

		g.Expect(os.RemoveAll(volume)).To(Succeed())
		g.Expect(rootFS(t, m).Available).To(BeNumerically(">=", empty.Available), "the kubelet removed the volume")
		g.Expect(*rootFS(t, m).InodesFree).To(Equal(*empty.InodesFree + 1))
	})
}

func TestASecondLifeFillsOverTheFirst(t *testing.T) {
	g := NewWithT(t)
	m, c, _ := node(t, 128*mib, 20_000)
	for _, run := range []victim.Run{{FillDir: "/data", FillBytes: 80 * mib}, {FillDir: "/data", FillFiles: 1000}} {
		g.Expect(m.Fill(c, run)).To(Succeed())
		first := rootFS(t, m)
		g.Expect(m.Fill(c, run)).To(Succeed())
		second := rootFS(t, m)
		g.Expect(second.Available).To(Equal(first.Available))
		g.Expect(*second.InodesFree).To(Equal(*first.InodesFree))
	}
}

func TestAFullDisk(t *testing.T) {
	for name, run := range map[string]victim.Run{
		"bytes": {FillDir: "/data", FillBytes: 40 * mib},
		"files": {FillDir: "/data", FillFiles: 2000},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, c, _ := node(t, 16*mib, 1000)
			for range 2 {
				err := m.Fill(c, run)
				g.Expect(err).To(MatchError(syscall.ENOSPC))
				g.Expect(err).
					To(MatchError(MatchRegexp(`^after \d+ of \d+ (bytes|files): (write|open) /data/fill(-\d+)?: no ` +
						`space left on device$`)))
			}
			full := rootFS(t, m)
			if name == "bytes" {
				g.Expect(full.Available).To(BeNumerically("<", mib/4))
			} else {
				g.Expect(*full.InodesFree).To(BeZero())
			}
		})
	}
}

// The host's own failures must not look like a full disk of the node.
func TestTheHostsTroubleEndsTheNode(t *testing.T) {
	for name, trouble := range map[string]func(volume string) error{
		"no folder": func(volume string) error { return os.WriteFile(filepath.Join(volume, "deep"), nil, 0o600) },
		"no file": func(volume string) error {
			return os.MkdirAll(filepath.Join(volume, "deep", victim.FillFile),
				0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, c, volume := node(t, 128*mib, 20_000)
			g.Expect(trouble(volume)).To(Succeed())
			g.Expect(func() { _ = m.Fill(c, victim.Run{FillDir: "/data/deep", FillBytes: mib}) }).
				To(PanicWith(MatchError(ContainSubstring("the host could not store what a victim fills"))))
		})
	}
}

func TestANodeWithoutASizeIsNeverFull(t *testing.T) {
	g := NewWithT(t)
	m, c, volume := node(t, 0, 0)
	empty := rootFS(t, m)
	g.Expect(m.Fill(c, victim.Run{FillDir: "/data", FillBytes: 30 * mib})).To(Succeed())
	g.Expect(rootFS(t, m).Available).To(Equal(empty.Available))
	du, err := fs.DiskUsage(volume)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(du.Bytes).To(BeNumerically("~", 30*mib, mib/4), "a volume's limit counts all the same")
}

// The images are on the node's file system, or on the disk if the node has a file system of its own size.
func TestImagesAreOnTheDisk(t *testing.T) {
	g := NewWithT(t)
	for _, bytes := range []int64{0, 64 * mib} {
		m, _, volume := node(t, bytes, 20_000)
		root := rootFS(t, m).Device
		images, err := m.Cadvisor().ImagesFsInfo(context.Background())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(images.Device == root).To(Equal(bytes == 0))
		layers, err := m.Cadvisor().GetDirFsInfo("/var/lib/containerd")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(layers.Device).To(Equal(images.Device))
		data, err := m.Cadvisor().GetDirFsInfo(volume)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(data.Device).To(Equal(root))
	}
}

// Only the runtime measures a layer, every ten seconds.
func TestLayers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		m, c, _ := node(t, 0, 0)
		time.Sleep(time.Minute)
		layer := func() (uint64, time.Time) {
			l := m.Stats(c).WritableLayer
			return l.UsedBytes.Value, time.Unix(0, l.Timestamp)
		}
		_, last := layer()
		g.Expect(m.Fill(c, victim.Run{FillDir: "/layer", FillBytes: 30 * mib})).To(Succeed())
		filled := time.Now()
		bytes, at := layer()
		for ; bytes == 0; bytes, at = layer() {
			g.Expect(at).To(Equal(last))
			time.Sleep(100 * time.Millisecond)
		}
		g.Expect(bytes).To(BeEquivalentTo(30 * mib))
		g.Expect(at).To(And(BeTemporally(">", filled), BeTemporally("<=", time.Now())))
		g.Expect(at.Sub(last)).To(Equal(10 * time.Second))
		other := c
		other.ID = "next life"
		g.Expect(m.Stats(other).WritableLayer.UsedBytes.Value).To(BeZero())
	})
}
