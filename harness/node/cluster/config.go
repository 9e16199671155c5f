package cluster

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pelletier/go-toml"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

const kindAPIVersion = "kind.x-k8s.io/v1alpha4"

// noProxy has no constant in kind's public API.
const noProxy v1alpha4.ProxyMode = "none"

// loadConfig reads and checks the base kind configuration: the file at ConfigPath, or else Base. The error names the
// file, the line or field, and the remedy. Fields that podclock sets itself (the cluster's name, the nodes' images) are
// errors. Networking and ports are kind's to check, which it does before it makes a container.
func (o Options) loadConfig() (*v1alpha4.Cluster, error) {
	raw, err := o.Base, error(nil)
	if o.ConfigPath != "" {
		raw, err = os.ReadFile(o.ConfigPath)
	} else if len(raw) == 0 {
		return nil, errors.New("no kind configuration to base the cluster on: give the path of one (KIND_CONFIG)")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kind configuration: %w; give the path of a readable file", err)
	}
	cfg, err := parseConfig(raw)
	if err != nil {
		return nil, fmt.Errorf("kind configuration %s: %w", o.configName(), err)
	}
	return cfg, nil
}

func (o Options) configName() string { return cmp.Or(o.ConfigPath, "kind-config.yaml") }

func parseConfig(raw []byte) (*v1alpha4.Cluster, error) {
	cfg := &v1alpha4.Cluster{}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(cfg); err != nil {
		var fields *yaml.TypeError
		if errors.As(err, &fields) {
			return nil, fmt.Errorf("%s; remove or correct that field", strings.Join(fields.Errors, "; "))
		}
		return nil, fmt.Errorf("%w; it must be one YAML document of kind Cluster, apiVersion %s", err, kindAPIVersion)
	}
	if cfg.APIVersion != kindAPIVersion || cfg.Kind != "Cluster" {
		const format = "it is of kind %q, apiVersion %q; set kind: Cluster and apiVersion: %s"
		return nil, fmt.Errorf(format, cfg.Kind, cfg.APIVersion, kindAPIVersion)
	}
	if cfg.Name != "" {
		return nil, fmt.Errorf("name: %q would be ignored; remove it and set CLUSTER=%s", cfg.Name, cfg.Name)
	}
	return cfg, errors.Join(checkNodes(cfg.Nodes), checkPatches(cfg))
}

// checkNodes allows one control plane (kind needs a load balancer image for more) and at most one worker.
func checkNodes(nodes []v1alpha4.Node) error {
	var controlPlanes, workers int
	for i, n := range nodes {
		field := fmt.Sprintf("nodes[%d]", i)
		switch n.Role {
		case v1alpha4.ControlPlaneRole, "":
			controlPlanes++
		case v1alpha4.WorkerRole:
			workers++
			for _, m := range n.ExtraPortMappings {
				if m.HostPort > 0 {
					const format = "%s.extraPortMappings: not every worker can have host port %d; " +
						"remove it or set hostPort: 0"
					return fmt.Errorf(format, field, m.HostPort)
				}
			}
		default:
			return fmt.Errorf("%s.role: %q is unknown; use control-plane or worker", field, n.Role)
		}
		if n.Image != "" {
			return fmt.Errorf("%s.image: %q would be ignored; remove it and set NODE_IMAGE=%s", field, n.Image, n.Image)
		}
		if err := checkKubeadmPatches(field+".", n.KubeadmConfigPatches, n.KubeadmConfigPatchesJSON6902); err != nil {
			return err
		}
	}
	if controlPlanes > 1 || (controlPlanes == 0 && workers > 0) {
		return fmt.Errorf("nodes: there are %d control planes; give exactly one", controlPlanes)
	}
	if workers > 1 {
		return fmt.Errorf("nodes: there are %d workers; give at most one, which podclock copies for subjects", workers)
	}
	return nil
}

func checkPatches(cfg *v1alpha4.Cluster) error {
	for i, p := range cfg.ContainerdConfigPatches {
		if _, err := toml.Load(p); err != nil {
			return fmt.Errorf("containerdConfigPatches[%d] is not TOML: %w", i, err)
		}
	}
	return checkKubeadmPatches("", cfg.KubeadmConfigPatches, cfg.KubeadmConfigPatchesJSON6902)
}

func checkKubeadmPatches(field string, merge []string, json6902 []v1alpha4.PatchJSON6902) error {
	for i, p := range merge {
		var patch struct {
			Kind string         `yaml:"kind"`
			Rest map[string]any `yaml:",inline"`
		}
		if err := yaml.Unmarshal([]byte(p), &patch); err != nil {
			return fmt.Errorf("%skubeadmConfigPatches[%d] is not YAML: %w", field, i, err)
		}
		// kind silently skips a patch whose kind matches nothing.
		if patch.Kind == "" {
			const format = "%skubeadmConfigPatches[%d] has no kind; add one, such as kind: KubeletConfiguration"
			return fmt.Errorf(format, field, i)
		}
	}
	for i, p := range json6902 {
		var ops []map[string]any
		if err := yaml.Unmarshal([]byte(p.Patch), &ops); err != nil {
			return fmt.Errorf("%skubeadmConfigPatchesJSON6902[%d].patch is not a list of operations: %w", field, i, err)
		}
	}
	return nil
}
