package cluster

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

var bareHost = engine.Host{CgroupV1: true, ReducedCapabilities: []string{"CAP_SYS_RESOURCE"}}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name)
	if *update {
		g.Expect(os.WriteFile(path, []byte(got), 0o644)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(string(want)))
}

func TestTheTopologyIs(t *testing.T) {
	withModel := header + `
nodes:
- role: control-plane
  extraPortMappings: [{containerPort: 30000, hostPort: 30000}]
- role: worker
  labels: {rack: one}
  extraMounts: [{hostPath: /srv, containerPath: /srv}]
kubeadmConfigPatches:
- "kind: KubeletConfiguration\nmaxPods: 50\n"
containerdConfigPatches:
- "[plugins.x]\n"
`
	base, err := os.ReadFile(baseConfig)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config  string
		options Options
	}{
		"built-bare-host.yaml": {string(base), Options{
			Name: "podclock", NodeImage: "localhost/podclock/node:0123456789ab", OfflineImage: true,
			Subjects: []string{"v1.36.3", "v1.36.3-resultrun-one"}, Host: bareHost,
		}},
		"published-ordinary-host.yaml": {string(base), Options{Name: "podclock", Subjects: []string{"v1.36.3"}}},
		"worker-model.yaml": {
			withModel,
			Options{Name: "mine", Subjects: []string{"a", "b"}, Spares: map[string]int{"a": 2, "b": 2}, Host: bareHost},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			base, err := parseConfig([]byte(c.config))
			g.Expect(err).NotTo(HaveOccurred())
			before := base.DeepCopy()
			cfg, err := topology(base, c.options)
			g.Expect(err).NotTo(HaveOccurred())
			got, err := yaml.Marshal(cfg)
			g.Expect(err).NotTo(HaveOccurred())
			golden(t, name, string(got))
			g.Expect(base).To(Equal(before), "the base configuration was changed")
		})
	}
}

// kind writes arguments of the scheduler for feature gates and IPv6. They must stay.
func TestTheSchedulersArgumentsStay(t *testing.T) {
	for config, path := range map[string]string{
		"networking: {ipFamily: ipv4}": "/scheduler/extraArgs,",
		"networking: {ipFamily: dual}": "/scheduler/extraArgs,",
		"networking: {ipFamily: ipv6}": "/scheduler/extraArgs/-,",
		"featureGates: {A: true}":      "/scheduler/extraArgs/-,",
	} {
		cfg, err := parseConfig([]byte(header + config))
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(lightControlPlane(cfg).Patch).To(ContainSubstring(path), config)
	}
}

func TestAConfigThatTheBuiltImageCannotRunIsRefused(t *testing.T) {
	for config, field := range map[string]string{
		"networking: {kubeProxyMode: iptables}": "networking.kubeProxyMode",
		"networking: {ipFamily: ipv6}":          "networking.ipFamily",
	} {
		g := NewWithT(t)
		base, err := parseConfig([]byte(header + config))
		g.Expect(err).NotTo(HaveOccurred())
		_, err = topology(base, Options{Name: "a", Subjects: []string{"a"}, OfflineImage: true})
		g.Expect(err).To(MatchError(And(ContainSubstring(field), ContainSubstring("NODE_IMAGE=published"))))
		_, err = topology(base, Options{Name: "a", Subjects: []string{"a"}})
		g.Expect(err).NotTo(HaveOccurred())
	}
}

// Without kind's network, podclock sets up its own. Otherwise no node becomes Ready.
func TestOwnNetworkIsSetUpIfKindsIsDisabled(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "kind-config.yaml")
	g.Expect(os.WriteFile(path, []byte(header+"networking: {disableDefaultCNI: true}"), 0o644)).To(Succeed())
	for config, want := range map[string]bool{path: true, baseConfig: false} {
		p, err := Options{Name: "a", Subjects: []string{"a"}, ConfigPath: config}.plan()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.ownNetwork).To(Equal(want))
	}
}

func TestTheDigestDistinguishesTopologies(t *testing.T) {
	g := NewWithT(t)
	base := Options{Name: "a", ConfigPath: baseConfig, Subjects: []string{"x", "y"}}
	digest := func(change func(*Options)) string {
		o := base
		change(&o)
		p, err := o.plan()
		g.Expect(err).NotTo(HaveOccurred())
		return p.digest
	}
	same := digest(func(*Options) {})
	g.Expect(digest(func(o *Options) { o.Keep = true; o.LogDir = "/x" })).To(Equal(same))
	g.Expect(digest(func(o *Options) { o.Subjects = []string{"y", "x"} })).NotTo(Equal(same))
	g.Expect(digest(func(o *Options) { o.Subjects = []string{"x"} })).NotTo(Equal(same))
	spare := digest(func(o *Options) { o.Spares = map[string]int{"x": 1} })
	g.Expect(spare).NotTo(Equal(same))
	g.Expect(digest(func(o *Options) { o.Spares = map[string]int{"y": 1} })).
		NotTo(BeElementOf(same, spare), "the digest depends on the spare's subject")
	g.Expect(digest(func(o *Options) { o.Spares = map[string]int{"x": 0} })).To(Equal(same))
	g.Expect(digest(func(o *Options) { o.NodeImage = "b" })).NotTo(Equal(same))
	g.Expect(digest(func(o *Options) { o.OfflineImage = true })).NotTo(Equal(same))
	g.Expect(digest(func(o *Options) { o.Host = bareHost })).NotTo(Equal(same))
}

func TestTheMarkIsOnEveryNode(t *testing.T) {
	g := NewWithT(t)
	cfg := &v1alpha4.Cluster{Nodes: make([]v1alpha4.Node, 3)}
	mark(cfg, "word")
	for _, n := range cfg.Nodes {
		g.Expect(n.ExtraMounts).To(ConsistOf(HaveField("ContainerPath", "/kind/podclock/word")))
	}
	g.Expect(newMark()).NotTo(Equal(newMark()))
}

func TestBadOptionsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		says   string
	}{
		"no name": {func(o *Options) { o.Name = "" }, "CLUSTER="},
		"capital": {func(o *Options) { o.Name = "Mine" }, `"Mine"`},
		"long name": {
			func(o *Options) { o.Name = "a23456789-123456789-123456789-123456789-123456789" + "x" }, "49",
		},
		"no subject":          {func(o *Options) { o.Subjects = nil }, "no subject"},
		"subject is no label": {func(o *Options) { o.Subjects = []string{"v1+m"} }, `"v1+m"`},
		"empty subject":       {func(o *Options) { o.Subjects = []string{""} }, `""`},
		"subject twice":       {func(o *Options) { o.Subjects = []string{"a", "a"} }, "twice"},
		"negative spares":     {func(o *Options) { o.Spares = map[string]int{"v1.36.3": -1} }, "-1 spare workers"},
		"many spares": {
			func(o *Options) { o.Spares = map[string]int{"v1.36.3": 255} }, "at most 256 nodes fit",
		},
		"spares of no subject": {func(o *Options) { o.Spares = map[string]int{"v1.35.4": 1} }, "is no subject"},
		"engine":               {func(o *Options) { o.Engine = "rkt" }, `"rkt"`},
		"config":               {func(o *Options) { o.ConfigPath = "none.yaml" }, "none.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			o := Options{Name: "podclock", ConfigPath: baseConfig, Subjects: []string{"v1.36.3"}}
			g.Expect(Validate(o)).To(Succeed())
			c.change(&o)
			g.Expect(Validate(o)).To(MatchError(ContainSubstring(c.says)))
		})
	}
}

func TestWorkersAreInTheOrderOfTheirNumbers(t *testing.T) {
	g := NewWithT(t)
	c := &Cluster{
		Workers: map[string]string{"a": "pc-worker", "b": "pc-worker2"},
		Spares:  map[string][]string{"a": {"pc-worker3", "pc-worker10"}, "b": {"pc-worker4"}},
	}
	g.Expect(c.WorkerNames()).To(Equal([]string{"pc-worker", "pc-worker2", "pc-worker3", "pc-worker4", "pc-worker10"}))
	g.Expect(slices.IsSortedFunc([]string{"pc-worker10", "pc-worker9"}, nodes.ByNumber)).To(BeFalse())
}

// The user's patches win, and those of a worker before those of all nodes.
func TestPodLimit(t *testing.T) {
	const patch = "kubeadmConfigPatches:\n- |\n  kind: KubeletConfiguration\n  maxPods: "
	for base, want := range map[string]int{
		header:                         250,
		header + "\n" + patch + "40\n": 40,
		header + "\n" + patch + "40\nnodes:\n- role: control-plane\n- role: worker\n  kubeadmConfigPatches:\n" +
			"  - |\n    kind: KubeletConfiguration\n    maxPods: 30\n": 30,
	} {
		limit, err := PodLimit(Options{Name: "pc", Base: []byte(base), Subjects: []string{"a"}})
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(limit).To(Equal(want), base)
	}
}
