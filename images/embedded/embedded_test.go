package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
)

// A program is the same after it was written into the folder and read from there.
func TestProgram(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	from, to := filepath.Join(folder, "fault"), filepath.Join(folder, "unpacked")
	content := strings.Repeat("a program ", 1000)
	g.Expect(os.WriteFile(from, []byte(content), 0o600)).To(Succeed())
	g.Expect(Write(folder, "fault", "arm64", from)).To(Succeed())
	packed, err := os.ReadFile(filepath.Join(folder, name("fault", "arm64")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(packed)).To(BeNumerically("<", len(content)))

	have := fstest.MapFS{name("fault", "arm64"): {Data: packed}, name("fault", "amd64"): {Data: []byte("damaged")}}
	g.Expect(unpack(have, name("fault", "arm64"), to)).To(BeTrue())
	g.Expect(os.ReadFile(to)).To(BeEquivalentTo(content))
	info, err := os.Stat(to)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm() & 0o111).NotTo(BeZero())

	g.Expect(unpack(have, name("recorder", "arm64"), to)).To(BeFalse())
	_, err = unpack(have, name("fault", "amd64"), to)
	g.Expect(err).To(MatchError(ContainSubstring("unpack fault")))
}
