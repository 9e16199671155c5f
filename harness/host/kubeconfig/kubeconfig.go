// Package kubeconfig reads how to reach a cluster, as kubectl does.
package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the ways to log in that kubectl has
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Access is where a cluster is, as kubectl's flags of these names say. Empty fields have kubectl's defaults.
type Access struct{ Kubeconfig, Context, Namespace string }

// InCluster is the context of a pod without a kubeconfig.
const InCluster = "the cluster that podclock runs in"

// Target is a cluster that can be asked.
type Target struct {
	Config *rest.Config
	// Context names the cluster for people. Config.Host is its API server.
	Context, Namespace string
}

// Explain returns why the API server refused or never saw a request, and a remedy. It returns nil for other errors.
func (t Target) Explain(err error) error {
	unreached := (*url.Error)(nil)
	switch {
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server refuses the credentials of context %s: they may have expired; log in again",
			t.Context)
	case errors.As(err, &unreached) && (unreached.Timeout() || errors.Is(err, context.DeadlineExceeded)):
		return fmt.Errorf("the API server %s of context %s does not answer within %v: is it reachable from here?",
			t.Config.Host, t.Context, t.Config.Timeout)
	case errors.As(err, &unreached):
		return fmt.Errorf("the API server %s of context %s cannot be asked: %w", t.Config.Host, t.Context,
			unreached.Err)
	}
	return nil
}

// Load reads the kubeconfig. It sends nothing. The error names the remedy.
func (a Access) Load() (Target, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{
		CurrentContext: a.Context, Context: clientcmdapi.Context{Namespace: a.Namespace},
	}
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	raw, err := config.RawConfig()
	if err != nil {
		return Target{}, fmt.Errorf("read the kubeconfig: %w", err)
	}
	t := Target{Context: a.Context}
	if t.Context == "" {
		t.Context = raw.CurrentContext
	}
	if _, known := raw.Contexts[t.Context]; !known && (t.Context != "" || len(raw.Contexts) > 0) {
		return t, fmt.Errorf("the kubeconfig has no context %q: `kubectl config get-contexts` lists them, and "+
			"--context names one", t.Context)
	}
	t.Config, err = config.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return t, errors.New("there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or write it to " +
			clientcmd.RecommendedHomeFile)
	}
	if err != nil {
		return t, fmt.Errorf("read context %s of the kubeconfig: %w", t.Context, err)
	}
	if t.Namespace, _, err = config.Namespace(); err != nil {
		return t, fmt.Errorf("read the namespace of context %s: %w", t.Context, err)
	}
	if t.Context == "" {
		t.Context = InCluster
	}
	return t, nil
}
