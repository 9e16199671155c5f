package api

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// heard returns the events of a watch so far, without waiting.
func heard(w watch.Interface) []string {
	var all []string
	for {
		select {
		case e, ok := <-w.ResultChan():
			if !ok {
				return append(all, "end")
			}
			all = append(all, fmt.Sprintf("%s %s", e.Type, e.Object.(metav1.Object).GetName()))
		default:
			return all
		}
	}
}

// TestKubeletsWatch: a kubelet's watch of its node's pods shows no other pods, and continues after a list.
func TestKubeletsWatch(t *testing.T) {
	bubble(t, func(l lab) {
		ctx, pods := context.Background(), l.Connect().Client().CoreV1().Pods("")
		mine := metav1.ListOptions{FieldSelector: "spec.nodeName=" + wire.NodeName}
		l.create(pod(3))
		listed, err := pods.List(ctx, mine)
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(listed.Items).To(HaveLen(1))
		homeless := pod(3)
		homeless.Name, homeless.Spec.NodeName = "homeless", ""
		l.create(homeless)
		second := pod(3)
		second.Name = "second"
		l.create(second)

		mine.ResourceVersion = listed.ResourceVersion
		w, err := pods.Watch(ctx, mine)
		l.Expect(err).NotTo(HaveOccurred())
		l.setStatus(running)
		l.Expect(l.Delete(deletion(ptr.To[int64](0)))).To(Succeed())
		time.Sleep(watchLatency)
		var all []string
		for range 4 {
			time.Sleep(time.Millisecond)
			all = append(all, heard(w)...)
		}
		l.Expect(all).To(Equal([]string{"ADDED second", "MODIFIED p", "MODIFIED p", "DELETED p"}))
		listed, err = pods.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + wire.NodeName})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(listed.Items).To(HaveLen(1))
		w.Stop()
	})
}

// TestSlowWatcher: a slow watcher loses no event and stops no other watcher.
func TestSlowWatcher(t *testing.T) {
	bubble(t, func(l lab) {
		w, err := l.own.Client().
			CoreV1().
			Pods("").
			Watch(context.Background(), metav1.ListOptions{ResourceVersion: l.log.version()})
		l.Expect(err).NotTo(HaveOccurred())
		for i := range 500 {
			p := pod(3)
			p.Name = fmt.Sprintf("p%d", i)
			l.create(p)
			l.Expect(l.get()).To(BeNil())
			l.Expect(l.get()).To(BeNil())
		}
		for range 500 {
			l.Expect((<-w.ResultChan()).Type).To(Equal(watch.Added))
		}
		l.Expect(len(l.own.client.Actions())).To(BeNumerically("<", 1000))
		w.Stop()
	})
}

// TestSever: a severed client reaches nothing and gets nothing, and other clients are not affected.
func TestSever(t *testing.T) {
	bubble(t, func(l lab) {
		ctx, dead, alive := context.Background(), l.Connect(), l.Connect()
		w, err := dead.Client().CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		other, err := alive.Client().CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		dead.Sever()
		l.create(pod(3))
		time.Sleep(10 * time.Millisecond)
		l.Expect(heard(w)).To(Equal([]string{"end"}))
		l.Expect(heard(other)).To(Equal([]string{"ADDED p"}))
		_, err = dead.Client().CoreV1().Pods("ns").Get(ctx, "p", metav1.GetOptions{})
		l.Expect(errors.Is(err, syscall.ECONNREFUSED)).To(BeTrue(), "%v", err)
		_, err = dead.Client().CoreV1().Pods("ns").Watch(ctx, metav1.ListOptions{})
		l.Expect(errors.Is(err, syscall.ECONNREFUSED)).To(BeTrue(), "%v", err)
		_, err = alive.Client().CoreV1().Pods("ns").Get(ctx, "p", metav1.GetOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		other.Stop()
	})
}

// TestCutOff: while kubelets are cut off, an old and a new connection reach nothing, and the control plane does.
func TestCutOff(t *testing.T) {
	bubble(t, func(l lab) {
		ctx, kubelet := context.Background(), l.Connect()
		w, err := kubelet.Client().CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.CutOff(5 * time.Second)
		l.create(pod(3))
		time.Sleep(10 * time.Millisecond)
		l.Expect(heard(w)).To(Equal([]string{"end"}))
		next := l.Connect()
		for _, c := range []*Connection{kubelet, next} {
			_, err = c.Client().CoreV1().Pods("ns").Get(ctx, "p", metav1.GetOptions{})
			l.Expect(errors.Is(err, syscall.ECONNREFUSED)).To(BeTrue(), "%v", err)
			_, err = c.Client().CoreV1().Pods("ns").Watch(ctx, metav1.ListOptions{})
			l.Expect(errors.Is(err, syscall.ECONNREFUSED)).To(BeTrue(), "%v", err)
		}
		_, err = l.own.Client().CoreV1().Pods("ns").Get(ctx, "p", metav1.GetOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		time.Sleep(5 * time.Second)
		_, err = next.Client().CoreV1().Pods("ns").Get(ctx, "p", metav1.GetOptions{})
		l.Expect(err).NotTo(HaveOccurred())
	})
}

// TestInformer: client-go's own informers work over a connection.
func TestInformer(t *testing.T) {
	bubble(t, func(l lab) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var ready []bool
		factory := informers.NewSharedInformerFactoryWithOptions(
			l.Connect().Client(),
			0,
			informers.WithTweakListOptions(func(o *metav1.ListOptions) {
				o.FieldSelector = "metadata.name=" + wire.NodeName
			}),
		)
		_, err := factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { ready = append(ready, false) },
			UpdateFunc: func(_, o any) { ready = append(ready, len(o.(*corev1.Node).Status.Conditions) > 0) },
		})
		l.Expect(err).NotTo(HaveOccurred())
		factory.Start(ctx.Done())
		for _, synced := range factory.WaitForCacheSync(ctx.Done()) {
			l.Expect(synced).To(BeTrue())
		}
		l.setConditions(corev1.NodeReady)
		time.Sleep(10 * time.Millisecond)
		l.Expect(ready).To(Equal([]bool{false, true}))
	})
}

// setConditions writes true conditions as a kubelet does.
func (l lab) setConditions(types ...corev1.NodeConditionType) {
	nodes := l.own.Client().CoreV1().Nodes()
	node, err := nodes.Get(context.Background(), wire.NodeName, metav1.GetOptions{})
	l.Expect(err).NotTo(HaveOccurred())
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse}}
	for _, t := range types {
		node.Status.Conditions = append(node.Status.Conditions,
			corev1.NodeCondition{Type: t, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()})
	}
	_, err = nodes.UpdateStatus(context.Background(), node, metav1.UpdateOptions{})
	l.Expect(err).NotTo(HaveOccurred())
}

func TestConditions(t *testing.T) {
	bubble(t, func(l lab) {
		l.setConditions(corev1.NodeReady)
		began := time.Now()
		time.Sleep(time.Second)
		l.setConditions(corev1.NodeReady)
		l.Expect(l.Taint(noExecute("nobody"))).To(Succeed())
		l.setConditions(corev1.NodeReady, corev1.NodeDiskPressure)
		time.Sleep(time.Second)
		l.Expect(l.told.conditions).To(HaveLen(2))
		l.Expect(l.told.conditions[0]).
			To(Equal(wire.Conditions{At: began.Add(watchLatency).UnixNano(), True: []string{"Ready"}}))
		l.Expect(l.told.conditions[1].True).To(Equal([]string{"DiskPressure", "Ready"}))
		node, err := l.own.Client().CoreV1().Nodes().Get(context.Background(), wire.NodeName, metav1.GetOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(node.Spec.Taints).To(HaveLen(1), "a status that was read after the taint keeps it")
		l.Expect(node.Status.Conditions[1].LastHeartbeatTime.Nanosecond()).To(BeZero())
	})
}

// TestLease: a lease's times have microseconds, and a stale one is refused.
func TestLease(t *testing.T) {
	bubble(t, func(l lab) {
		ctx, leases := context.Background(), l.own.Client().CoordinationV1().Leases("kube-node-lease")
		now := metav1.NowMicro()
		lease := &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: "l"},
			Spec:       coordinationv1.LeaseSpec{RenewTime: &now},
		}
		lease, err := leases.Create(ctx, lease, metav1.CreateOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(lease.Spec.RenewTime.Time).To(BeTemporally("==", now.Truncate(time.Microsecond)))
		l.Expect(lease.Spec.RenewTime.Nanosecond()).To(Equal(int(wire.Tick)))
		l.Expect(lease.CreationTimestamp.Nanosecond()).To(BeZero())
		renewed, err := leases.Update(ctx, lease, metav1.UpdateOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(renewed.UID).To(Equal(lease.UID))
		patched, err := leases.Patch(ctx, "l", types.MergePatchType,
			[]byte(`{"metadata":{"uid":"mine"},"spec":{"holderIdentity":"me"}}`), metav1.PatchOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(patched.UID).To(Equal(lease.UID))
		l.Expect(patched.ResourceVersion).NotTo(Equal(renewed.ResourceVersion))
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		l.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
	})
}

// TestEvents: a recorder's events arrive, also each repetition.
func TestEvents(t *testing.T) {
	bubble(t, func(l lab) {
		b := record.NewBroadcaster()
		defer b.Shutdown()
		b.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: l.Connect().Client().CoreV1().Events("")})
		r := b.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet"})
		p := l.create(pod(3))
		for range 3 {
			r.Event(p, corev1.EventTypeNormal, "Killing", "Stopping container")
			time.Sleep(time.Second)
		}
		l.Expect(l.told.events).To(HaveLen(3))
		for i, e := range l.told.events {
			l.Expect(e.Event.Reason).To(Equal("Killing"))
			l.Expect(e.Event.InvolvedObject.UID).To(Equal(p.UID))
			l.Expect(e.Event.Count).To(BeEquivalentTo(i + 1))
			l.Expect(e.Event.LastTimestamp.Nanosecond()).To(BeZero())
			l.Expect(e.Event.UID).To(Equal(l.told.events[0].Event.UID))
		}
	})
}

// TestStatusOfAnother: a status of a pod's predecessor is refused.
func TestStatusOfAnother(t *testing.T) {
	bubble(t, func(l lab) {
		l.create(pod(3))
		_, err := l.own.Client().CoreV1().Pods("ns").Patch(context.Background(), "p", types.StrategicMergePatchType,
			[]byte(`{"metadata":{"uid":"another"},"status":{"phase":"Failed"}}`), metav1.PatchOptions{}, "status")
		l.Expect(err).To(HaveOccurred())
		other := l.get()
		other.UID, other.ResourceVersion, other.Status.Phase = "another", "", corev1.PodFailed
		_, err = l.own.Client().CoreV1().Pods("ns").UpdateStatus(context.Background(), other, metav1.UpdateOptions{})
		l.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		l.Expect(l.get().Status.Phase).To(Equal(corev1.PodPending))
	})
}

// TestSeconds: times in a pod's status are whole seconds, and an unchanged status is no new version.
func TestSeconds(t *testing.T) {
	bubble(t, func(l lab) {
		l.create(pod(3))
		now := metav1.Now()
		status := corev1.PodStatus{
			Phase:     corev1.PodRunning,
			StartTime: &now,
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
			}},
		}
		l.setStatus(status)
		l.setStatus(status)
		seen := l.versions()
		l.Expect(seen).To(HaveLen(2))
		l.Expect(seen[1].Pod.Status.StartTime.Time).To(BeTemporally("==", now.Truncate(time.Second)))
		l.Expect(seen[1].Pod.Status.ContainerStatuses[0].State.Running.StartedAt.Time).
			To(BeTemporally("==", now.Truncate(time.Second)))
	})
}
