package lab

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A node of the pool becomes one subject after another, and is tuned and restored in between. One whose kubelet does
// not start costs only its own trials. A recorder that a subject deleted is started again for the next one.
func TestSubjectsOfThePoolTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w, shop := newWorld(t), &workshop{broken: "two"}
		l := w.open(t, func(o *Options) {
			for _, name := range []string{"one", "two", "three"} {
				o.Subjects = append(o.Subjects, Placement{Name: name, Slug: name})
			}
			o.Pool, o.Workers = []string{spareName}, shop
		})
		shop.becoming = func(subject string) {
			if subject == "three" { // as a mutant of the taint controller does
				w.api.lose("recorder-" + spareName)
				time.Sleep(time.Second)
			}
		}
		ordinary, own := deletion("ordinary", 5), tuned("own", "small", false)
		selected := []runner.Selection{
			{Trial: ordinary, Subject: subjectName}, {Trial: ordinary, Subject: "one"}, {Trial: own, Subject: "one"},
			{Trial: ordinary, Subject: "two"}, {Trial: ordinary, Subject: "three"},
		}
		l.Start(selected)
		for _, s := range selected {
			o, err := l.Await(t.Context(), s.Trial.ID, s.Subject)
			g.Expect(err).NotTo(HaveOccurred())
			if s.Subject == "two" {
				g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
				g.Expect(o.Why).To(Equal("make node worker-2 that of two: it does not start"))
				continue
			}
			g.Expect(o.Verdict).To(Equal(trial.Conforms), "%s on %s: %s", s.Trial.ID, s.Subject, o.Reason())
			want := map[bool]string{true: nodeName, false: spareName}[s.Subject == subjectName]
			g.Expect(o.Last().Node).To(Equal(want))
			if s.Trial.ID == "own" {
				g.Expect(o.Last().Kubelet.MaxContainerRestartPeriod).To(Equal(5 * time.Second))
			}
		}
		synctest.Wait()
		l.Stop()
		g.Expect(shop.notes()).To(Equal([]string{
			"worker-2 becomes one", "tune worker-2 for small", "restore worker-2", "worker-2 becomes two",
			"worker-2 becomes three",
		}))
	})
}
