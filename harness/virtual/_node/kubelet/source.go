package kubelet

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// watchPods sends a kubelet the pods of its node, as config.NewSourceApiserver does. That one needs a REST client,
// which a fake clientset does not have.
func watchPods(ctx context.Context, client kubernetes.Interface, send func([]*corev1.Pod), never <-chan struct{}) {
	pods := client.CoreV1().Pods(metav1.NamespaceAll)
	onNode := fields.OneTermEqualSelector("spec.nodeName", wire.NodeName).String()
	lists := &cache.ListWatch{
		ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = onNode
			return pods.List(ctx, o)
		},
		WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = onNode
			return pods.Watch(ctx, o)
		},
	}
	store := cache.NewUndeltaStore(func(objects []any) {
		all := make([]*corev1.Pod, len(objects))
		for i, object := range objects {
			all[i] = object.(*corev1.Pod).DeepCopy()
		}
		send(all)
	}, cache.MetaNamespaceKeyFunc)
	go cache.NewReflector(listWatcher(lists, client), &corev1.Pod{}, store, 0).Run(never)
}

// send returns a function that sends pods to a channel whose element is a struct with a field Pods.
func send(updates any) func([]*corev1.Pod) {
	channel := reflect.ValueOf(updates)
	return func(all []*corev1.Pod) {
		update := reflect.New(channel.Type().Elem()).Elem()
		update.FieldByName("Pods").Set(reflect.ValueOf(all))
		channel.Send(update)
	}
}
