package mutants

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

func TestLikelyTrialsComeFirst(t *testing.T) {
	g := NewWithT(t)
	made := func(id string, lasts time.Duration, formulas ...string) trial.Trial {
		t := trial.Trial{ID: id, Lasts: lasts}
		for _, f := range formulas {
			t.Claims = append(t.Claims, trial.Claim{Formula: formula.Formula{ID: f}})
		}
		return t
	}
	trials := []trial.Trial{
		made("eviction/short", time.Second), made("probes/near", time.Minute),
		made("probes/long", time.Hour, "probes/x"), made("sidecars/own", time.Minute, "probes/x", "probes/y"),
		made("restarts/before", time.Hour),
	}
	m := mutation.Mutation{Formula: "probes/x"}
	ids := func(batches [][]trial.Trial) (all [][]string) {
		for _, b := range batches {
			var names []string
			for _, t := range b {
				names = append(names, t.ID)
			}
			all = append(all, names)
		}
		return all
	}
	likely, rest := inOrder(m, []mutationtest.Kill{{Trial: "restarts/before"}}, trials)
	g.Expect(ids(likely)).To(Equal([][]string{{"restarts/before", "probes/long", "sidecars/own"}}))
	g.Expect(ids(rest)).To(Equal([][]string{{"probes/near", "eviction/short"}}))

	likely, rest = inOrder(mutation.Mutation{}, nil, trials)
	g.Expect(likely).To(BeEmpty())
	g.Expect(ids(rest)[0]).To(HaveLen(5))

	many := make([]trial.Trial, 70)
	_, rest = inOrder(m, nil, many)
	g.Expect([]int{len(rest[0]), len(rest[1]), len(rest[2])}).To(Equal([]int{32, 32, 6}))
}
