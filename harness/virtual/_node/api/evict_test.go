package api

import (
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/podclock/podclock/harness/virtual/wire"
)

var (
	running = corev1.PodStatus{
		Phase:      corev1.PodRunning,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
	}
	unready = corev1.PodStatus{
		Phase:      corev1.PodRunning,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}},
	}
	budgeted = map[string]string{"podclock.dev/budget": "1"}
)

// TestEvict is formula A3 (registry/core/pod/storage/eviction.go).
func TestEvict(t *testing.T) {
	for name, test := range map[string]struct {
		status  corev1.PodStatus
		labels  map[string]string
		seconds *int64
		deleted bool
		refused bool
		grace   int64
		gone    bool
	}{
		"deletion/eviction":                {status: running, grace: 4},
		"deletion/eviction-option":         {status: running, seconds: ptr.To[int64](3), grace: 3},
		"an option of zero":                {status: running, seconds: ptr.To[int64](0), gone: true},
		"a negative option":                {status: running, seconds: ptr.To[int64](-5), grace: 1},
		"deletion/eviction-refused":        {status: running, labels: budgeted, refused: true},
		"refused although it is not ready": {status: unready, labels: budgeted, refused: true},
		"another's budget": {status: running, labels: map[string]string{"podclock.dev/budget": "2"},
			grace: 4},
		"a pending pod has no protection": {status: corev1.PodStatus{Phase: corev1.PodPending}, labels: budgeted,
			grace: 4},
		"nor has one that has failed": {status: corev1.PodStatus{Phase: corev1.PodFailed}, labels: budgeted,
			gone: true},
		"nor one that is being deleted": {status: running, labels: budgeted, deleted: true, grace: 4},
		"nor one deleted, evicted with less": {status: running, labels: budgeted, deleted: true,
			seconds: ptr.To[int64](2), grace: 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(l lab) {
				l.Expect(l.Budget(policyv1.PodDisruptionBudgetSpec{
					MinAvailable: ptr.To(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: budgeted},
				})).To(Succeed())
				p := pod(4)
				p.Labels = test.labels
				l.create(p)
				l.setStatus(test.status)
				if test.deleted {
					l.Expect(l.Delete(deletion(nil))).To(Succeed())
				}
				before := len(l.versions())
				began := time.Now()
				err := l.Evict(deletion(test.seconds))
				l.Expect(time.Since(began)).To(Equal(requestLatency), "without a retry")
				seen := l.versions()[before:]
				if test.refused {
					l.Expect(apierrors.IsTooManyRequests(err)).To(BeTrue(), "%v", err)
					l.Expect(err.(apierrors.APIStatus).Status().Code).To(BeEquivalentTo(429))
					l.Expect(seen).To(BeEmpty())
					l.Expect(l.get().DeletionTimestamp).To(BeNil())
					l.Expect(l.Delete(deletion(nil))).To(Succeed(), "no budget forbids a delete")
					return
				}
				l.Expect(err).NotTo(HaveOccurred())
				l.Expect(disrupted(seen[0].Pod)).To(Equal("EvictionByEvictionAPI"), "the condition is written first")
				if test.gone {
					l.Expect(l.get()).To(BeNil())
					return
				}
				l.Expect(*l.get().DeletionGracePeriodSeconds).To(Equal(test.grace))
			})
		})
	}
}

// disrupted returns the reason of a pod's condition DisruptionTarget.
func disrupted(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c.Reason
		}
	}
	return ""
}

func noExecute(key string) []corev1.Taint {
	return []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoExecute}}
}

// TestTaint is formula A4 (pkg/controller/tainteviction).
func TestTaint(t *testing.T) {
	const key = "podclock.dev/gone"
	tolerate := func(key string, seconds ...int64) []corev1.Toleration {
		var all []corev1.Toleration
		for _, s := range seconds {
			all = append(
				all,
				corev1.Toleration{
					Key:               key,
					Operator:          corev1.TolerationOpExists,
					Effect:            corev1.TaintEffectNoExecute,
					TolerationSeconds: &s,
				},
			)
		}
		return all
	}
	for name, test := range map[string]struct {
		tolerations []corev1.Toleration
		lifted      time.Duration // after which the taint goes
		after       time.Duration // after which the pod is deleted, negative for never
	}{
		"deletion/taint-untolerated":     {tolerations: tolerate("podclock.dev/another", 100)},
		"deletion/taint-tolerated-5s":    {tolerations: tolerate(key, 5), after: 5 * time.Second},
		"deletion/taint-tolerated-twice": {tolerations: tolerate(key, 6, 2), after: 6 * time.Second},
		"deletion/taint-removed":         {tolerations: tolerate(key, 4), lifted: 1500 * time.Millisecond, after: -1},
		"tolerated for ever": {tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			after: -1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(l lab) {
				p := pod(3)
				p.Spec.Tolerations = test.tolerations
				l.create(p)
				l.setStatus(running)
				began := time.Now()
				l.Expect(l.Taint(noExecute(key))).To(Succeed())
				if test.lifted > 0 {
					time.Sleep(test.lifted)
					l.Expect(l.Taint(nil)).To(Succeed())
				}
				time.Sleep(20 * time.Second)
				now := l.get()
				if test.after < 0 {
					l.Expect(now.DeletionTimestamp).To(BeNil())
					return
				}
				l.Expect(*now.DeletionGracePeriodSeconds).To(BeEquivalentTo(3))
				l.Expect(disrupted(now)).To(Equal("DeletionByTaintManager"))
				for _, v := range l.told.pods {
					if v.Pod.DeletionTimestamp != nil {
						l.Expect(time.Unix(0, v.At).Sub(began)).To(BeNumerically("~", test.after, 50*time.Millisecond))
						break
					}
				}
				l.Expect(l.told.events).NotTo(BeEmpty())
				l.Expect(l.told.events[0].Event.Reason).To(Equal("TaintManagerEviction"))
			})
		})
	}
}

// TestAdmission: priority and default tolerations are the real plugins'.
func TestAdmission(t *testing.T) {
	bubble(t, func(l lab) {
		plain := l.create(pod(3))
		l.Expect(*plain.Spec.Priority).To(BeZero())
		l.Expect(*plain.Spec.PreemptionPolicy).To(Equal(corev1.PreemptLowerPriority))
		l.Expect(plain.Spec.Tolerations).To(HaveLen(2))
		for i, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			l.Expect(plain.Spec.Tolerations[i]).To(Equal(corev1.Toleration{
				Key:               key,
				Operator:          corev1.TolerationOpExists,
				Effect:            corev1.TaintEffectNoExecute,
				TolerationSeconds: ptr.To[int64](300),
			}))
		}
		for class, value := range map[string]int32{"high": 1000, "system-node-critical": 2000001000} {
			p := pod(3)
			p.Name, p.Spec.PriorityClassName, p.Spec.Tolerations = class, class, []corev1.Toleration{
				{Operator: corev1.TolerationOpExists},
			}
			created := l.create(p)
			l.Expect(*created.Spec.Priority).To(Equal(value))
			l.Expect(created.Spec.Tolerations).To(HaveLen(1), "as the lab's pods have it")
		}
		p := pod(3)
		p.Name, p.Spec.PriorityClassName = "unknown", "unknown"
		_, err := l.Create(p)
		l.Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
	})
}

func TestInvalidPodIsRefused(t *testing.T) {
	bubble(t, func(l lab) {
		p := pod(3)
		p.Spec.Containers[0].Image = ""
		_, err := l.Create(p)
		l.Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
	})
}

func TestSetImage(t *testing.T) {
	bubble(t, func(l lab) {
		l.create(pod(3))
		main := []any{map[string]any{"name": "main", "image": "other"}}
		patch := map[string]any{"spec": map[string]any{"containers": main}}
		l.Expect(l.request(http.MethodPatch, "", patch)).To(Succeed())
		now := l.get()
		l.Expect(now.Spec.Containers).To(HaveLen(1))
		l.Expect(now.Spec.Containers[0].Image).To(Equal("other"))
		l.Expect(now.Generation).To(BeEquivalentTo(2))
	})
}

func TestBind(t *testing.T) {
	bubble(t, func(l lab) {
		p := pod(3)
		p.Spec.NodeName = ""
		l.create(p)
		bind := func() error {
			target := corev1.ObjectReference{Kind: "Node", Name: wire.NodeName}
			return l.request(http.MethodPost, "binding", corev1.Binding{Target: target})
		}
		l.Expect(bind()).To(Succeed())
		l.Expect(l.get().Spec.NodeName).To(Equal(wire.NodeName))
		l.Expect(apierrors.IsConflict(bind())).To(BeTrue(), "it has a node already")
	})
}

func TestUnknownRequestIsRefused(t *testing.T) {
	bubble(t, func(l lab) {
		err := l.request(http.MethodPost, "exec", nil)
		l.Expect(err).To(MatchError("the virtual node's API server does not know the request POST pods/exec"))
	})
}
