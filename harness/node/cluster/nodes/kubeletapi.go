package nodes

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/node/internal/ask"
)

// asked reads from a kubelet's server through the API server.
func asked[T any](
	ctx context.Context, s *Set, node string, read func(context.Context, rest.Interface, string) (T, error),
) (result T, err error) {
	return read(ctx, s.API.CoreV1().RESTClient(), node)
}

// KubeletConfig returns the effective configuration of a node's kubelet.
func (s *Set) KubeletConfig(ctx context.Context, nodeName string) (*ask.KubeletConfig, error) {
	return asked(ctx, s, nodeName, ask.Config)
}

// FeatureGates is [ask.FeatureGates].
func (s *Set) FeatureGates(ctx context.Context, nodeName string) (map[string]bool, error) {
	return asked(ctx, s, nodeName, ask.FeatureGates)
}

// NodeStats is [ask.Stats].
func (s *Set) NodeStats(ctx context.Context, nodeName string) (*ask.NodeStats, error) {
	return asked(ctx, s, nodeName, ask.Stats)
}

const kubeletConfigPath = "/var/lib/kubelet/config.yaml"

// GivenConfig returns the configuration file of a node's kubelet as JSON: what is set there, without defaults.
func (s *Set) GivenConfig(ctx context.Context, nodeName string) (json.RawMessage, error) {
	file, err := s.run(ctx, nodeName, "reading its kubelet's configuration file",
		script{text: "cat " + kubeletConfigPath})
	if err != nil {
		return nil, err
	}
	given, err := yaml.YAMLToJSON([]byte(file))
	if err != nil {
		return nil, fmt.Errorf("read %s of node %s: %w", kubeletConfigPath, nodeName, err)
	}
	return given, nil
}
