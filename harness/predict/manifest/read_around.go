package manifest

import (
	"cmp"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// budget validates and keeps a budget (pkg/apis/policy/validation/validation.go ValidatePodDisruptionBudgetSpec).
func (r *reading) budget(at place, b *policyv1.PodDisruptionBudget) {
	v, spec := &validator{}, field.NewPath("spec")
	at.object = "PodDisruptionBudget " + b.Name
	if b.Spec.MinAvailable != nil && b.Spec.MaxUnavailable != nil {
		v.add(field.Invalid(spec, field.OmitValueType{}, "minAvailable and maxUnavailable cannot be both set"))
	}
	if s := b.Spec.MinAvailable; s != nil {
		v.share(*s, spec.Child("minAvailable"), true)
	}
	if s := b.Spec.MaxUnavailable; s != nil {
		v.share(*s, spec.Child("maxUnavailable"), true)
	}
	v.add(metav1validation.ValidateLabelSelector(b.Spec.Selector, metav1validation.LabelSelectorValidationOptions{},
		spec.Child("selector"))...)
	if p := b.Spec.UnhealthyPodEvictionPolicy; p != nil {
		oneOf(v, spec.Child("unhealthyPodEvictionPolicy"), *p, policyv1.IfHealthyBudget, policyv1.AlwaysAllow)
	}
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil && len(v.problems) == 0 {
		v.invalid(spec.Child("selector"), field.OmitValueType{}, err.Error())
	}
	for _, p := range v.problems {
		r.wrong(at, p.Field, p.ErrorBody())
	}
	if len(v.problems) > 0 {
		return
	}
	r.found.Budgets = append(r.found.Budgets, Budget{
		Namespace: b.Namespace, Name: b.Name,
		MinAvailable: b.Spec.MinAvailable, MaxUnavailable: b.Spec.MaxUnavailable, selector: selector,
		AlwaysAllow: *cmp.Or(b.Spec.UnhealthyPodEvictionPolicy, new(policyv1.IfHealthyBudget)) == policyv1.AlwaysAllow,
	})
}

// autoscaler keeps an object that is a HorizontalPodAutoscaler. All versions have the same fields for this.
func (r *reading) autoscaler(kind schema.GroupVersionKind, text []byte) {
	o := struct {
		Metadata metav1.ObjectMeta
		Spec     struct {
			ScaleTargetRef           struct{ Kind, Name string }
			MinReplicas, MaxReplicas *int32
		}
	}{}
	if kind.Group != "autoscaling" || kind.Kind != "HorizontalPodAutoscaler" || json.Unmarshal(text, &o) != nil ||
		o.Spec.MaxReplicas == nil {
		return
	}
	a := Autoscaler{
		Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Kind: o.Spec.ScaleTargetRef.Kind,
		Target: o.Spec.ScaleTargetRef.Name, Min: 1, Max: *o.Spec.MaxReplicas,
	}
	if o.Spec.MinReplicas != nil { // pkg/apis/autoscaling/v2/defaults.go
		a.Min = *o.Spec.MinReplicas
	}
	r.found.Autoscalers = append(r.found.Autoscalers, a)
}

// service keeps an object that is a Service. One that cannot be read stops no answer, as it makes no pods. Clients of a
// headless Service choose pods by DNS, so no proxy routes them.
func (r *reading) service(kind schema.GroupVersionKind, text []byte) {
	var s corev1.Service
	if kind != corev1.SchemeGroupVersion.WithKind("Service") || json.Unmarshal(text, &s) != nil ||
		len(s.Spec.Selector) == 0 || s.Spec.ClusterIP == corev1.ClusterIPNone ||
		s.Spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	found := Service{
		Namespace: s.Namespace, Name: s.Name, PublishNotReady: s.Spec.PublishNotReadyAddresses,
		selector: labels.SelectorFromSet(s.Spec.Selector),
	}
	for _, p := range s.Spec.Ports { // pkg/apis/core/v1/defaults.go SetDefaults_Service
		if p.TargetPort == (intstr.IntOrString{}) || p.TargetPort.Type == intstr.String && p.TargetPort.StrVal == "" {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
		found.targets = append(found.targets, p.TargetPort)
	}
	r.found.Services = append(r.found.Services, found)
}
