package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestDoubt(t *testing.T) {
	immortal := lifeOf(0)
	immortal.Life(trial.Main, 1).Gone = nil
	for name, tl := range map[string]*timeline.Timeline{
		"inside":    lifeOf(5 * time.Second),
		"divergent": lifeOf(6 * time.Second),
		"outside":   lifeOf(9 * time.Second),
		"missing":   immortal,
	} {
		t.Run(name, func(t *testing.T) {
			tl.Doubts = []timeline.Doubt{{Why: "marks are missing"}, {Why: "and more"}}
			r := Judge(dying(narrowPromise, mistake("any", 0, time.Minute)), tl, delay.Record{}, newest)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(trial.Inconclusive))
			g.Expect(r.Doubts).To(gomega.Equal([]string{"marks are missing", "and more"}))
			g.Expect(r.Findings[0].Verdict).To(gomega.Equal(trial.Inconclusive))
			g.Expect(r.Findings[0].Why).To(gomega.Equal("marks are missing"))
			g.Expect(r.Findings[0].Diagnosis).To(gomega.BeNil())
		})
	}
}

// The value is complete at 15 s. It belongs to the container victim of the Pod; other is a container of a companion.
func TestDoubtAffectsOnlyWhatItCan(t *testing.T) {
	late := at(time.Minute).At
	for name, c := range map[string]struct {
		doubt timeline.Doubt
		want  trial.Verdict
	}{
		"of everything":              {timeline.Doubt{}, trial.Inconclusive},
		"since before the value":     {timeline.Doubt{Since: at(5 * time.Second).At}, trial.Inconclusive},
		"since the value's end":      {timeline.Doubt{Since: at(15 * time.Second).At}, trial.Inconclusive},
		"since after the value":      {timeline.Doubt{Since: at(15*time.Second + 1).At}, trial.Conforms},
		"of the container":           {timeline.Doubt{Container: trial.Main}, trial.Inconclusive},
		"of another container":       {timeline.Doubt{Container: "sidecar"}, trial.Inconclusive},
		"of another pod":             {timeline.Doubt{Container: "other"}, trial.Conforms},
		"of the container, too late": {timeline.Doubt{Container: trial.Main, Since: late}, trial.Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * time.Second)
			tl.Doubts = []timeline.Doubt{c.doubt}
			tr := dying(narrowPromise)
			tr.Pod.Spec.Containers = append(tr.Pod.Spec.Containers, corev1.Container{Name: "sidecar"})
			tr.Companions = []*corev1.Pod{{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "other"}}}}}
			gomega.NewWithT(t).Expect(judgeOne(tr, tl, delay.Record{}).Verdict).To(gomega.Equal(c.want))
		})
	}
}
