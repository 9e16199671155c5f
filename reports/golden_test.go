package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	. "github.com/onsi/gomega"
)

var update = flag.Bool("update", false, "write the golden files under testdata instead of comparing with them")

// TestMain turns colours on whatever the environment says, so that the goldens hold everywhere.
func TestMain(m *testing.M) {
	flag.Parse()
	text.EnableColors()
	os.Exit(m.Run())
}

// golden compares what a renderer wrote with testdata/<name>.golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name+".golden")
	if *update {
		g.Expect(os.MkdirAll("testdata", 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, got, 0o644)).To(Succeed())
		return
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: go test ./reports -update")
	if !bytes.Equal(got, want) {
		t.Errorf(
			"%s differs; if that is meant, run go test ./reports -update\n--- want\n%s\n--- got\n%s",
			path,
			want,
			got,
		)
	}
}
