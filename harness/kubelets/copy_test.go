package kubelets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
)

func TestACopyIsTheSameKubeletUnderAnotherName(t *testing.T) {
	for input, want := range map[string]struct {
		subject Subject
		slug    string
	}{
		"v1.37.2#2": {Subject{Version: "v1.37.2", Copy: 2}, "v1-37-2-copy-2"},
		"v1.37.2+resultrun-one#12": {
			Subject{Version: "v1.37.2", Mutation: "resultrun-one", Copy: 12}, "v1-37-2-resultrun-one-copy-12",
		},
		"virtual:v1.37.2#3": {
			Subject{Virtual: true, Version: "v1.37.2", Copy: 3}, "virtual-v1-37-2-copy-3",
		},
		"virtual:v1.35.4+resultrun-one#2": {
			Subject{Virtual: true, Version: "v1.35.4", Mutation: "resultrun-one", Copy: 2},
			"virtual-v1-35-4-resultrun-one-copy-2",
		},
	} {
		g := NewWithT(t)
		s, err := ParseSubject(input)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s).To(Equal(want.subject))
		g.Expect(s.String()).To(Equal(input))
		g.Expect(s.Slug()).To(Equal(want.slug))
		original := s
		original.Copy = 0
		g.Expect(s.Reports()).To(Equal(original.Reports()), "the kubelet does not know that it is a copy")
		g.Expect(s.Released()).To(Equal(original.Released()))
	}
}

func TestParseSubjectsAcceptsCopies(t *testing.T) {
	g := NewWithT(t)
	subjects, err := ParseSubjects(run.NodeLane, "v1.37.2, v1.37.2#2,v1.37.2#3")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(subjects).To(Equal(Subject{Version: "v1.37.2"}.Copies(3)))
	g.Expect(Subject{Version: "v1.37.2"}.Copies(1)).To(Equal([]Subject{{Version: "v1.37.2"}}))
	g.Expect(ParseSubjects(run.VirtualLane, "v1.37.2,virtual:v1.37.2#2")).
		To(Equal([]Subject{{Virtual: true, Version: "v1.37.2"}, {Virtual: true, Version: "v1.37.2", Copy: 2}}))

	for input, wanted := range map[string]string{
		"v1.37.2,v1.37.2":     `"v1.37.2" occurs twice: remove one, or write a copy of it, such as v1.37.2#2`,
		"v1.37.2#2,v1.37.2#2": `"v1.37.2#2" occurs twice: remove one, or write a copy of it, such as v1.37.2#3`,
		"v1.37.2#1":           `subject "v1.37.2#1": #1 is no number of a copy: write #2 or more`,
		"v1.37.2#0":           "#0 is no number of a copy",
		"v1.37.2#":            "# is no number of a copy",
		"v1.37.2#two":         "#two is no number of a copy",
		"v1.37.2#02":          "#02 is no number of a copy",
		"v1.37.2#-2":          "#-2 is no number of a copy",
		"v9.9.9#2":            `no kubelet "v9.9.9"`,
	} {
		_, err := ParseSubjects(run.NodeLane, input)
		g.Expect(err).To(MatchError(ContainSubstring(wanted)), input)
	}
}

// Two paths of one file are one kubelet, which may have copies. A folder may have any name.
func TestCopiesOfAnOwnBinary(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "with#2")
	g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
	file := filepath.Join(dir, "kubelet")
	g.Expect(os.WriteFile(file, []byte("#!/bin/sh\necho Kubernetes v1.37.2\n"), 0o755)).To(Succeed())
	subjects, err := ParseSubjects(run.NodeLane, file+","+file+"#2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(subjects).To(Equal(Subject{Version: "v1.37.2", Path: file}.Copies(2)))
	g.Expect(subjects[1].Slug()).To(Equal(subjects[0].Slug() + "-copy-2"))
	long := Subject{Version: "v1.37.2-" + strings.Repeat("x", maxLabel), Path: file, Copy: 12}
	g.Expect(len(long.Slug())).To(BeNumerically("<=", maxLabel))
	g.Expect(os.Symlink(file, filepath.Join(dir, "other"))).To(Succeed())
	_, err = ParseSubjects(run.NodeLane, file+"#2,"+filepath.Join(dir, "other")+"#2")
	g.Expect(err).To(MatchError(ContainSubstring("are the same file")))
}
