package kubelets_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"

	. "github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
)

func TestFeatureGates(t *testing.T) {
	for written, want := range map[string]Subject{
		"v1.37.2+EventedPLEG=true":           {Version: "v1.37.2", Gates: "+EventedPLEG=true"},
		"v1.37.2+B=false+A=true":             {Version: "v1.37.2", Gates: "+A=true+B=false"},
		"v1.37.2+resultrun-one+A=true#2":     {Version: "v1.37.2", Mutation: "resultrun-one", Gates: "+A=true", Copy: 2},
		"virtual:v1.37.2+A=true":             {Virtual: true, Version: "v1.37.2", Gates: "+A=true"},
		"v1.34.4@containerd-1.7+A=true":      {Version: "v1.34.4", Runtime: "containerd-1.7", Gates: "+A=true"},
		"virtual:v1.37+A=true+resultrun-one": {},
	} {
		g := NewWithT(t)
		s, err := ParseSubject(written)
		if want.Version == "" {
			g.Expect(err).To(MatchError(ContainSubstring("there is no mutation")), written)
			continue
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s).To(Equal(want))
		g.Expect(ParseSubject(s.String())).To(Equal(s))
		g.Expect(validation.IsDNS1123Label(s.Slug())).To(BeEmpty())
		g.Expect(s.Reports()).NotTo(ContainSubstring("A=true"), "the program is the same")
	}
	g := NewWithT(t)
	s := Subject{Version: "v1.37.2", Gates: "+A=true+B=false"}
	g.Expect(s.FeatureGates()).To(Equal(map[string]bool{"A": true, "B": false}))
	g.Expect(s.Args()).To(ConsistOf("--feature-gates=A=true,B=false"))
	g.Expect(s.Slug()).NotTo(Equal(Subject{Version: "v1.37.2", Gates: "+A=true+B=true"}.Slug()))
	g.Expect(Subject{Version: "v1.37.2"}.FeatureGates()).To(BeNil())
	g.Expect(ParseSubjects(run.NodeLane, "v1.37.2,v1.37.2+A=true,v1.37.2+A=false")).To(HaveLen(3))
}

func TestFeatureGatesThatAreNone(t *testing.T) {
	for written, says := range map[string]string{
		"v1.37.2+A=on":           `feature gate A is "on": write A=true or A=false`,
		"v1.37.2+A=":             `feature gate A is ""`,
		"v1.37.2+A=true+A=false": "feature gate A occurs twice",
		"v1.37.2+B=true+A=true,v1.37.2+A=true+B=true": "are the same kubelet",
	} {
		_, err := ParseSubjects(run.NodeLane, written)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)), written)
	}
}
