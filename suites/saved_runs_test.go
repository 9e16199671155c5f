package suites

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A released kubelet conformed when an older revision judged it, so it does today. testdata/runs has real runs by their
// revision. Those without a setup are of trials of which some have other pods and claims now: sidecars/obey and
// sidecars/shared-grace deviated when they were judged by the trials of today.
func TestRunsOfOlderRevisionsKeepTheirVerdicts(t *testing.T) {
	files, err := filepath.Glob("testdata/runs/*.json.gz")
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(files)).To(BeNumerically(">=", 2))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			g := NewWithT(t)
			saved, err := run.Load(file)
			g.Expect(err).NotTo(HaveOccurred())
			again, changes := run.Rejudge(saved, find)
			g.Expect(changes).To(BeEmpty())
			g.Expect(again.ExitCode()).To(Equal(run.ExitConforms))
			g.Expect(len(again.Outcomes)).To(BeNumerically(">=", 4))
			for _, o := range again.Outcomes {
				g.Expect(o.Kept).To(BeEmpty(), "%s was judged again", o.Trial)
			}

			// What they measured still decides: a stop signal a second earlier deviates.
			grace := func(o run.Outcome) bool { return o.Trial == "termination/grace-2" }
			marks := saved.Outcomes[slices.IndexFunc(saved.Outcomes, grace)].Last().Evidence.Marks
			for j := range marks {
				if marks[j].Kind == mark.SIGTERM {
					marks[j].At, marks[j].Sent = marks[j].At-int64(time.Second), 0
				}
			}
			again, _ = run.Rejudge(saved, find)
			g.Expect(again.Outcomes[slices.IndexFunc(again.Outcomes, grace)].Verdict).To(Equal(trial.Deviates))
		})
	}
}

func find(id string) (trial.Trial, bool) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(t trial.Trial) bool { return t.ID == id })
	if i < 0 {
		return trial.Trial{}, false
	}
	return all[i], true
}
