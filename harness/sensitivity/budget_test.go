package sensitivity

import (
	"errors"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/trial"
)

// mutantOf is a mutant of an area.
func mutantOf(name, formula string, component mutation.Component) candidate {
	c := aMutant(name, about("a/one"))
	c.mutation.Formula, c.mutation.Component = formula, component
	return c
}

func mutantNames(candidates []candidate) (all []string) {
	for _, c := range candidates {
		all = append(all, c.mutation.Name)
	}
	return all
}

var ofAllAreas = []candidate{
	mutantOf("probe-1", "probes/a", mutation.Kubelet),
	mutantOf("probe-2", "probes/b", mutation.Kubelet),
	mutantOf("probe-3", "probes/c", mutation.Kubelet),
	mutantOf("kill-1", "termination/a", mutation.Kubelet),
	mutantOf("kill-2", "termination/b", mutation.Kubelet),
	mutantOf("server-1", "probes/a", mutation.APIServer),
}

func TestMutantsOfAllAreasComeFirst(t *testing.T) {
	g := NewWithT(t)
	g.Expect(mutantNames(inTurn(ofAllAreas))).
		To(Equal([]string{"probe-1", "kill-1", "server-1", "probe-2", "kill-2", "probe-3"}))

	onlyHere := mutantOf("client-1", "probes/a", mutation.Kubelet)
	onlyHere.mutation.Module = "k8s.io/cri-client"
	g.Expect(mutantNames(inTurn(append(slices.Clone(ofAllAreas), onlyHere)))).
		To(HaveExactElements("probe-1", "kill-1", "server-1", "client-1", "probe-2", "kill-2", "probe-3"))

	long := slices.Clone(ofAllAreas)
	long[0].trials = []trial.Trial{aTrial("a/long", time.Hour, "")}
	g.Expect(mutantNames(inTurn(long))).
		To(Equal([]string{"probe-2", "kill-1", "server-1", "probe-3", "kill-2", "probe-1"}))
}

func TestMutantsForWhichThereIsTime(t *testing.T) {
	g := NewWithT(t)
	r := room{3, 99, 2}
	all := expected(plan(ofAllAreas, r))
	some, left := fitting(ofAllAreas, r, 2*all)
	g.Expect(some).To(HaveLen(6))
	g.Expect(left).To(BeEmpty())

	one := expected(plan([]candidate{ofAllAreas[0], ofAllAreas[3], ofAllAreas[5]}, r))
	some, left = fitting(ofAllAreas, r, time.Duration(float64(one)/plannedShare)+time.Second)
	g.Expect(mutantNames(some)).To(Equal([]string{"probe-1", "kill-1", "server-1"}), "a wave and a run of its own")
	g.Expect(mutantNames(left)).To(Equal([]string{"probe-2", "kill-2", "probe-3"}))
	g.Expect(expected(plan(some, r))).To(BeNumerically("<=", one))
}

func TestANodeLaneThatHasNoTimeForAll(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+one": true}}
	lane := l.newLane(named("one", "two", "three"), about("a/one"))
	first := candidate{named("one")[0], []trial.Trial{about("a/one")}}
	lane.options.Within = time.Duration(
		float64(expected(plan([]candidate{first}, room{2, 99, 1})))/plannedShare,
	) + time.Second
	p := lane.play(t.Context(), Witnesses{}, room{2, 99, 1})
	g.Expect(verdicts(p)).To(Equal(map[string]detection.Detection{"one": detection.Caught}))
	g.Expect(p.LeftOut).To(HaveExactElements(HaveField("Name", "two"), HaveField("Name", "three")))
	g.Expect(l.ran).To(HaveLen(1))
}

// A plan may be wrong. A wave that would end too late is left out then, and judged mutants keep their verdicts.
func TestAWaveThatWouldEndTooLate(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{silent: map[string]bool{"v1.37.2+one": true}}
	lane := l.newLane(named("one", "two"), about("a/one"))
	lane.options.Within = time.Hour
	l.trouble = func(int) error {
		lane.lane.Started = lane.lane.Started.Add(-time.Hour)
		return errors.New("it took an hour")
	}
	p := lane.play(t.Context(), Witnesses{}, room{2, 99, 1})
	g.Expect(verdicts(p)).To(Equal(map[string]detection.Detection{"one": detection.Undecided}))
	g.Expect(p.LeftOut).
		To(HaveExactElements(And(HaveField("Name", "two"),
			HaveField("Why", HavePrefix("earlier waves took longer")))))
	g.Expect(p.Notes).To(ContainElement(HavePrefix("wave 1 of 1 of those that could not be judged before: not run")))
	g.Expect(l.ran).To(HaveLen(1))
}
