package manifest

import (
	_ "embed"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// otherKinds are the kinds of client-go's scheme in the groups without workloads. Each line is a version with its
// kinds, without those that every version has, such as DeleteOptions.
//
//go:embed kinds.txt
var otherKinds string

// withWorkloads add the types of the versions that have workloads, or budgets of their disruption.
var withWorkloads = []func(*runtime.Scheme) error{
	corev1.AddToScheme, appsv1.AddToScheme, appsv1beta1.AddToScheme, appsv1beta2.AddToScheme,
	batchv1.AddToScheme, batchv1beta1.AddToScheme, extensionsv1beta1.AddToScheme,
	policyv1.AddToScheme,
}

// kinds knows every kind that client-go's scheme knows. Only versions with workloads have their types. Those of the
// others are never decoded, and would add 8 MB to the web page's program of 21 MB.
var kinds = knownKinds()

func knownKinds() *runtime.Scheme {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	for _, add := range withWorkloads {
		if err := add(s); err != nil {
			panic(err) // two types of one kind
		}
	}
	for line := range strings.Lines(otherKinds) {
		words := strings.Fields(line)
		version, err := schema.ParseGroupVersion(words[0])
		if err != nil {
			panic(err) // kinds.txt is not as the test writes it
		}
		metav1.AddToGroupVersion(s, version)
		for _, kind := range words[1:] {
			var standIn runtime.Object = &metav1.PartialObjectMetadata{}
			if strings.HasSuffix(kind, "List") {
				standIn = &metav1.PartialObjectMetadataList{}
			}
			s.AddKnownTypeWithName(version.WithKind(kind), standIn)
		}
	}
	return s
}

// decoder is the API server's own for JSON, which knows every field of every version.
var decoder = json.NewSerializerWithOptions(json.DefaultMetaFactory, kinds, kinds, json.SerializerOptions{Strict: true})
