package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

func written(t *testing.T, r Run, settings func(string) string) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(Divergences(&b, r, settings)).To(Succeed())
	return b.String()
}

// none is for trials that a run has without being told.
func none(string) string { return "" }

// mended is the fixture with a third subject that keeps one of the promises, and a fourth that nothing was measured on.
func mended() Run {
	r := fixture()
	for _, name := range []string{"v1.37.0", "v1.38.0@./my kubelet"} {
		r.Subjects = append(r.Subjects, Subject{Name: name})
	}
	kept := outcome("v1.37.0", "termination/grace-of-one-second", 6*time.Second, killed("kept", 1234*time.Millisecond))
	f := &kept.Attempts[0].Result.Findings[0]
	f.Verdict, kept.Verdict = trial.Conforms, trial.Conforms
	r.Outcomes = append(r.Outcomes, kept)
	return r
}

func TestDivergencesGolden(t *testing.T) {
	golden(t, "divergences", []byte(written(t, mended(), none)))
	golden(t, "divergences-none", []byte(written(t, Run{ID: "20260302-095800", Subjects: fixture().Subjects}, none)))
}

func TestDivergencesAreTheSameInAnyOrderOfOutcomes(t *testing.T) {
	g := NewWithT(t)
	want := written(t, mended(), none)
	turned := mended()
	for i, j := 0, len(turned.Outcomes)-1; i < j; i, j = i+1, j-1 {
		turned.Outcomes[i], turned.Outcomes[j] = turned.Outcomes[j], turned.Outcomes[i]
	}
	for range 10 {
		g.Expect(written(t, turned, none)).To(Equal(want))
	}
}

func TestDivergencesReproduce(t *testing.T) {
	g := NewWithT(t)
	long := func(id string) string { return map[string]string{"probes/streak-survives-a-crash": "PROFILE=full"}[id] }
	g.Expect(written(t, fixture(), long)).To(ContainSubstring("make e2e FOCUS=probes/streak-survives-a-crash SUBJECTS=v1.36.3,v1.36.3+resultrun-one PROFILE=full`"))

	own := fixture()
	for i := range own.Outcomes {
		own.Outcomes[i].Subject = "v1.36.3@./my kubelet"
	}
	g.Expect(written(t, own, none)).To(ContainSubstring("SUBJECTS='v1.36.3@./my kubelet'`"), "as a shell takes it")
}

// A formula may keep its promise in other trials: where it breaks it, only the same claims say that a subject is better.
func TestDivergencesAreNotDeniedByOtherClaims(t *testing.T) {
	g := NewWithT(t)
	r := fixture()
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o Outcome) bool { return o.Subject == mutant && o.Verdict == trial.Divergent })
	g.Expect(written(t, r, none)).To(And(
		ContainSubstring("- Not measured on: "+mutant), Not(ContainSubstring("- Not seen on"))))
}

// What deviates or could not be judged says nothing about the documentation.
func TestDivergencesComeFromWhatWasJudged(t *testing.T) {
	g := NewWithT(t)
	r := fixture()
	for i := range r.Outcomes {
		for _, a := range r.Outcomes[i].Attempts {
			for j := range a.Result.Findings {
				if f := &a.Result.Findings[j]; f.Verdict == trial.Divergent {
					f.Verdict = trial.Deviates
				}
			}
		}
	}
	g.Expect(written(t, r, none)).To(ContainSubstring("There is none in this run."))
	g.Expect(strings.Count(written(t, fixture(), none), "\n## ")).To(Equal(2))
}
