package screen

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestAFileIsNoTerminal(t *testing.T) {
	g := NewWithT(t)
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	s := Of(f)
	g.Expect(s.Terminal).To(BeFalse())
	g.Expect(s.Colour).To(BeFalse())
	g.Expect(s.Columns()).To(Equal(120))
	g.Expect(Screen{Width: 80}.Columns()).To(Equal(80))
}
