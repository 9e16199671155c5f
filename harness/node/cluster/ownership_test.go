package cluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestDecide(t *testing.T) {
	kept := &record{PID: 7, Mark: "m", Topology: "t", Kept: true}
	running := &record{PID: 7, Mark: "m", Topology: "t"}
	for name, c := range map[string]struct {
		record   *record
		marks    []string
		topology string
		want     step
		why      string
		err      error
	}{
		"no cluster exists":                  {nil, nil, "t", create, "", nil},
		"a record of what was deleted since": {kept, nil, "t", create, "", nil},
		"no record":                          {nil, []string{"", ""}, "t", 0, "", errForeign},
		"no record, another cache's mark":    {nil, []string{"m"}, "t", 0, "", errForeign},
		"a record, but recreated by someone": {kept, []string{"", ""}, "t", 0, "", errForeign},
		"a record, but another cache's mark": {running, []string{"x"}, "t", 0, "", errForeign},
		"one node of ours, one of theirs":    {running, []string{"m", ""}, "t", 0, "", errForeign},
		"left while it was created":          {running, []string{"m"}, "t", replace, "killed run (process 7", nil},
		"left by a killed run":               {running, []string{"m", "m"}, "u", replace, "killed run", nil},
		"kept with other subjects":           {kept, []string{"m", "m"}, "u", replace, "other subjects", nil},
		"kept as it should be":               {kept, []string{"m", "m"}, "t", adopt, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got, why, err := decide(c.record, c.marks, c.topology)
			if c.err != nil {
				g.Expect(err).To(MatchError(c.err))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(c.want))
			g.Expect(why).To(ContainSubstring(c.why))
		})
	}
}

func TestARecordIsReadAsWritten(t *testing.T) {
	g := NewWithT(t)
	b, err := openBooks(filepath.Join(t.TempDir(), "clusters"), "a")
	g.Expect(err).NotTo(HaveOccurred())
	defer b.close()

	g.Expect(b.read()).To(BeNil())
	want := &record{
		Name:     "a",
		Engine:   "docker",
		PID:      1,
		Mark:     "m",
		Topology: "t",
		Kept:     true,
		Created:  time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	g.Expect(b.write(want)).To(Succeed())
	g.Expect(b.read()).To(Equal(want))
	g.Expect(os.WriteFile(b.kubeconfigPath(), nil, 0o600)).To(Succeed())

	g.Expect(b.forget()).To(Succeed())
	g.Expect(b.forget()).To(Succeed(), "forgetting twice")
	g.Expect(b.read()).To(BeNil())
	g.Expect(b.kubeconfigPath()).NotTo(BeAnExistingFile())
}

func TestABrokenRecordDoesNotAllowADelete(t *testing.T) {
	g := NewWithT(t)
	b, err := openBooks(t.TempDir(), "a")
	g.Expect(err).NotTo(HaveOccurred())
	defer b.close()
	g.Expect(os.WriteFile(b.recordPath(), []byte(`{"name":`), 0o644)).To(Succeed())
	_, err = b.read()
	g.Expect(err).To(MatchError(ContainSubstring(b.recordPath())))
}

func TestOneProcessPerCluster(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	first, err := openBooks(dir, "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first.write(&record{PID: 4711})).To(Succeed())

	_, err = openBooks(dir, "a")
	var busy *busyError
	g.Expect(errors.As(err, &busy)).To(BeTrue())
	g.Expect(err.Error()).To(And(ContainSubstring("process 4711"), ContainSubstring("CLUSTER=")))

	other, err := openBooks(dir, "b")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(other.close()).To(Succeed())

	g.Expect(first.close()).To(Succeed())
	again, err := openBooks(dir, "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.close()).To(Succeed())
}

// A killed run can't free its cluster, so the kernel must.
func TestAKilledProcessReleasesItsCluster(t *testing.T) {
	if dir := os.Getenv("CLUSTER_TEST_HOLD"); dir != "" {
		if _, err := openBooks(dir, "a"); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		select {}
	}
	g := NewWithT(t)
	dir := t.TempDir()
	holder := exec.Command(os.Args[0], "-test.run=^TestAKilledProcessReleasesItsCluster$")
	holder.Env = append(os.Environ(), "CLUSTER_TEST_HOLD="+dir)
	out, err := holder.StdoutPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(holder.Start()).To(Succeed())
	defer holder.Process.Kill()
	line := make([]byte, 5)
	_, err = out.Read(line)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(line)).To(Equal("held\n"))

	_, err = openBooks(dir, "a")
	g.Expect(err).To(HaveOccurred(), "while the process lives")
	g.Expect(holder.Process.Kill()).To(Succeed())
	_ = holder.Wait() // the error is expected, because it was killed

	b, err := openBooks(dir, "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.close()).To(Succeed())
}
