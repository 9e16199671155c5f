package trend

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/reports/series"
)

var update = flag.Bool("update", false, "write the golden files under testdata instead of comparing with them")

// golden compares what was rendered with testdata/<name>.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name+".golden")
	if *update {
		g.Expect(os.MkdirAll("testdata", 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(got), 0o644)).To(Succeed())
		return
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: go test ./reports/trend -update")
	if got != string(want) {
		t.Errorf(
			"%s differs; if that is meant, run go test ./reports/trend -update\n--- want\n%s\n--- got\n%s",
			path,
			want,
			got,
		)
	}
}

// The comparison and the history that are shown are those that package reports makes in its own tests.

func theComparison(t *testing.T) series.Comparison {
	return read[series.Comparison](t, "compare.json.golden")
}

func theHistory(t *testing.T) series.History {
	return read[series.History](t, "history.json.golden")
}

func read[T any](t *testing.T, file string) T {
	t.Helper()
	g := NewWithT(t)
	data, err := os.ReadFile(filepath.Join("..", "series", "testdata", file))
	g.Expect(err).NotTo(HaveOccurred())
	var v T
	g.Expect(json.Unmarshal(data, &v)).To(Succeed())
	return v
}
