package mutationtest

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func report(id, revision string, ended time.Time, lane LaneReport, problems ...string) Report {
	lane.Started, lane.Ended = noon, ended
	return Report{ID: id, Version: "v1.36.3", Started: noon, Ended: ended, Problems: problems,
		Lanes: []LaneReport{lane}, Environment: run.Environment{Podclock: revision}}
}

func TestTogether(t *testing.T) {
	g := NewWithT(t)
	mutants := func(verdicts ...Status) (all []Mutant) {
		for i, v := range verdicts {
			all = append(all, Mutant{Name: string(rune('a' + i)), Verdict: v})
		}
		return all
	}
	one := report("one", "x", noon.Add(time.Hour), LaneReport{Lane: run.VirtualLane, Mutants: mutants(Killed)})
	two := report("two", "x", time.Time{}, LaneReport{
		Lane: run.NodeLane, Mutants: mutants(Killed, Undecided, Survived),
		LeftOut:    []LeftOut{{"d", "no time"}, {"e", "older"}},
		References: []Reference{{Subject: "first"}}, Notes: []string{"busy"},
	}, "interrupted")
	three := report("three", "y", noon.Add(2*time.Hour), LaneReport{
		Lane: run.NodeLane, Mutants: mutants(Undecided, Killed, Killed, Failed),
		References: []Reference{{Subject: "second"}}, Notes: []string{"busy", "quiet"},
	})

	g.Expect(Together(one)).To(Equal(one))
	whole, err := Together(one, two)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole.Problems).To(Equal([]string{"interrupted"}))
	g.Expect(whole.Ended).To(BeZero())

	whole, err = Together(one, two, three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole.ID).To(Equal("one, two, three"))
	g.Expect(whole.Environment.Podclock).To(Equal("x, y"))
	g.Expect(whole.Problems).To(BeEmpty(), "what was interrupted is a mutant without a verdict")
	g.Expect(whole.Ended).To(Equal(three.Ended))
	g.Expect(whole.Lanes).To(HaveLen(2))
	node := whole.Lanes[1]
	g.Expect(node.Mutants).To(Equal(mutants(Killed, Killed, Killed, Failed)), "the last verdict, if there is one")
	g.Expect(node.References).To(HaveExactElements(HaveField("Subject", "first"), HaveField("Subject", "second")))
	g.Expect(node.LeftOut).To(Equal([]LeftOut{{"e", "older"}}), "d met the lane later")
	g.Expect(node.Notes).To(ConsistOf("busy", "quiet"))
	g.Expect(node.Figures().Wall).To(Equal(2 * time.Hour))
	g.Expect(two.Lanes[0].Mutants[1].Verdict).To(Equal(Undecided), "what is given stays as it is")

	whole, err = Together(three, three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole.Lanes[0].Figures().Wall).To(Equal(4 * time.Hour))

	three.Version = "v1.35.4"
	_, err = Together(one, three)
	g.Expect(err).To(MatchError(ContainSubstring("mutation report one is of v1.36.3 and three is of v1.35.4")))
	_, err = Together()
	g.Expect(err).To(MatchError(ContainSubstring("no mutation report to read")))
}

// A brief report has the figures of the whole one, and the same problems of its references.
func TestABriefReportHasTheSameFigures(t *testing.T) {
	g := NewWithT(t)
	m := Mutant{Name: "a", Verdict: Killed, RightDiagnoses: []string{"right"}}
	for i := range 7 {
		c := Kill{Trial: string(rune('a' + i)), Own: i == 0, Why: "long"}
		if i > 1 {
			c.Diagnosis = &trial.Diagnosis{Name: []string{"right", "wrong"}[i%2]}
		}
		m.Kills = append(m.Kills, c)
	}
	twice := Mutant{Name: "b", Verdict: Killed, Kills: []Kill{{Trial: "a"}, {Trial: "b"}}}
	r := report("one", "x", noon.Add(time.Hour), LaneReport{
		Lane: run.NodeLane, Mutants: []Mutant{
			m, twice, {Name: "c", Verdict: Undecided, Run: time.Minute, Open: []Open{{"a", "busy"}}},
		},
		References: []Reference{
			{Subject: "wave 1", Trials: 2, Claims: 5, Open: []Open{{"c", "busy"}}},
			{Subject: "wave 2", Trials: 3, Claims: 7, Open: []Open{{"c", "busy"}}, FalseAlarms: []Kill{{Trial: "a"}}},
		},
	})
	brief := r.Brief()
	r.Lanes[0].Mutants = append(r.Lanes[0].Mutants, Mutant{
		Name: "never ran", Verdict: Undecided, Why: "interrupted",
	})
	g.Expect(r.Brief().Lanes[0].Mutants).To(Equal(brief.Lanes[0].Mutants))
	g.Expect(r.Brief().Lanes[0].LeftOut).To(Equal([]LeftOut{{"never ran", "interrupted"}}), "nobody forgets it")
	r.Lanes[0].Mutants = r.Lanes[0].Mutants[:3]
	g.Expect(brief.Lanes[0].Figures()).To(Equal(r.Lanes[0].Figures()))
	g.Expect(brief.ExitCode()).To(Equal(r.ExitCode()))
	kept := brief.Lanes[0].Mutants[0]
	g.Expect(kept.Kills).To(HaveLen(4))
	g.Expect(kept.KilledBy()).To(Equal(7))
	g.Expect(kept.Kills[0].Why).To(BeEmpty())
	g.Expect(brief.Lanes[0].Mutants[2].Open).To(HaveLen(1), "why it has no verdict")
	g.Expect(brief.Lanes[0].References).To(Equal([]Reference{{Subject: "v1.36.3 in one", Trials: 5, Claims: 12,
		Open: []Open{{"c", "busy"}}, FalseAlarms: []Kill{{Trial: "a"}}}}))
	g.Expect(r.Lanes[0].Mutants[0].Kills[0].Why).To(Equal("long"), "what is given stays as it is")
}
