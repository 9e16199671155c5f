package kubeconfig

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
)

// answersWithin bounds a request of klient's. Its discovery takes no context, so nothing else would end that. The
// clientset has no such bound, because it streams.
const answersWithin = 30 * time.Second

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
	bounded := rest.CopyConfig(shared)
	bounded.Timeout = cmp.Or(shared.Timeout, answersWithin)
	client, err := klient.New(bounded)
	if err != nil {
		return nil, nil, err
	}
	api, err := kubernetes.NewForConfig(shared)
	return client.Resources(), api, err
}

// Version returns the API server's release, which every user may read. client-go's ServerVersion takes no context.
func Version(ctx context.Context, api kubernetes.Interface) (string, error) {
	text, err := api.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var v version.Info
	if err := json.Unmarshal(text, &v); err != nil {
		return "", fmt.Errorf("the answer to /version is no JSON: %w", err)
	}
	return v.GitVersion, nil
}
