package kubelets

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/harness/measure/run"
)

func TestParseSubjectWithARuntime(t *testing.T) {
	for written, wanted := range map[string]Subject{
		"v1.34.4@containerd-1.7":           {Version: "v1.34.4", Runtime: "containerd-1.7"},
		"v1.23.1@containerd-1.7":           {Version: "v1.23.1", Runtime: "containerd-1.7"},
		"v1.34@cri-o-1.34#2":               {Version: "v1.34.12", Runtime: "cri-o-1.34", Copy: 2},
		"v1.34.4+resultrun-one@cri-o-1.34": {Version: "v1.34.4", Mutation: "resultrun-one", Runtime: "cri-o-1.34"},
	} {
		g := NewWithT(t)
		s, err := ParseSubject(written)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s).To(Equal(wanted))
		g.Expect(ParseSubject(s.String())).To(Equal(s))
		g.Expect(validation.IsDNS1123Label(s.Slug())).To(BeEmpty())
		g.Expect(s.Reports()).NotTo(ContainSubstring("@"), "the kubelet does not know its runtime")
		bare := s
		bare.Runtime = ""
		g.Expect(s.Slug()).NotTo(Equal(bare.Slug()), "they have workers of their own")
		g.Expect(ParseSubjects(run.NodeLane, s.String()+","+bare.String())).To(HaveLen(2))
	}
}

func TestRuntimesThatASubjectCanNotHave(t *testing.T) {
	for written, wanted := range map[string][]string{
		"v1.37.2@containerd-1.7": {
			"containerd-1.7 is for kubelets before v1.36.0", "Kubernetes 1.35 is the last release",
			"leave out @containerd-1.7",
		},
		"v1.35.4@cri-o-1.34":             {"from v1.34.0 and before v1.35.0"},
		"v1.34.4@containerd-1.6":         {`no runtime "containerd-1.6"`, "containerd-1.7, cri-o-1.34"},
		"v1.34.4@":                       {`no runtime ""`, "containerd-1.7, cri-o-1.34"},
		"virtual:v1.34.4@containerd-1.7": {"model of a runtime", "leave out virtual:"},
	} {
		g := NewWithT(t)
		s, err := ParseSubject(written)
		g.Expect(err).To(HaveOccurred(), "%v", s)
		for _, w := range wanted {
			g.Expect(err.Error()).To(ContainSubstring(w))
		}
		g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line")
	}
}

// A path may contain at signs. Only a runtime's name ends it.
func TestARuntimeBehindAPath(t *testing.T) {
	for written, wanted := range map[string][2]string{
		"./kubelet@containerd-1.7":         {"./kubelet", "containerd-1.7"},
		"v1.34.4@./kubelet@containerd-1.7": {"v1.34.4@./kubelet", "containerd-1.7"},
		"./kubelet@home":                   {"./kubelet@home", ""},
		"v1.34.4@./kubelet":                {"v1.34.4@./kubelet", ""},
	} {
		rest, runtime, _ := cutRuntime(written)
		NewWithT(t).Expect([2]string{rest, runtime}).To(Equal(wanted), written)
	}
}

func TestArgsOfARuntime(t *testing.T) {
	g := NewWithT(t)
	const endpoint = "--container-runtime-endpoint=unix:///var/run/crio/crio.sock"
	g.Expect(Subject{Version: "v1.34.4", Runtime: "cri-o-1.34"}.Args()).To(ContainElement(endpoint))
	g.Expect(Subject{Version: "v1.34.4", Runtime: "containerd-1.7"}.Args()).To(BeEmpty())
}
