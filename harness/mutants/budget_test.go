package mutants

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

// A wave that would end too late is left out, and judged mutants keep their verdicts.
func TestAWaveThatWouldEndTooLate(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{silent: map[string]bool{"v1.37.2+one": true}}
	lane := l.newLane(named("one", "two"), about("a/one"))
	lane.options.Within = time.Hour
	l.trouble = func(int) error {
		lane.lane.Started = lane.lane.Started.Add(-time.Hour)
		return errors.New("it took an hour")
	}
	p := lane.play(t.Context(), Killers{}, room{2, 99, 1})
	g.Expect(verdicts(p)).To(Equal(map[string]mutationtest.Status{"one": mutationtest.Undecided}))
	g.Expect(p.LeftOut).
		To(HaveExactElements(And(HaveField("Name", "two"),
			HaveField("Why", HavePrefix("its wave would have ended after")))))
	g.Expect(p.Notes).To(ContainElement(HavePrefix("wave 1 of 1 of those that could not be judged before: not run")))
	g.Expect(l.ran).To(HaveLen(1))
}
