package sensitivity

import (
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/suites/session"
)

var shortAndLong = []trial.Trial{{ID: "short", Lasts: time.Second}, {ID: "long", Lasts: time.Hour}}

func TestRequestDefaults(t *testing.T) {
	g := NewWithT(t)
	o, err := Request{AtLeast: 95, Out: "out"}.Options(shortAndLong, map[string]string{"PROFILE": "quick", "CLUSTER": "mine"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Lanes).To(Equal([]kubelet.Lane{kubelet.LaneVirtual}))
	g.Expect(o.Version).To(Equal("v1.36.3"))
	g.Expect(o.Profile).To(Equal(session.Full))
	g.Expect(o.Trials).To(HaveLen(2))
	g.Expect(o.AtLeast).To(Equal(0.95))
	g.Expect(o.Out).To(Equal(filepath.Join(o.Root, "out")))
	g.Expect(o.Environment).To(Equal(map[string]string{"CLUSTER": "mine"}), "the profile is a flag")
	for _, m := range o.Mutations {
		g.Expect(m.Versions.Contains("v1.36.3")).To(BeTrue(), m.Name)
	}
	g.Expect(len(o.Mutations)).To(BeNumerically(">", 10))
}

func TestRequestTakesWhatIsAsked(t *testing.T) {
	g := NewWithT(t)
	o, err := Request{Mutants: "resultrun-kept, resultrun-one", Lane: Both, Profile: "quick", Version: "v1.35.4", Out: "/tmp"}.Options(shortAndLong, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Lanes).To(Equal([]kubelet.Lane{kubelet.LaneVirtual, kubelet.LaneNode}))
	g.Expect([]string{o.Mutations[0].Name, o.Mutations[1].Name}).To(Equal([]string{"resultrun-one", "resultrun-kept"}), "in the catalogue's order")
	g.Expect(o.Mutations).To(HaveLen(2))
	g.Expect(o.Trials).To(HaveLen(1))
	g.Expect(o.Environment).To(HaveKeyWithValue("PROFILE", "quick"))

	o, err = Request{Mutants: "^resultrun-"}.Options(nil, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(o.Mutations)).To(BeNumerically(">=", 2))
}

func TestRequestRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		asked Request
		says  string
	}{
		"a lane that is none":           {Request{Lane: "fast"}, "--lane=fast: it is virtual, node or both"},
		"a profile that is none":        {Request{Profile: "all"}, "--profile=all: it is quick or full"},
		"an unknown version":            {Request{Version: "v9.9.9"}, "--version=v9.9.9: the versions are v1.36.3"},
		"a version of the other lane":   {Request{Version: "v1.23.1"}, "--version=v1.23.1: the versions are v1.36.3, v1.35.4, v1.34.4"},
		"a mutation that there is not":  {Request{Mutants: "resultrun-one,resultrun-eleven"}, "there is no mutation resultrun-eleven; the mutations are "},
		"an expression for none":        {Request{Mutants: "^$"}, "no mutation for kubelets of v1.36.3 is called so"},
		"no expression":                 {Request{Mutants: "resultrun-("}, "neither a list of mutations nor a regular expression"},
		"more than all":                 {Request{AtLeast: 101}, "--at-least=101: it is a share in percent"},
		"less than nothing":             {Request{AtLeast: -1}, "--at-least=-1"},
		"a file":                        {Request{Out: "go.mod"}, "--out=go.mod is a file"},
		"witnesses of the virtual lane": {Request{Witnesses: "out/proof"}, "--witnesses is for --lane=node"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.asked.Options(shortAndLong, nil)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
