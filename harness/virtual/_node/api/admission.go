package api

import (
	"context"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/apis/core"
	schedulingapi "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
)

// admission is the API server's own plugins that change a pod's priority and its tolerations.
type admission []kadmission.MutationInterface

func newAdmission(client kubernetes.Interface, factory informers.SharedInformerFactory) (admission, error) {
	priorities := priority.NewPlugin()
	priorities.SetExternalKubeClientSet(client)
	priorities.SetExternalKubeInformerFactory(factory)
	tolerations := defaulttolerationseconds.NewDefaultTolerationSeconds()
	if w, ok := any(tolerations).(initializer.WantsFeatures); ok {
		w.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
	all := admission{priorities, tolerations}
	for _, p := range all {
		if v, ok := p.(kadmission.InitializationValidator); ok {
			if err := v.ValidateInitialization(); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// admit changes a new pod, or refuses it.
func (a admission) admit(ctx context.Context, pod *core.Pod, options *metav1.CreateOptions) error {
	kind, resource := core.Kind("Pod").WithVersion("v1"), core.Resource("pods").WithVersion("v1")
	attributes := kadmission.NewAttributesRecord(pod, nil, kind, pod.Namespace, pod.Name, resource, "",
		kadmission.Create, options, false, nil)
	for _, p := range a {
		if !p.Handles(kadmission.Create) {
			continue
		}
		if err := p.Admit(ctx, attributes, nil); err != nil {
			return err
		}
	}
	return nil
}

// priorityClasses returns the classes that every API server creates, and others by their values.
func priorityClasses(values map[string]int32) []*schedulingv1.PriorityClass {
	all := schedulingapi.SystemPriorityClasses()
	for name, value := range values {
		all = append(all, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value})
	}
	return all
}
