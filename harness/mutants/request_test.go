package mutants

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
)

// kindBase is the least kind configuration.
const kindBase = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"

var shortAndLong = []trial.Trial{{ID: "short", Lasts: time.Second}, {ID: "long", Lasts: time.Hour}}

func TestRequestDefaults(t *testing.T) {
	g := NewWithT(t)
	o, err := Request{AtLeast: 95, Out: "out"}.Options(shortAndLong)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Lanes).To(Equal([]run.Lane{run.VirtualLane}))
	g.Expect(o.Version).To(Equal("v1.37.2"))
	g.Expect(o.Profile).To(Equal(trial.Full))
	g.Expect(o.Trials).To(HaveLen(2))
	g.Expect(o.AtLeast).To(Equal(0.95))
	g.Expect(o.Out).To(Equal(filepath.Join(o.Root, "out")))
	g.Expect(len(o.Mutations)).To(BeNumerically(">", 10))
}

func TestRequestTakesWhatIsAsked(t *testing.T) {
	g := NewWithT(t)
	o, err := Request{
		Mutants: "resultrun-kept, resultrun-one",
		Lane:    Both,
		Profile: "quick",
		Version: "v1.35.4",
		Out:     "/tmp",
		Cluster: session.Config{KindBase: []byte(kindBase)},
	}.Options(shortAndLong)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Lanes).To(Equal([]run.Lane{run.VirtualLane, run.NodeLane}))
	g.Expect([]string{o.Mutations[0].Name, o.Mutations[1].Name}).
		To(Equal([]string{"resultrun-one", "resultrun-kept"}), "in the catalogue's order")
	g.Expect(o.Mutations).To(HaveLen(2))
	g.Expect(o.Trials).To(HaveLen(1))

	o, err = Request{Mutants: "^resultrun-"}.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(o.Mutations)).To(BeNumerically(">=", 2))
}

// A name must exist. An expression selects what exists, and each lane lists its mutations of other versions.
func TestMutationsOfOtherVersions(t *testing.T) {
	g := NewWithT(t)
	all := mutation.All()
	i := slices.IndexFunc(all, func(m mutation.Mutation) bool { return !m.Versions.Contains("v1.34.4") })
	g.Expect(i).To(BeNumerically(">=", 0), "a mutation changes code that v1.34.4 does not have")
	newer := all[i]
	_, err := Request{Mutants: newer.Name, Version: "v1.34.4"}.Options(nil)
	g.Expect(err).
		To(MatchError(ContainSubstring(newer.Name + " is for kubelets " + newer.Versions.String() +
			", not for v1.34.4")))

	o, err := Request{Mutants: "^(resultrun-one|" + newer.Name + ")$", Version: "v1.34.4"}.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Mutations).To(HaveLen(2))
	g.Expect(o.whyNot(newer)).To(HavePrefix("it is for kubelets from"))
}

// The cluster's configuration is checked before an hour of the virtual lane, but only if there will be a
// cluster.
func TestRequestChecksTheCluster(t *testing.T) {
	g := NewWithT(t)
	for value, c := range map[string]session.Config{
		"Not A Label":       {Cluster: "Not A Label"},
		"whatever you have": {NodeImage: "whatever you have"},
		"nowhere.yaml":      {KindConfig: "nowhere.yaml"},
	} {
		_, err := Request{Lane: Both, Cluster: c}.Options(nil)
		g.Expect(err).To(MatchError(ContainSubstring(value)))
		_, err = Request{Cluster: c}.Options(nil)
		g.Expect(err).NotTo(HaveOccurred(), value)
	}
}

func TestRequestRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		asked Request
		says  string
	}{
		"a lane that is none":    {Request{Lane: "fast"}, "--lane=fast: it must be virtual, node or both"},
		"a profile that is none": {Request{Profile: "all"}, "--profile=all: it must be quick or full"},
		"an unknown version":     {Request{Version: "v9.9.9"}, "--version=v9.9.9: the versions are v1.37.2"},
		"a version of the other lane": {Request{Version: "v1.23.1"},
			"--version=v1.23.1: the versions are v1.37.2, v1.36.3, v1.35.4, v1.34.4"},
		"a mutation that there is not": {Request{Mutants: "resultrun-one,resultrun-eleven"},
			"there is no mutation resultrun-eleven; the mutations are "},
		"an expression for none": {Request{Mutants: "^$"}, "no mutation for kubelets of v1.37.2 is called so"},
		"no expression": {Request{Mutants: "resultrun-("},
			"neither a list of mutations nor a regular expression"},
		"more than all":     {Request{AtLeast: 101}, "--at-least=101: it must be a share in percent"},
		"less than nothing": {Request{AtLeast: -1}, "--at-least=-1"},
		"a file":            {Request{Out: "go.mod"}, "--out=go.mod: it is a file"},
		"a time that is none": {Request{Within: -time.Minute, Lane: run.NodeLane},
			"--within=-1m0s: it must be the longest"},
		"verdicts of no record": {Request{Unmet: true}, "--unmet needs --record"},
		"verdicts of two lanes": {
			Request{Unmet: true, Record: "out/saved", Lane: Both}, "--unmet is for one lane",
		},
		"a time of the virtual lane": {Request{Within: time.Minute}, "--within is for the node lane"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.asked.Options(shortAndLong)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
