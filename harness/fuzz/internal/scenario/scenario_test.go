package scenario

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz/internal/choice"
	"github.com/podclock/podclock/harness/measure/victim"
)

// Every scenario is a valid trial whose victims the fault program accepts. 1,000 seeds have all families and causes.
func TestScenariosAreSound(t *testing.T) {
	g := NewWithT(t)
	tags := map[string]bool{}
	for seed := range uint64(1000) {
		s := Draw(choice.FromSeed(seed))
		g.Expect(s.Trial.Check()).To(Succeed(), "seed %d", seed)
		for _, c := range slices.Concat(s.Trial.Pod.Spec.Containers, s.Trial.Pod.Spec.InitContainers) {
			_, err := victim.ParseRun(c.Args)
			g.Expect(err).NotTo(HaveOccurred(), "seed %d", seed)
		}
		g.Expect(s.Tags).To(ContainElement("family " + Family(s.Trial)))
		for _, tag := range s.Tags {
			tags[tag] = true
		}
	}
	for _, family := range Families() {
		g.Expect(tags).To(HaveKey("family " + family))
	}
	for _, cause := range Causes() {
		g.Expect(tags).To(HaveKey("cause " + cause))
	}
}

// A scenario is drawn again from its seed, and from its choices.
func TestScenariosAreDrawnAgain(t *testing.T) {
	g := NewWithT(t)
	different := map[string]bool{}
	for seed := range uint64(200) {
		from := choice.FromSeed(seed)
		s := Draw(from)
		first, err := Describe(s.Trial)
		g.Expect(err).NotTo(HaveOccurred())
		for _, again := range []*choice.Source{choice.FromSeed(seed), choice.From(from.Made())} {
			other := Draw(again)
			described, err := Describe(other.Trial)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(described).To(Equal(first), "seed %d", seed)
			g.Expect(other.Tags).To(Equal(s.Tags), "seed %d", seed)
		}
		different[first] = true
	}
	g.Expect(len(different)).To(BeNumerically(">", 195))
}

// The simplest scenario is a pod of one container that is deleted.
func TestTheSimplestScenario(t *testing.T) {
	g := NewWithT(t)
	s := Draw(choice.From(nil))
	g.Expect(Family(s.Trial)).To(Equal("delete"))
	g.Expect(s.Trial.Pod.Spec.Containers).To(HaveLen(1))
	g.Expect(s.Trial.Pod.Spec.Containers[0].Lifecycle).To(BeNil())
	g.Expect(*s.Trial.Pod.Spec.TerminationGracePeriodSeconds).To(Equal(int64(1)))
}
