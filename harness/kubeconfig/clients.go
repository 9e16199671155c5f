package kubeconfig

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
)

// Clients returns klient's resources, and client-go's clientset for what they can't do: watches, streams and raw paths.
// Both share the configuration's limit of requests. Neither sends anything yet.
//
// Never call WithNamespace: it changes the resources for everybody who uses them (e2e-framework#258). Lists of a
// namespace go through GetControllerRuntimeClient.
func Clients(config *rest.Config) (*resources.Resources, *kubernetes.Clientset, error) {
	shared := rest.CopyConfig(config)
	if shared.RateLimiter == nil && shared.QPS > 0 {
		shared.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(shared.QPS, shared.Burst)
	}
	client, err := klient.New(shared)
	if err != nil {
		return nil, nil, err
	}
	api, err := kubernetes.NewForConfig(shared)
	return client.Resources(), api, err
}
