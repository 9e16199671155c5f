package builder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// exampleShelf is an empty shelf, and what puts a binary there.
func exampleShelf(t *testing.T) (shelf, func(folder string) (Binary, error)) {
	made := func(folder string) (Binary, error) {
		if err := os.Mkdir(filepath.Join(folder, workFolder), 0o755); err != nil {
			return Binary{}, err
		}
		return Binary{
				Version: "v1",
				Size:    3,
			}, os.WriteFile(
				filepath.Join(folder, string(mutation.Kubelet)),
				[]byte("elf"),
				0o755,
			)
	}
	return shelf{
		folder: t.TempDir(), key: strings.Repeat("0123456789abcdef", 4), name: string(mutation.Kubelet),
		length: shelfLength, inUse: inUse,
	}, made
}

func (s shelf) with(key string) shelf {
	s.key = key
	return s
}

func TestShelfKeepsWhatWasPut(t *testing.T) {
	g := NewWithT(t)
	s, made := exampleShelf(t)
	_, ok := s.find()
	g.Expect(ok).To(BeFalse())

	put, err := s.put(made)
	g.Expect(err).NotTo(HaveOccurred())
	found, ok := s.find()
	g.Expect(ok).To(BeTrue())
	g.Expect(found).To(Equal(put))
	g.Expect(found).To(Equal(Binary{Path: filepath.Join(s.folder, "0123456789ab", "kubelet"), Version: "v1", Size: 3}))
	g.Expect(os.ReadDir(filepath.Dir(found.Path))).To(HaveLen(2), "the binary and its label")
}

func TestShelfTakesADamagedBinaryForMissing(t *testing.T) {
	for what, damage := range map[string]func(Binary) error{
		"cut short":       func(b Binary) error { return os.Truncate(b.Path, 1) },
		"gone":            func(b Binary) error { return os.Remove(b.Path) },
		"without a label": func(b Binary) error { return os.Remove(filepath.Join(filepath.Dir(b.Path), labelName)) },
		"with half a label": func(b Binary) error {
			return os.WriteFile(filepath.Join(filepath.Dir(b.Path), labelName), []byte(`{"version":`), 0o644)
		},
	} {
		t.Run(what, func(t *testing.T) {
			g := NewWithT(t)
			s, made := exampleShelf(t)
			b, err := s.put(made)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(damage(b)).To(Succeed())
			_, ok := s.find()
			g.Expect(ok).To(BeFalse())

			g.Expect(s.put(made)).To(Equal(b), "it is replaced")
			_, ok = s.find()
			g.Expect(ok).To(BeTrue())
		})
	}
}

func TestShelfStaysEmptyWhenMakingFails(t *testing.T) {
	g := NewWithT(t)
	s, made := exampleShelf(t)
	_, err := s.put(func(folder string) (Binary, error) {
		_, err := made(folder)
		g.Expect(err).NotTo(HaveOccurred())
		return Binary{}, errors.New("no luck")
	})
	g.Expect(err).To(MatchError("no luck"))
	g.Expect(os.ReadDir(s.folder)).To(BeEmpty())
}

func TestShelfRemovesWhatAKilledProcessLeft(t *testing.T) {
	g := NewWithT(t)
	s, made := exampleShelf(t)
	g.Expect(os.MkdirAll(filepath.Join(s.folder, "ffffffffffff.123"+unfinished, workFolder), 0o755)).To(Succeed())
	_, err := s.put(made)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.ReadDir(s.folder)).To(HaveLen(1))
}

func TestShelfKeepsWhatWasUsedLast(t *testing.T) {
	g := NewWithT(t)
	s, made := exampleShelf(t)
	key := func(i int) string { return fmt.Sprintf("%012d", i) + s.key[12:] }
	start := time.Now().Add(-48 * time.Hour)
	for i := range shelfLength {
		place := s.with(key(i))
		_, err := place.put(made)
		g.Expect(err).NotTo(HaveOccurred())
		used := start.Add(time.Duration(i) * time.Minute)
		g.Expect(os.Chtimes(place.path(), used, used)).To(Succeed())
	}
	_, ok := s.with(key(0)).find()
	g.Expect(ok).To(BeTrue())

	_, err := s.put(made)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.ReadDir(s.folder)).To(HaveLen(shelfLength))
	for k, kept := range map[string]bool{s.key: true, key(0): true, key(1): false, key(2): true} {
		_, ok := s.with(k).find()
		g.Expect(ok).To(Equal(kept), k)
	}
}

func TestShelfKeepsMoreWhenMoreAreInUse(t *testing.T) {
	g := NewWithT(t)
	s, made := exampleShelf(t)
	for i := range shelfLength + 2 {
		_, err := s.with(fmt.Sprintf("%012d", i) + s.key[12:]).put(made)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(os.ReadDir(s.folder)).To(HaveLen(shelfLength + 2))
}

func TestShelfKnowsTheFirstOfAVersion(t *testing.T) {
	g := NewWithT(t)
	s, _ := exampleShelf(t)
	g.Expect(s.first("v1.37.2", "go1.26")).To(BeTrue())
	_, err := s.put(func(folder string) (Binary, error) {
		return Binary{
				Version:   "v1.37.2+example",
				Toolchain: "go1.26",
			}, os.WriteFile(
				filepath.Join(folder, s.name),
				nil,
				0o755,
			)
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.first("v1.37.2", "go1.26")).To(BeFalse(), "a mutant shares what was compiled")
	g.Expect(s.first("v1.37.2", "go1.27")).To(BeTrue())
	g.Expect(s.first("v1.35.4", "go1.26")).To(BeTrue())
	s.name = virtualName
	g.Expect(s.first("v1.37.2", "go1.26")).To(BeTrue(), "the other lane's program has other packages")
}
