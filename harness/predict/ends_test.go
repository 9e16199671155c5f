package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// ids returns the IDs of the container's timelines with a prefix, without their assumptions.
func (c Container) ids(begin string) []string {
	var all []string
	for _, t := range c.Timelines {
		id := t.ID
		if i := strings.LastIndex(id, "/"); i >= 0 {
			id = id[:i]
		}
		if strings.HasPrefix(id, begin) && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Each taint that is tolerated for a time is predicted once, by the toleration that applies to it.
func TestTaints(t *testing.T) {
	g := NewWithT(t)
	w := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		tolerate := func(key, value string, effect corev1.TaintEffect, seconds *int64) {
			operator := corev1.TolerationOpExists
			if value != "" {
				operator = corev1.TolerationOpEqual
			}
			s.Tolerations = append(
				s.Tolerations,
				corev1.Toleration{
					Key:               key,
					Operator:          operator,
					Value:             value,
					Effect:            effect,
					TolerationSeconds: seconds,
				},
			)
		}
		tolerate("node.kubernetes.io/not-ready", "", corev1.TaintEffectNoSchedule, nil)
		tolerate("node.kubernetes.io/not-ready", "", corev1.TaintEffectNoExecute, new(int64(60)))
		tolerate("node.kubernetes.io/not-ready", "", corev1.TaintEffectNoExecute, new(int64(10)))
		tolerate("gone", "soon", corev1.TaintEffectNoExecute, new(int64(5)))
		tolerate("gone", "later", corev1.TaintEffectNoExecute, new(int64(50)))
		tolerate("never", "", "", nil)
		tolerate("never", "", corev1.TaintEffectNoExecute, new(int64(20)))
		tolerate("", "", corev1.TaintEffectNoExecute, new(int64(30)))
	})
	app := of(w, formula.NewestKnown, Options{})
	g.Expect(app.ids("taint")).
		To(Equal([]string{"taint-node.kubernetes.io/not-ready", "taint-gone=soon", "taint-gone=later",
			"taint-of-any-other-key"}))
	for id, stays := range map[string]time.Duration{
		"taint-node.kubernetes.io/not-ready/longest": 60 * time.Second, "taint-gone=soon/longest": 5 * time.Second,
		"taint-gone=later/longest": 50 * time.Second, "taint-of-any-other-key/longest": 30 * time.Second,
	} {
		g.Expect(app.timeline(g, id).find(lifecycle.DeletionBegan).At.Earliest).To(Equal(stays), id)
	}
}

// The delete by a taint has no grace period of its own: a pod without grace is gone at once, as by any other delete.
func TestTaintOfAPodWithoutGrace(t *testing.T) {
	g := NewWithT(t)
	app := of(pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		s.TerminationGracePeriodSeconds = new(int64(0))
		s.Tolerations = []corev1.Toleration{
			{Key: "gone", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(5))},
		}
	}), formula.NewestKnown, Options{})
	for _, id := range []string{"delete/longest", "taint-gone/longest"} {
		g.Expect(app.timeline(g, id).find(lifecycle.ObjectDeleted).At.Earliest).
			To(BeNumerically("<", app.timeline(g, id).find(lifecycle.Gone).At.Earliest), id)
	}
}

// Each option of a delete is predicted once.
func TestDeletes(t *testing.T) {
	w := pod(func(*corev1.PodSpec, *corev1.Container) {})
	app := of(w, formula.NewestKnown, Options{GracePeriodSeconds: []int64{5, 0, 5}})
	NewWithT(t).Expect(app.ids("delete")).To(Equal([]string{"delete", "delete-0", "delete-5"}))
}

// Layers of ordinary init containers have no limit, those of sidecars since 1.37.
func TestWhoseLayerIsLimited(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	for name, c := range map[string]struct {
		policy  *corev1.ContainerRestartPolicy
		version string
		want    []string
	}{
		"a sidecar in 1.37":        {&always, "v1.37.2", []string{"storage-limit-of-a-containers-layer"}},
		"a sidecar in 1.36":        {&always, "v1.36.3", nil},
		"an init container":        {nil, "v1.37.2", nil},
		"a main container in 1.36": {nil, "", []string{"storage-limit-of-a-containers-layer"}},
	} {
		app := of(pod(func(s *corev1.PodSpec, main *corev1.Container) {
			limits := corev1.ResourceList{corev1.ResourceEphemeralStorage: resource.MustParse("1Gi")}
			s.InitContainers = []corev1.Container{{Name: "init", Image: "i", RestartPolicy: c.policy}}
			if c.version == "" {
				main.Resources.Limits = limits
			} else {
				s.InitContainers[0].Resources.Limits = limits
			}
		}), cmp.Or(c.version, "v1.36.3"), Options{})
		NewWithT(t).Expect(app.ids("storage")).To(Equal(c.want), name)
	}
}

// A critical pod is neither evicted nor preempted. A limit of 0 is no limit.
func TestWhoIsEvicted(t *testing.T) {
	g := NewWithT(t)
	limited := func(class string, limit *resource.Quantity) Container {
		return of(pod(func(s *corev1.PodSpec, _ *corev1.Container) {
			s.PriorityClassName = class
			s.Volumes = []corev1.Volume{
				{VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: limit}}},
			}
		}), formula.NewestKnown, Options{})
	}
	usual := limited("", new(resource.MustParse("1Gi")))
	g.Expect(slices.Concat(usual.ids("hard"), usual.ids("soft"), usual.ids("storage"), usual.ids("preemption"))).
		To(Equal([]string{"hard-eviction", "soft-eviction", "storage-limit-of-volumes", "preemption"}))
	g.Expect(limited("", new(resource.MustParse("0"))).ids("storage")).To(BeEmpty(), "which is no limit")
	g.Expect(limited("", nil).ids("storage")).To(BeEmpty())
	critical := limited("system-node-critical", new(resource.MustParse("1Gi")))
	g.Expect(slices.Concat(critical.ids("hard"), critical.ids("soft"), critical.ids("storage"),
		critical.ids("preemption"))).
		To(BeEmpty())
	less := limited("system-cluster-critical", new(resource.MustParse("1Gi")))
	g.Expect(slices.Concat(less.ids("hard"), less.ids("soft"), less.ids("storage"))).To(BeEmpty())
	g.Expect(less.ids("preemption")).To(Equal([]string{"preemption"}), "by a pod that is critical to the node")
}

// A hook without a handler that kubelets run delays nothing.
func TestAHookWithoutHandler(t *testing.T) {
	g := NewWithT(t)
	app := of(pod(func(_ *corev1.PodSpec, c *corev1.Container) {
		c.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{TCPSocket: &corev1.TCPSocketAction{}}}
	}), formula.NewestKnown, Options{})
	g.Expect(app.Hook).To(BeEmpty())
	longest := app.timeline(g, "delete/longest")
	g.Expect(longest.find(lifecycle.HookBegan)).To(BeNil())
	g.Expect(longest.find(lifecycle.SIGTERM).At.Latest).To(BeNumerically("<", 3*time.Second))
}

// Sidecars wait for each other. Their number must not make the work explode.
func TestManySidecars(t *testing.T) {
	g := NewWithT(t)
	always := corev1.ContainerRestartPolicyAlways
	w := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		for i := range 40 {
			s.InitContainers = append(s.InitContainers,
				corev1.Container{Name: fmt.Sprint("sidecar-", i), RestartPolicy: &always})
		}
	})
	p := Of(w, kubelet(formula.NewestKnown), Options{})
	g.Expect(p.Containers).To(HaveLen(41))
	g.Expect(p.Containers[1].timeline(g, "delete/longest").find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 32*time.Second, time.Second), "the first container ends last, two seconds late")
}
