package trial

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestFirstContainersMustStart(t *testing.T) {
	yes, always := true, corev1.ContainerRestartPolicyAlways
	sidecar, setUp := corev1.Container{Name: "sidecar", RestartPolicy: &always}, corev1.Container{Name: "set-up"}
	victims := []corev1.Container{{Name: Main}, {Name: "pulled", Image: victim.UnpullableImage}}
	for name, c := range map[string]struct {
		spec  corev1.PodSpec
		state *timeline.ContainerStatus
		want  []string
	}{
		"all containers beside sidecars": {
			corev1.PodSpec{InitContainers: []corev1.Container{sidecar}, Containers: victims}, nil,
			[]string{"created-to-sidecar-start", "created-to-start", "created-to-pulled-pull"},
		},
		"up to the first init container": {
			corev1.PodSpec{InitContainers: []corev1.Container{sidecar, setUp, sidecar}, Containers: victims}, nil,
			[]string{"created-to-sidecar-start", "created-to-set-up-start"},
		},
		"or the first sign that it cannot start": {
			corev1.PodSpec{Containers: []corev1.Container{
				{Name: "never", Image: victim.UnpullableImage, ImagePullPolicy: corev1.PullNever},
				{Name: "secret", EnvFrom: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{}}}},
				{Name: "key", Env: []corev1.EnvVar{{ValueFrom: &corev1.EnvVarSource{
					ConfigMapKeyRef: &corev1.ConfigMapKeySelector{},
				}}}},
				{Name: "optional", EnvFrom: []corev1.EnvFromSource{{
					SecretRef: &corev1.SecretEnvSource{Optional: &yes},
				}}},
				{Name: "slow", Image: victim.SlowImage}, {Name: "held"},
			}}, nil,
			[]string{
				"created-to-never-event-failed", "created-to-secret-event-failed", "created-to-key-event-failed",
				"created-to-optional-start", "created-to-slow-pull",
			},
		},
		"after a hook that takes no time": {
			corev1.PodSpec{Containers: []corev1.Container{started("quick", victim.Hook{}), {Name: "next"}}}, nil,
			[]string{"created-to-quick-start", "created-to-next-start"},
		},
		"none after a hook that takes time": {
			corev1.PodSpec{Containers: []corev1.Container{started("slow", victim.Hook{Sleep: 1}), {Name: "next"}}}, nil,
			[]string{"created-to-slow-start"},
		},
		"none after a hook whose failure kills": {
			corev1.PodSpec{Containers: []corev1.Container{started("fails", victim.Hook{ExitCode: 1}),
				{Name: "next"}}}, nil,
			[]string{"created-to-fails-start"},
		},
		"or that of its sandbox": {
			corev1.PodSpec{Containers: victims, SecurityContext: &corev1.PodSecurityContext{
				Sysctls: []corev1.Sysctl{{Name: "kernel.shm_rmid_forced"}},
			}}, nil,
			[]string{"created-to-event-failedcreatepodsandbox"},
		},
		"or for its full name": {
			corev1.PodSpec{
				Containers: victims, Hostname: strings.Repeat("a", 50), Subdomain: "b", SetHostnameAsFQDN: &yes,
			}, nil,
			[]string{"created-to-event-failedcreatepodsandbox"},
		},
		"one that is being created": {
			corev1.PodSpec{Containers: victims[:1]},
			&timeline.ContainerStatus{Name: Main, State: "waiting", Reason: "ContainerCreating"},
			[]string{"created-to-start"},
		},
		"none that the runtime refuses": {
			corev1.PodSpec{Containers: victims[:1]},
			&timeline.ContainerStatus{Name: Main, State: "waiting", Reason: "CreateContainerError"}, nil,
		},
		"none without a mark": {
			corev1.PodSpec{Containers: victims[:1]}, &timeline.ContainerStatus{Name: Main, State: "running"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			tl := &timeline.Timeline{API: []timeline.Change{{At: timeline.Instant{At: 7}}}}
			if c.state != nil {
				tl.API[0].Containers = []timeline.ContainerStatus{*c.state}
			}
			tr := Trial{Pod: &corev1.Pod{Spec: c.spec}}
			var ids []string
			for _, claim := range tr.starts(tl) {
				ids = append(ids, claim.ID())
			}
			g.Expect(ids).To(Equal(c.want))
			_, began := tr.Began(tl)
			g.Expect(began).To(BeFalse())
		})
	}
}

// started returns a container with a postStart hook.
func started(name string, h victim.Hook) corev1.Container {
	h.PostStart = true
	command := append([]string{victim.Program}, h.Args()...)
	return corev1.Container{Name: name, Lifecycle: &corev1.Lifecycle{
		PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: command}},
	}}
}

func TestBegan(t *testing.T) {
	g := NewWithT(t)
	started := func(at time.Duration) *timeline.Container {
		return &timeline.Container{Lives: []*timeline.Life{{Started: &timeline.Instant{At: int64(at)}}}}
	}
	tr := Trial{Pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: Main}, {Name: "slow"}}}}}
	tl := &timeline.Timeline{
		API:        []timeline.Change{{At: timeline.Instant{At: 7}}},
		Containers: map[string]*timeline.Container{Main: started(time.Second), "slow": started(2 * time.Second)},
	}
	began, ok := tr.Began(tl)
	g.Expect(ok).To(BeTrue())
	g.Expect(began).To(Equal(int64(2*time.Second)), "the last start")
	tr.Unscheduled = true
	began, _ = tr.Began(tl)
	g.Expect(began).To(Equal(int64(7)), "no start is due before the pod has a node")
	_, ok = tr.Began(&timeline.Timeline{})
	g.Expect(ok).To(BeFalse())
}
