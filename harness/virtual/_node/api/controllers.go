package api

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/apis/core"
	schedulingapi "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
)

// startControllers starts the taint eviction controller and the admission, and awaits their first lists.
func startControllers(ctx context.Context, client kubernetes.Interface) (admission, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	plugins, err := newAdmission(client, factory)
	if err != nil {
		return admission{}, fmt.Errorf("start the admission: %w", err)
	}
	nodes, podInformer := factory.Core().V1().Nodes(), factory.Core().V1().Pods()
	if err := podInformer.Informer().AddIndexers(cache.Indexers{"spec.nodeName": nodeNameIndex}); err != nil {
		return admission{}, err
	}
	controller, err := tainteviction.New(ctx, client, podInformer, nodes, "taint-eviction-controller")
	if err != nil {
		return admission{}, fmt.Errorf("start the taint eviction controller: %w", err)
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return admission{}, errors.New("the informer of " + kind.String() + " got no list")
		}
	}
	go controller.Run(ctx)
	return plugins, nil
}

func nodeNameIndex(o any) ([]string, error) {
	if pod, ok := o.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
		return []string{pod.Spec.NodeName}, nil
	}
	return nil, nil
}

// admission is the API server's plugins that change a pod's priority and its tolerations, and the one that refuses
// resizes, nil in releases without it.
type admission struct {
	creates []kadmission.MutationInterface
	resizes kadmission.ValidationInterface
}

func newAdmission(client kubernetes.Interface, factory informers.SharedInformerFactory) (admission, error) {
	priorities := priority.NewPlugin()
	priorities.SetExternalKubeClientSet(client)
	priorities.SetExternalKubeInformerFactory(factory)
	tolerations := defaulttolerationseconds.NewDefaultTolerationSeconds()
	if w, ok := any(tolerations).(initializer.WantsFeatures); ok {
		w.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
	resizes, err := resizeValidator(factory)
	if err != nil {
		return admission{}, err
	}
	all := admission{[]kadmission.MutationInterface{priorities, tolerations}, resizes}
	for _, p := range []any{priorities, tolerations, resizes} {
		if v, ok := p.(kadmission.InitializationValidator); ok {
			if err := v.ValidateInitialization(); err != nil {
				return admission{}, err
			}
		}
	}
	return all, nil
}

var (
	internalPod  = core.Kind("Pod").WithVersion("v1")
	internalPods = core.Resource("pods").WithVersion("v1")
)

// resize is a rest.ValidateObjectUpdateFunc.
func (a admission) resize(ctx context.Context, o, old runtime.Object) error {
	pod, ok := o.(*core.Pod)
	if a.resizes == nil || !ok {
		return nil
	}
	attributes := kadmission.NewAttributesRecord(pod, old, internalPod, pod.Namespace, pod.Name, internalPods, "resize",
		kadmission.Update, &metav1.UpdateOptions{}, false, nil)
	return a.resizes.Validate(ctx, attributes, nil)
}

func (a admission) admit(ctx context.Context, pod *core.Pod, options *metav1.CreateOptions) error {
	attributes := kadmission.NewAttributesRecord(pod, nil, internalPod, pod.Namespace, pod.Name, internalPods, "",
		kadmission.Create, options, false, nil)
	for _, p := range a.creates {
		if !p.Handles(kadmission.Create) {
			continue
		}
		if err := p.Admit(ctx, attributes, nil); err != nil {
			return err
		}
	}
	return nil
}

func priorityClasses(values map[string]int32) []*schedulingv1.PriorityClass {
	all := schedulingapi.SystemPriorityClasses()
	for name, value := range values {
		all = append(all, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value})
	}
	return all
}
