package cluster

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// baseConfig is the configuration that users edit.
const baseConfig = "../../../kind-config.yaml"

const header = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"

func TestTheBaseConfigLoads(t *testing.T) {
	g := NewWithT(t)
	cfg, err := Options{ConfigPath: baseConfig}.loadConfig()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cfg.Nodes).To(HaveLen(1))
	g.Expect(cfg.KubeadmConfigPatches).NotTo(BeEmpty())
}

func TestABadConfigIsRefusedWithItsPlaceAndTheRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		says   []string
	}{
		"not YAML": {header + "nodes: [", []string{"line 3"}},
		"empty":    {"", []string{"one YAML document", kindAPIVersion}},
		"other kind": {
			"kind: Pod\napiVersion: kind.x-k8s.io/v1alpha4\n", []string{`kind "Pod"`, "set kind: Cluster"},
		},
		"other version": {"kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha3\n", []string{"v1alpha3", "v1alpha4"}},
		"unknown field": {
			header + "networking:\n  podSubnets: x\n", []string{"line 4", "podSubnets", "remove or correct"},
		},
		"wrong type": {header + "networking:\n  apiServerPort: many\n", []string{"line 4", "many"}},
		"a name":     {header + "name: mine\n", []string{"name", "CLUSTER=mine"}},
		"an image": {
			header + "nodes: [{role: control-plane, image: a}]\n", []string{"nodes[0].image", "NODE_IMAGE=a"},
		},
		"unknown role": {header + "nodes: [{role: master}]\n", []string{"nodes[0].role", "master"}},
		"two masters": {
			header + "nodes: [{role: control-plane}, {role: control-plane}]\n",
			[]string{"2 control planes", "exactly one"},
		},
		"no master": {header + "nodes: [{role: worker}]\n", []string{"0 control planes"}},
		"two workers": {
			header + "nodes: [{role: control-plane}, {role: worker}, {role: worker}]\n",
			[]string{"2 workers", "at most one"},
		},
		"worker host port": {
			header + "nodes: [{role: control-plane}, {role: worker, extraPortMappings: [{containerPort: 1, " +
				"hostPort: 80}]}]\n",
			[]string{"nodes[1].extraPortMappings", "80"},
		},
		"kubeadm patch": {
			header + "kubeadmConfigPatches: [\"a: [\"]\n", []string{"kubeadmConfigPatches[0]", "not YAML"},
		},
		"patch of nothing": {
			header + "kubeadmConfigPatches: [\"maxPods: 3\"]\n", []string{"kubeadmConfigPatches[0]", "no kind"},
		},
		"node patch": {
			header + "nodes: [{role: control-plane, kubeadmConfigPatches: [\"a: [\"]}]\n",
			[]string{"nodes[0].kubeadmConfigPatches[0]"},
		},
		"JSON patch": {
			header + "kubeadmConfigPatchesJSON6902: [{group: g, version: v, kind: k, patch: \"a\"}]\n",
			[]string{"kubeadmConfigPatchesJSON6902[0]"},
		},
		"containerd patch": {
			header + "containerdConfigPatches: [\"[a\"]\n", []string{"containerdConfigPatches[0]", "not TOML"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), "kind-config.yaml")
			g.Expect(os.WriteFile(path, []byte(c.config), 0o644)).To(Succeed())
			_, err := Options{ConfigPath: path}.loadConfig()
			g.Expect(err).To(HaveOccurred())
			g.Expect(err.Error()).To(ContainSubstring(path))
			for _, s := range c.says {
				g.Expect(err.Error()).To(ContainSubstring(s))
			}
		})
	}
}

func TestAConfigMayUseWhatKindOffers(t *testing.T) {
	g := NewWithT(t)
	_, err := parseConfig([]byte(header + `
nodes:
- role: control-plane
  extraPortMappings:
  - {containerPort: 80, hostPort: 8080, listenAddress: 127.0.0.1}
  - {containerPort: 80, hostPort: 8080, listenAddress: 127.0.0.2}
  - {containerPort: 80, hostPort: 8080, protocol: UDP}
  - {containerPort: 81}
  - {containerPort: 82}
- {role: worker, extraMounts: [{hostPath: /a, containerPath: /b}], labels: {a: b}}
networking: {ipFamily: dual, podSubnet: "10.1.0.0/16,fd00::/56", apiServerPort: -1, kubeProxyMode: nftables}
featureGates: {A: true}
`))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestAMissingConfigIsRefused(t *testing.T) {
	g := NewWithT(t)
	_, err := Options{ConfigPath: filepath.Join(t.TempDir(), "none.yaml")}.loadConfig()
	g.Expect(err).To(MatchError(os.ErrNotExist))
	g.Expect(err.Error()).To(ContainSubstring("none.yaml"))
}
