package sensitivity

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
)

var shortAndLong = []trial.Trial{{ID: "short", Lasts: time.Second}, {ID: "long", Lasts: time.Hour}}

func TestRequestDefaults(t *testing.T) {
	g := NewWithT(t)
	o, err := Request{AtLeast: 95, Out: "out"}.Options(shortAndLong)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Lanes).To(Equal([]kubelet.Lane{kubelet.LaneVirtual}))
	g.Expect(o.Version).To(Equal("v1.37.2"))
	g.Expect(o.Profile).To(Equal(session.Full))
	g.Expect(o.Trials).To(HaveLen(2))
	g.Expect(o.AtLeast).To(Equal(0.95))
	g.Expect(o.Out).To(Equal(filepath.Join(o.Root, "out")))
	g.Expect(o.WholeProfile).To(BeFalse())
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
	}.Options(shortAndLong)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Lanes).To(Equal([]kubelet.Lane{kubelet.LaneVirtual, kubelet.LaneNode}))
	g.Expect([]string{o.Mutations[0].Name, o.Mutations[1].Name}).
		To(Equal([]string{"resultrun-one", "resultrun-kept"}), "in the catalogue's order")
	g.Expect(o.Mutations).To(HaveLen(2))
	g.Expect(o.Trials).To(HaveLen(1))
	g.Expect(o.WholeProfile).To(BeFalse(), "a profile is what witnesses are chosen from")

	o, err = Request{Mutants: "^resultrun-"}.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(o.Mutations)).To(BeNumerically(">=", 2))

	o, err = Request{Lane: kubelet.LaneNode, WholeProfile: true}.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.WholeProfile).To(BeTrue())
	g.Expect(o.settings()).To(HaveKeyWithValue("WHOLE_PROFILE", "1"))
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

// A saved sensitivity run is read before anything is saved, from the path that the user gave.
func TestWitnessesOfASavedRun(t *testing.T) {
	g := NewWithT(t)
	root, err := session.Root()
	g.Expect(err).NotTo(HaveOccurred())
	save := func(version string, lanes ...detection.LaneReport) string {
		dir := t.TempDir()
		g.Expect(detection.Save(dir,
			detection.Report{ID: "saved", Started: time.Now(), Version: version, Lanes: lanes})).
			To(Succeed())
		return dir
	}
	met := detection.LaneReport{Lane: run.VirtualLane, Mutants: []detection.Mutant{
		{Name: "caught", Trials: 2, Catches: []detection.Catch{{Trial: "a/one"}}},
		{Name: "survivor", Trials: 2, Verdict: detection.Survived},
	}}
	saved := save("v1.37.2", met)
	fromRoot, err := filepath.Rel(root, saved)
	g.Expect(err).NotTo(HaveOccurred())
	o, err := Request{Lane: kubelet.LaneNode, Witnesses: fromRoot}.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Witnesses).To(HaveLen(1))
	g.Expect(o.Witnesses["caught"]).To(HaveExactElements(HaveField("Trial", "a/one")))

	for says, path := range map[string]string{
		"no saved sensitivity report at": filepath.Join(saved, "nowhere"),
		"is of v1.35.4":                  save("v1.35.4", met),
		"has no virtual lane":            save("v1.37.2", detection.LaneReport{Lane: run.NodeLane}),
	} {
		_, err := Request{Lane: kubelet.LaneNode, Witnesses: path}.Options(nil)
		g.Expect(err).To(MatchError(And(HavePrefix("--witnesses="), ContainSubstring(says))))
	}
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
		"witnesses of the virtual lane": {Request{Witnesses: "out/saved"},
			"--witnesses is for --lane=node: the virtual lane plays"},
		"witnesses beside their lane": {Request{Witnesses: "out/saved", Lane: Both},
			"--witnesses is for --lane=node alone"},
		"all of a lane that has all": {Request{WholeProfile: true}, "--whole-profile is for the node lane"},
		"a time that is none": {Request{Within: -time.Minute, Lane: kubelet.LaneNode},
			"--within=-1m0s: it must be the longest"},
		"a time of the virtual lane": {Request{Within: time.Minute}, "--within is for the node lane"},
		"witnesses among all": {Request{WholeProfile: true, Witnesses: "out/saved", Lane: kubelet.LaneNode},
			"give only one"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.asked.Options(shortAndLong)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
