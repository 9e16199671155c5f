package kubelet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// nodeIP is the node's address, to which nothing connects. It is also the kubelet's hostname: an address as node IP
// must be one of the host's (nodestatus/setters.go NodeAddress).
const nodeIP = "172.18.0.2"

// registerNode is false: registering a node sleeps with a mutex held, which stops virtual time.
const registerNode = false

// arguments of NewMainKubelet, which differs between versions
type arguments struct {
	ctx              context.Context
	config           *kubeletconfig.KubeletConfiguration
	dependencies     *kubelet.Dependencies
	flags            *options.KubeletFlags
	node             types.NodeName
	pki, files, logs string
}

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

// send returns a function that sends pods to a channel of structs with a field Pods.
func send(updates any) func([]*corev1.Pod) {
	channel := reflect.ValueOf(updates)
	return func(all []*corev1.Pod) {
		update := reflect.New(channel.Type().Elem()).Elem()
		update.FieldByName("Pods").Set(reflect.ValueOf(all))
		channel.Send(update)
	}
}

// sink sends a kubelet's events to the API server, which refuses a second event of one name. The name contains the
// nanosecond (client-go tools/record/util GenerateEventName), which two events in virtual time can share, so the
// second one gets another name.
type sink struct {
	record.EventSink

	mu   sync.Mutex
	used map[string]int
}

func newSink(client kubernetes.Interface) *sink {
	return &sink{EventSink: &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")}, used: map[string]int{}}
}

func (s *sink) Create(event *corev1.Event) (*corev1.Event, error) {
	event = event.DeepCopy()
	event.Name += s.suffix(event.Namespace + "/" + event.Name)
	return s.EventSink.Create(event)
}

// suffix is empty for the first event of a name.
func (s *sink) suffix(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[name]++
	if n := s.used[name]; n > 1 {
		return fmt.Sprintf("-%d", n)
	}
	return ""
}

// files makes the folders of pods' logs below the kubelet's root. Changes elsewhere, such as links in
// /var/log/containers, would be on the host, and are not made.
type files struct {
	containertest.FakeOS
	root string
}

func (f *files) own(path string) bool {
	return strings.HasPrefix(path, f.root+string(filepath.Separator))
}

func (f *files) MkdirAll(path string, perm os.FileMode) error {
	if !f.own(path) {
		return nil
	}
	return os.MkdirAll(path, perm)
}

func (f *files) RemoveAll(path string) error {
	if !f.own(path) {
		return nil
	}
	return os.RemoveAll(path)
}

func (f *files) Stat(path string) (os.FileInfo, error) {
	if !f.own(path) {
		return nil, os.ErrNotExist
	}
	return os.Stat(path)
}
