package reports

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

func recorded(t *testing.T, r Run, p Proof, missing ...string) string {
	t.Helper()
	settings := func(string) string { return "PROFILE=full" }
	var b bytes.Buffer
	NewWithT(t).Expect(TrackRecord(&b, r, p, DivergencesOptions{Catalogue: lookUp, Settings: settings, Missing: missing})).To(Succeed())
	return b.String()
}

func TestTrackRecordGolden(t *testing.T) {
	golden(t, "track-record", []byte(recorded(t, mended(), theProof())))
	golden(t, "track-record-none", []byte(recorded(t, Run{ID: "20260302-095800"}, Proof{ID: "sensitivity-20260302-100000", Version: "v1.36.3"}, "it is empty")))
}

// What a real node showed is told rather than what a virtual one did, and only what was caught.
func TestTrackRecordPrefersTheNode(t *testing.T) {
	g := NewWithT(t)
	p := theProof()
	node := LaneProof{Lane: NodeLane, Mutants: []Mutant{p.Lanes[0].Mutants[0], p.Lanes[0].Mutants[2]}}
	node.Mutants[1].Verdict, node.Mutants[1].Catches = Survived, nil
	p.Lanes = append(p.Lanes, node)
	text := recorded(t, Run{}, p)
	g.Expect(text).To(ContainSubstring("make e2e FOCUS='termination/hook$$' SUBJECTS=v1.36.3,v1.36.3+hook-not-subtracted PROFILE=full"))
	g.Expect(text).NotTo(ContainSubstring("make rehearse FOCUS='termination/hook$$'"))
	g.Expect(text).To(ContainSubstring("make rehearse FOCUS='probes/streak$$' SUBJECTS=v1.36.3,v1.36.3+count-per-container"))
}

func TestTrackRecordNamesABugOnlyWhereTheDiagnosisDoes(t *testing.T) {
	g := NewWithT(t)
	p := theProof()
	g.Expect(recorded(t, Run{}, p)).To(ContainSubstring("the report names the bug"))
	p.Lanes[0].Mutants[0].Catches[0].Diagnosis = &trial.Diagnosis{Name: "something else", Reference: "kubernetes#1"}
	g.Expect(recorded(t, Run{}, p)).NotTo(ContainSubstring("the report names the bug"))
}

func TestReferencesAreLinked(t *testing.T) {
	g := NewWithT(t)
	g.Expect(linked("up to 1.24 kubernetes#110309, website#43259; kubernetes PR 62853")).To(Equal(
		"up to 1.24 [kubernetes#110309](https://github.com/kubernetes/kubernetes/issues/110309), " +
			"[website#43259](https://github.com/kubernetes/website/issues/43259); [kubernetes PR 62853](https://github.com/kubernetes/kubernetes/pull/62853)"))
	g.Expect(linked("minimumGracePeriodInSeconds")).To(Equal("minimumGracePeriodInSeconds"))
}
