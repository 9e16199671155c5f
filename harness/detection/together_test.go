package detection

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/run"
)

func TestProofsTogether(t *testing.T) {
	g := NewWithT(t)
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	proof := func(id, revision string, lane run.Lane, ended time.Time, problems ...string) Report {
		return Report{
			ID:          id,
			Version:     "v1.36.3",
			Environment: run.Environment{Podclock: revision},
			Ended:       ended,
			Problems:    problems,
			Lanes:       []LaneReport{{Lane: lane}},
		}
	}
	one, two, three := proof(
		"one",
		"a",
		run.VirtualLane,
		noon,
	), proof(
		"two",
		"a",
		run.NodeLane,
		noon.Add(time.Hour),
		"late",
	), proof(
		"three",
		"b",
		run.NodeLane,
		time.Time{},
	)

	g.Expect(Together(one)).To(Equal(one))
	g.Expect(Together(one, two)).To(Equal(Report{
		ID:          "one, two",
		Version:     "v1.36.3",
		Environment: run.Environment{Podclock: "a"},
		Ended:       noon,
		Problems:    []string{"late"},
		Lanes:       []LaneReport{{Lane: run.VirtualLane}, {Lane: run.NodeLane}},
	}))
	whole, err := Together(one, two, three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole).
		To(And(HaveField("Environment.Podclock", "a, b"), HaveField("Ended", BeZero()), HaveField("Lanes", HaveLen(3))))
	g.Expect(one.Lanes).To(HaveLen(1), "what is given stays as it is")

	three.Version = "v1.35.4"
	_, err = Together(one, three)
	g.Expect(err).To(MatchError(ContainSubstring("sensitivity report one is of v1.36.3 and three is of v1.35.4")))
	_, err = Together()
	g.Expect(err).To(MatchError(ContainSubstring("no sensitivity report to read")))
}
