package mutation

import (
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/semver"
)

func TestMutationsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(seen[m.Name]).To(BeFalse(), "its name is taken")
			seen[m.Name] = true
			g.Expect(m.Breaks).NotTo(BeEmpty())
			g.Expect(m.Component).To(BeElementOf(Kubelet, APIServer, ControllerManager))
			for _, bound := range []string{m.Versions.From, m.Versions.Before} {
				g.Expect(bound == "" || semver.IsValid(bound)).To(BeTrue(), bound)
			}
			version := "v1.36.3+" + m.Name
			g.Expect(semver.IsValid(version)).To(BeTrue(), "the kubelet reports it as its version")
		})
	}
}

// A virtual node replaces two pieces of code, and has no garbage collector of pods. A mutation of any would not be in
// it or show nothing, and look like a survivor.
func TestNodeOnly(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Mutation{File: DialerFile}.Lacking()).To(Equal(DialerFile))
	g.Expect(Mutation{File: "pkg/kubelet/prober/worker.go"}.NodeOnly()).To(BeFalse())
	for _, m := range All() {
		expected := m.Name == "exec-never-times-out" || m.File == podCollector
		g.Expect(m.NodeOnly()).To(Equal(expected), m.Name)
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		r       Range
		version string
		in      bool
		says    string
	}{
		{Range{}, "v1.23.1", true, "of every version"},
		{Range{From: "v1.28.0"}, "v1.28.0", true, "from v1.28.0"},
		{Range{From: "v1.28.0"}, "v1.27.16", false, "from v1.28.0"},
		{Range{Before: "v1.28.0"}, "v1.27.16", true, "before v1.28.0"},
		{Range{Before: "v1.28.0"}, "v1.28.0", false, "before v1.28.0"},
		{Range{"v1.9.0", "v1.28.0"}, "v1.10.0", true, "from v1.9.0 and before v1.28.0"},
	} {
		t.Run(c.says+" "+c.version, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(c.r.Contains(c.version)).To(Equal(c.in))
			g.Expect(c.r.String()).To(Equal(c.says))
		})
	}
}

func TestTogether(t *testing.T) {
	g := NewWithT(t)
	names := func(all []Mutation) (names []string) {
		for _, m := range all {
			names = append(names, m.Name)
		}
		return names
	}
	kubelet, server := names(Together("v1.37.2", false, Kubelet)), names(Together("v1.37.2", false, APIServer))
	virtual := names(Together("v1.37.2", true, Kubelet))
	g.Expect(kubelet).To(ContainElements("resultrun-one", "exec-never-times-out"))
	g.Expect(kubelet).NotTo(ContainElement("toleration-ignored"), "it changes another program")
	g.Expect(kubelet).NotTo(ContainElement("minimum-grace-five"), "it changes a constant")
	g.Expect(kubelet).NotTo(ContainElement("exec-readiness-goes-on"), "it is for older kubelets")
	g.Expect(server).To(ContainElement("default-grace-ten"))
	g.Expect(server).NotTo(Or(ContainElement("resultrun-one"), ContainElement("toleration-ignored")),
		"they change other programs")
	g.Expect(virtual).To(ContainElements("resultrun-one", "toleration-ignored", "default-grace-ten"))
	g.Expect(virtual).NotTo(ContainElement("exec-never-times-out"), "a virtual node has other code in its place")
}
