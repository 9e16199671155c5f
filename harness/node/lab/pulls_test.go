package lab

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/internal/pull"
	"github.com/podclock/podclock/harness/node/pace"
	"github.com/podclock/podclock/harness/rules/formula"
)

// asExternal makes the options those of a cluster that podclock did not make, with two nodes.
func asExternal(o *Options) {
	o.External = true
	o.Subjects = []Placement{
		{Name: subjectName, Slug: "v1-36-3", Node: nodeName, Kubelet: formula.Kubelet{Version: "v1.36.3"}},
		{Name: "second", Slug: "second", Node: spareName},
	}
}

// unpulled sets why a recorder's pod waits for one of its images.
func (w *world) unpulled(pod, container, reason, message string) {
	w.api.status(pod, func(s *corev1.PodStatus) {
		s.InitContainerStatuses = []corev1.ContainerStatus{{Name: container, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message},
		}}}
	})
}

func TestAnImageThatCannotBePulledIsFoundOnTheFirstNode(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		within time.Duration
	}{
		"not found":          {"ErrImagePull", pull.Heals + 2*time.Second},
		"not found for long": {"ImagePullBackOff", pull.Heals + 2*time.Second},
		"not a name":         {"InvalidImageName", 2 * time.Second},
		"never pulled":       {"ErrImageNeverPull", 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				var touched []string
				w.api.run = func(ctx context.Context, pod *corev1.Pod, _ <-chan struct{}) {
					touched = append(touched, pod.Spec.NodeName)
					w.unpulled(pod.Name, "pull-2", c.reason, "the kubelet's words")
					<-ctx.Done()
				}
				o := Options{Config: w.api.config(), Namespace: "trials", Log: io.Discard, Images: Images{
					Images: runner.Images{
						Fault: "r.example/fault", FaultOther: "r.example/other", FaultStopSignal: "r.example/stop",
					},
					Recorder: "r.example/recorder",
				}}
				asExternal(&o)
				began := time.Now()
				_, err := Open(t.Context(), o)
				g.Expect(err).To(MatchError(And(
					HavePrefix("node worker-1 can't pull image r.example/other: "+c.reason+": the kubelet's words. "),
					ContainSubstring("podclock images push"), ContainSubstring("--pull-secret"),
					ContainSubstring("podclock images save"))))
				g.Expect(time.Since(began)).To(BeNumerically("<=", c.within))
				g.Expect(touched).To(Equal([]string{nodeName}), "the second node is left alone")
				g.Expect(w.api.namespaces).To(BeEmpty())
			})
		})
	}
}

// The kubelet tries again after 10 to 15 s.
func TestAPullThatHealsIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.api.run = func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
			for range 2 { // of two images
				w.unpulled(pod.Name, "pull-1", "ErrImagePull", "503 Service Unavailable")
				_ = pace.SleepUntil(ctx, time.Now().Add(time.Second))
				w.unpulled(pod.Name, "pull-1", "ImagePullBackOff", "back-off")
				_ = pace.SleepUntil(ctx, time.Now().Add(14*time.Second))
				w.api.status(pod.Name, func(s *corev1.PodStatus) { s.InitContainerStatuses = nil })
			}
			w.run(ctx, pod, deleted)
		}
		l := w.open(t, asExternal)
		g.Expect(l.nodes[nodeName].unusable()).To(BeEmpty())
		g.Expect(l.nodes[spareName].unusable()).To(BeEmpty())
	})
}

func TestALaterNodeThatCannotPullIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.api.run = func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
			if pod.Spec.NodeName == spareName {
				w.unpulled(pod.Name, "pull-1", "ErrImagePull", "no route to host")
				<-ctx.Done()
				return
			}
			w.run(ctx, pod, deleted)
		}
		l := w.open(t, asExternal)
		g.Expect(l.nodes[nodeName].unusable()).To(BeEmpty())
		g.Expect(l.nodes[spareName].unusable()).
			To(HavePrefix("node worker-2 can't pull image fault: ErrImagePull: no route to host"))
	})
}

func TestPodsOfGuestsPullWithTheSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		pods := map[string]*corev1.Pod{}
		w.api.run = func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
			w.mu.Lock()
			pods[pod.Name] = pod
			w.mu.Unlock()
			w.run(ctx, pod, deleted)
		}
		l := w.open(t, func(o *Options) { asExternal(o); o.PullSecret = []byte(`{"auths":{}}`) })
		g.Expect(w.api.secrets).To(HaveLen(1))
		g.Expect(w.api.secrets[0].Labels).To(HaveKeyWithValue("app.kubernetes.io/part-of", "podclock"))
		g.Expect(w.api.secrets[0].Type).To(Equal(corev1.SecretTypeDockerConfigJson))
		g.Expect(w.api.secrets[0].Data).To(HaveKeyWithValue(".dockerconfigjson", []byte(`{"auths":{}}`)))
		tr := deletion("pulls", 1)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		secrets := []corev1.LocalObjectReference{{Name: w.api.secrets[0].Name}}
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, name := range []string{"recorder-worker-1", "recorder-worker-2", "test-pulls-v1-36-3-1"} {
			g.Expect(pods[name].Spec.ImagePullSecrets).To(Equal(secrets), name)
		}
		var images []string
		for _, c := range pods["recorder-worker-1"].Spec.InitContainers {
			images = append(images, c.Image)
		}
		g.Expect(images).To(Equal([]string{"fault", "fault-other", "fault-stop-signal"}), "no trial waits for a pull")
	})
}
