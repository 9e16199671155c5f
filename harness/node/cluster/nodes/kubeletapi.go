package nodes

import (
	"context"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/node/internal/ask"
)

// KubeletConfig is [ask.Config].
func (s *Set) KubeletConfig(ctx context.Context, nodeName string) (json.RawMessage, error) {
	return ask.Config(ctx, s.API.CoreV1().RESTClient(), nodeName)
}

// FeatureGates is [ask.FeatureGates].
func (s *Set) FeatureGates(ctx context.Context, nodeName string) (map[string]bool, error) {
	return ask.FeatureGates(ctx, s.API.CoreV1().RESTClient(), nodeName)
}

// NodeFS is [ask.NodeFS].
func (s *Set) NodeFS(ctx context.Context, nodeName string) (ask.FSStats, error) {
	return ask.NodeFS(ctx, s.API.CoreV1().RESTClient(), nodeName)
}

// Counted is [ask.Counted].
func (s *Set) Counted(ctx context.Context, nodeName, path, counter, label string) (map[string]float64, error) {
	return ask.Counted(ctx, s.API.CoreV1().RESTClient(), nodeName, path, counter, label)
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
