package soak

import (
	"cmp"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/predict"
)

// Predictions of random manifests contain what the kubelet's code does with them, and are at most twice as wide
// ([part]). `make predictions` sets SOAK, the number of manifests for each of SUBJECTS; by default there are a few.
func TestPredictions(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	s, err := parseSoak(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	s.scenarios = cmp.Or(s.scenarios, few)
	for _, subject := range s.subjects {
		t.Run(subject.String(), func(t *testing.T) {
			g := gomega.NewWithT(t)
			p := newPredicting(built(t, subject, os.Stderr))
			report := s.on(t, subject, p)
			fmt.Println(report, p)
			g.Expect(report.kinds()).To(gomega.BeEmpty())
			g.Expect(report.lacks(s.scenarios, s.kinds)).To(gomega.BeEmpty())
			g.Expect(p.steps).To(gomega.BeNumerically(">", s.scenarios))
			if s.scenarios >= many*3 {
				g.Expect(p.wide()).To(gomega.Equal(wideOn(subject.Version)),
					"what is too wide is listed, and nothing else is")
			}
		})
	}
}

const few = 25

// A prediction that is a second late, or has a step that never comes, is found.
func TestWrongPredictionsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	s, err := parseSoak(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	p := newPredicting(built(t, s.subjects[0], os.Stderr))
	p.predict = func(w []predict.Workload, k formula.Kubelet, o predict.Options) []predict.Prediction {
		all := predict.All(w, k, o)
		for _, c := range all[0].Containers {
			for _, l := range c.Timelines {
				for i := range l.Steps {
					switch l.Steps[i].ID {
					case predict.Death:
						l.Steps[i].At.Earliest += time.Second
						l.Steps[i].At.Latest += time.Second
					case predict.Deleted: // the pod never fails
						l.Steps[i].ID = predict.Failed
					}
				}
			}
		}
		return all
	}
	g := gomega.NewWithT(t)
	r := Hunt{Runner: p, Seed: 1, Scenarios: few, AtOnce: 2, Shrinking: time.Millisecond}.Go(t.Context())
	g.Expect(r.kinds()).To(gomega.ContainElements(
		"prediction of death by termination/remainder below in delete",
		gomega.HavePrefix("prediction of phase-failed by deletion/object-")))
}

// Windows are too wide if their events come in less than half of them.
func TestWideWindowsAreFound(t *testing.T) {
	g := gomega.NewWithT(t)
	var narrow, wide part
	w := formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{Name: "back-off", Latest: 100}).
		With(formula.Term{Name: budgets[0], Latest: 1000})
	for i := range int64(enough) {
		narrow.add(w, 20+i*60/(enough-1))
		wide.add(w, 20+i*40/(enough-1))
	}
	g.Expect(narrow.wide()).To(gomega.BeFalse())
	g.Expect(wide.wide()).To(gomega.BeTrue())
}
