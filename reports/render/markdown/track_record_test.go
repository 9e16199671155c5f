package markdown

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view/fixture"
)

func recorded(t *testing.T, r run.Run, p mutationtest.Report, missing ...string) string {
	t.Helper()
	nightly := func(string) (trial.Trial, bool) { return trial.Trial{Nightly: true}, true }
	var b bytes.Buffer
	NewWithT(
		t,
	).Expect(TrackRecord(&b, r, p, nightly, missing)).
		To(Succeed())
	return b.String()
}

func TestTrackRecordGolden(t *testing.T) {
	fixture.Golden(t, "track-record", []byte(recorded(t, repaired(), fixture.Mutants())))
	fixture.Golden(
		t,
		"track-record-none",
		[]byte(
			recorded(
				t,
				run.Run{ID: "20260302-095800"},
				mutationtest.Report{ID: "mutants-20260302-100000", Version: "v1.36.3"},
				"it is empty",
			),
		),
	)
}

// TestTrackRecordPrefersTheNode has a mutant in both lanes. The node lane comes first if it killed the mutant.
func TestTrackRecordPrefersTheNode(t *testing.T) {
	g := NewWithT(t)
	p := fixture.Mutants()
	node := mutationtest.LaneReport{
		Lane:    run.NodeLane,
		Mutants: []mutationtest.Mutant{p.Lanes[0].Mutants[0], p.Lanes[0].Mutants[2]},
	}
	node.Mutants[1].Verdict, node.Mutants[1].Kills = mutationtest.Survived, nil
	p.Lanes = append(p.Lanes, node)
	text := recorded(t, run.Run{}, p)
	g.Expect(text).
		To(ContainSubstring("make e2e FOCUS='termination/hook$$' SUBJECTS=v1.36.3,v1.36.3+hook-not-subtracted " +
			"PROFILE=full"))
	g.Expect(text).NotTo(ContainSubstring("make rehearse FOCUS='termination/hook$$'"))
	g.Expect(text).
		To(ContainSubstring("make rehearse FOCUS='probes/streak$$' SUBJECTS=v1.36.3,v1.36.3+count-per-container"))
}

func TestTrackRecordNamesABugOnlyIfTheDiagnosisDoes(t *testing.T) {
	g := NewWithT(t)
	p := fixture.Mutants()
	g.Expect(recorded(t, run.Run{}, p)).To(ContainSubstring("the report names the bug"))
	p.Lanes[0].Mutants[0].Kills[0].Diagnosis = &trial.Diagnosis{Name: "something else", Reference: "kubernetes#1"}
	g.Expect(recorded(t, run.Run{}, p)).NotTo(ContainSubstring("the report names the bug"))
}

// TestTrackRecordCountsNoKillBySomethingElse expects that a bug counts only if the formula that it breaks was
// measured, or if the diagnosis names it.
func TestTrackRecordCountsNoKillBySomethingElse(t *testing.T) {
	const apart = "## Killed, not by name"
	for name, tt := range map[string]struct {
		change  func(m *mutationtest.Mutant)
		counted bool
	}{
		"by its own formula": {func(m *mutationtest.Mutant) { m.Kills[0].Diagnosis = nil }, true},
		"by its name":        {func(m *mutationtest.Mutant) { m.Kills[0].Own = false }, true},
		"by another trial's": {func(m *mutationtest.Mutant) {
			m.Kills[0].Own, m.Kills[1].Diagnosis, m.Kills[0].Diagnosis = false, m.Kills[0].Diagnosis, nil
		}, true},
		"by neither": {func(m *mutationtest.Mutant) { m.Kills[0].Own, m.Kills[0].Diagnosis = false, nil }, false},
		"by part of " +
			"its number": {func(m *mutationtest.Mutant) { m.Kills[0].Own, m.Reference = false, "kubernetes#1158" },
			false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := fixture.Mutants()
			tt.change(&p.Lanes[0].Mutants[0])
			text := recorded(t, run.Run{}, p)
			before, after, _ := strings.Cut(text, apart)
			g.Expect(strings.Contains(before, "hook-not-subtracted")).To(Equal(tt.counted))
			g.Expect(strings.Contains(after, "hook-not-subtracted")).To(Equal(!tt.counted))
			g.Expect(before).
				To(ContainSubstring(map[bool]string{true: "1 by putting the bug back", false: "0 by putting the " +
					"bug back"}[tt.counted]))
		})
	}
	g := NewWithT(t)
	p := fixture.Mutants()
	node := mutationtest.LaneReport{Lane: run.NodeLane, Mutants: []mutationtest.Mutant{p.Lanes[0].Mutants[0]}}
	node.Mutants[0].Kills = node.Mutants[0].Kills[1:]
	p.Lanes = append(p.Lanes, node)
	g.Expect(recorded(t, run.Run{}, p)).
		NotTo(ContainSubstring(apart), "the virtual lane shows it, though the node lane does not")
	g.Expect(recorded(t, run.Run{}, p)).To(ContainSubstring("make rehearse FOCUS='termination/hook$$'"))
}

func TestReferencesAreLinked(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Escape("up to 1.24 kubernetes#110309, website#43259; kubernetes PR 62853")).To(Equal(
		"up to 1.24 [kubernetes#110309](https://github.com/kubernetes/kubernetes/issues/110309), " +
			"[website#43259](https://github.com/kubernetes/website/issues/43259); [kubernetes PR " +
			"62853](https://github.com/kubernetes/kubernetes/pull/62853)"))
	g.Expect(Escape("minimumGracePeriodInSeconds")).To(Equal("minimumGracePeriodInSeconds"))
}
