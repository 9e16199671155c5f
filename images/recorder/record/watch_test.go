package record

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
)

func TestLateTicks(t *testing.T) {
	g := NewWithT(t)
	last := time.Now()
	for _, c := range []struct {
		gap, late time.Duration
		recorded  bool
	}{
		{tick, 0, false},
		{tick + 20*time.Millisecond, 20 * time.Millisecond, false},
		{tick + 21*time.Millisecond, 21 * time.Millisecond, true},
		{tick + 2*time.Second, 2 * time.Second, true},
	} {
		late, recorded := lateness(last, last.Add(c.gap))
		g.Expect(late).To(Equal(c.late))
		g.Expect(recorded).To(Equal(c.recorded), c.gap.String())
	}
}

func pressureDir(t *testing.T, cpu, io string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"cpu": cpu, "io": io} {
		NewWithT(t).Expect(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)).To(Succeed())
	}
	return dir
}

func watch(r *Recorder, duration time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	r.Watch(ctx)
}

func pressures(r *Recorder) (found []mark.PSIDetail) {
	batch, _ := r.store.above(0, batchRecords)
	for _, record := range batch.Records {
		if record.Kind == mark.PSISample {
			found = append(found, *record.Detail.PSI)
		}
	}
	return found
}

func TestSamplesThePressure(t *testing.T) {
	g := NewWithT(t)
	r := New(Options{PressureDir: pressureDir(t,
		"some avg10=59.71 avg60=45.66 avg300=20.37 total=94764355\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n")})
	watch(r, 3*pressureEvery)
	// A busy machine may leave out samples, but makes no more.
	g.Expect(len(pressures(r))).To(And(BeNumerically(">=", 1), BeNumerically("<=", 4)))
	g.Expect(pressures(r)[0]).To(Equal(mark.PSIDetail{CPUNS: 94764355000, IONS: 12000}))
}

func TestAKernelWithoutPressureSaysNothing(t *testing.T) {
	for _, dir := range []string{
		"/nonexistent", pressureDir(t, "some total=many\n", "some total=1\n"), pressureDir(t, "full total=1\n", ""),
	} {
		r := New(Options{PressureDir: dir})
		watch(r, 2*pressureEvery)
		NewWithT(t).Expect(pressures(r)).To(BeEmpty(), dir)
	}
}
