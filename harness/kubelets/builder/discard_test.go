package builder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestDiscardRemovesOnlyUnusedBuildsOfThisProcess(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(s shelf)
		stays  bool
	}{
		"just built":               {func(shelf) {}, false},
		"found since":              {func(s shelf) { s.find() }, true},
		"built by another process": {func(s shelf) { made.Delete(filepath.Join(s.path(), s.name)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := shelf{folder: t.TempDir(), key: "0123456789abcdef", name: virtualName, length: shelfLength}
			b, err := s.put(func(folder string) (Binary, error) {
				return Binary{
						Version: "v1.37.2",
						Size:    2,
					}, os.WriteFile(
						filepath.Join(folder, virtualName),
						[]byte("no"),
						0o755,
					)
			})
			g.Expect(err).NotTo(HaveOccurred())
			time.Sleep(time.Millisecond) // what is found later has a later time
			tt.before(s)
			g.Expect(Discard(b)).To(Succeed())
			if tt.stays {
				g.Expect(b.Path).To(BeAnExistingFile())
			} else {
				g.Expect(s.path()).NotTo(BeADirectory())
			}
			g.Expect(Discard(b)).To(Succeed(), "a second time it is no longer its own")
		})
	}
}
