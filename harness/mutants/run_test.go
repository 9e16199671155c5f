package mutants

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

func TestARunEndsIfEveryLaneDid(t *testing.T) {
	for name, tt := range map[string]struct {
		lane      func(interrupt context.CancelCauseFunc) mutationtest.LaneReport
		ends      bool
		laneEnded bool
		problems  []string
	}{
		"all is well": {func(
			context.CancelCauseFunc) mutationtest.LaneReport {
			return mutationtest.LaneReport{Ended: time.Now()}
		}, true, true, nil},
		"no end of a lane": {func(context.CancelCauseFunc) mutationtest.LaneReport { return mutationtest.LaneReport{} },
			false, false, nil},
		"an interrupt": {func(interrupt context.CancelCauseFunc) mutationtest.LaneReport {
			interrupt(errors.New("Ctrl-C"))
			return mutationtest.LaneReport{Ended: time.Now()}
		}, false, false, []string{"interrupted: Ctrl-C"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			ctx, interrupt := context.WithCancelCause(t.Context())
			defer interrupt(nil)
			p, err := New(
				Options{
					Root:    t.TempDir(),
					Out:     t.TempDir(),
					Version: formula.Versions()[0],
					Lanes:   []run.Lane{run.VirtualLane},
					Program: Program{Save: saveReport},
				},
			)
			g.Expect(err).NotTo(HaveOccurred())
			p.lanes = map[run.Lane]player{
				run.VirtualLane: func(context.Context, Options, Killers,
					keep) mutationtest.LaneReport {
					return tt.lane(interrupt)
				},
			}
			_, err = p.Play(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			saved, err := mutationtest.Load(p.Dir())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(!saved.Ended.IsZero()).To(Equal(tt.ends))
			g.Expect(!saved.Lanes[0].Ended.IsZero()).To(Equal(tt.laneEnded))
			g.Expect(saved.Problems).To(Equal(tt.problems))
			g.Expect(saved.Catalogue).To(BeNumerically(">", 0), "the number of mutants")
		})
	}
}

func TestOnlyAPartOfTheCatalogueIsASelection(t *testing.T) {
	g := NewWithT(t)
	o := Options{Version: formula.Versions()[0]}
	o.Mutations = mutationsOf(o.Version)
	g.Expect(o.settings()).NotTo(HaveKey("MUTANTS"))
	first := o.Mutations[0].Name
	o.Mutations = o.Mutations[:1]
	g.Expect(o.settings()).To(HaveKeyWithValue("MUTANTS", first))
}
