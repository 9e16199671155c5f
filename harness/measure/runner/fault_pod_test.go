package runner

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/measure/trial"
)

// newer shows one version of the first pod's object.
type newer struct {
	Node
	pod *corev1.Pod
}

func (n newer) Look([]Deployed) Record { return Record{Newest: n.pod} }

func TestDeleteOptions(t *testing.T) {
	version := func(v string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "own", ResourceVersion: v}}
	}
	s := &ongoing{on: newer{pod: version("7")}, pods: []Deployed{{Pod: version("3")}}}
	of := func(uid types.UID, version ...string) *metav1.Preconditions {
		p := &metav1.Preconditions{UID: &uid}
		if len(version) > 0 {
			p.ResourceVersion = &version[0]
		}
		return p
	}
	for precondition, want := range map[trial.Precondition]*metav1.Preconditions{
		trial.SamePod:       of("own"),
		trial.OtherPod:      of("00000000-0000-0000-0000-000000000000"),
		trial.FirstVersion:  of("own", "3"),
		trial.NewestVersion: of("own", "7"),
		trial.AnyPod:        nil,
	} {
		o := s.deleteOptions(trial.DeleteWithin(4).If(precondition))
		g := NewWithT(t)
		g.Expect(o.Preconditions).To(Equal(want), string(precondition))
		g.Expect(*o.GracePeriodSeconds).To(BeEquivalentTo(4))
		g.Expect(o.DryRun).To(BeEmpty())
	}
	for _, action := range []trial.Action{trial.DryDelete, trial.DryEvict} {
		NewWithT(t).Expect(s.deleteOptions(trial.Fault{Action: action}).DryRun).To(Equal([]string{metav1.DryRunAll}))
	}
}
