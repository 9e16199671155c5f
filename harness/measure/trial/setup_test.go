package trial_test

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/trial"
)

func TestSetupIsWhatATrialDoes(t *testing.T) {
	pod := func(grace int64) *corev1.Pod {
		return &corev1.Pod{Spec: corev1.PodSpec{TerminationGracePeriodSeconds: &grace}}
	}
	made := func(changes ...func(*trial.Trial)) trial.Trial {
		t := trial.Trial{
			ID: "area/what", Pod: pod(30), Companions: []*corev1.Pod{pod(7)}, Faults: []trial.Fault{trial.Delete()},
			Worker: &trial.Worker{Name: "own", KubeletConfig: map[string]any{"maxPods": 7}},
		}
		for _, change := range changes {
			change(&t)
		}
		return t
	}
	setup := made().Setup()
	g := NewWithT(t)
	g.Expect(setup).To(MatchRegexp(`^[0-9a-f]{12}$`))
	for name, change := range map[string]func(*trial.Trial){
		"a sentence":      func(t *trial.Trial) { t.About = "It is deleted." },
		"a worker's name": func(t *trial.Trial) { t.Worker.Name, t.Worker.Alone = "renamed", true },
		"a duration":      func(t *trial.Trial) { t.Lasts = time.Hour },
		"claims": func(t *trial.Trial) {
			t.Claims = []trial.Claim{{Measure: trial.Between(trial.SIGTERM, trial.Gone)}}
		},
		"who it runs as": func(t *trial.Trial) {
			t.Pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true)}
		},
		"what is empty": func(t *trial.Trial) {
			t.Pod.Labels, t.Pod.CreationTimestamp = map[string]string{}, metav1.Time{}
		},
	} {
		g.Expect(made(change).Setup()).To(Equal(setup), name)
	}
	others := []string{setup}
	for name, change := range map[string]func(*trial.Trial){
		"a pod":          func(t *trial.Trial) { t.Pod = pod(31) },
		"a companion":    func(t *trial.Trial) { t.Companions[0] = pod(8) },
		"one more":       func(t *trial.Trial) { t.Companions = append(t.Companions, pod(7)) },
		"a worker":       func(t *trial.Trial) { t.Worker.KubeletConfig["maxPods"] = 8 },
		"a budget":       func(t *trial.Trial) { t.Budgets = 1 },
		"a Job":          func(t *trial.Trial) { t.Job = &batchv1.JobSpec{ManualSelector: new(true)} },
		"a service":      func(t *trial.Trial) { t.Service = &corev1.ServiceSpec{PublishNotReadyAddresses: true} },
		"a proxy":        func(t *trial.Trial) { t.Worker.Proxy = trial.NFTables },
		"a static pod":   func(t *trial.Trial) { t.Static = true },
		"a grace":        func(t *trial.Trial) { t.Faults[0] = trial.DeleteWithin(3) },
		"a fault's time": func(t *trial.Trial) { t.Faults[0] = trial.Delete().At(trial.Started, time.Minute) },
		"its point":      func(t *trial.Trial) { t.Faults[0] = trial.Delete().At(trial.Started.Life(2), 3*time.Second) },
		"a runtime":      func(t *trial.Trial) { t.ContainerStart = time.Minute },
	} {
		other := made(change).Setup()
		g.Expect(slices.Contains(others, other)).To(BeFalse(), name)
		others = append(others, other)
	}
}
