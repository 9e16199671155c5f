package cli

import (
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/session"
)

// given returns the flags that the real command reads from what a shell makes of a command line.
func given(t *testing.T, command string) map[string]string {
	t.Helper()
	g := NewWithT(t)
	words, err := exec.Command("sh", "-c", `podclock() { printf '%s\0' "$@"; }; `+command).Output()
	g.Expect(err).NotTo(HaveOccurred(), command)
	args := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	g.Expect(args[0]).To(Equal("run"))
	c := tested.run()
	g.Expect(c.ParseFlags(args[1:])).To(Succeed(), command)
	all := map[string]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		all[f.Name] = f.Value.String()
		if list, is := f.Value.(pflag.SliceValue); is {
			all[f.Name] = strings.Join(list.GetSlice(), ",")
		}
	})
	return all
}

// printed returns the command of a run with these flags. on is what podclock found in the cluster.
func printed(t *testing.T, on *external.Cluster, args ...string) string {
	t.Helper()
	g := NewWithT(t)
	var config session.Config
	var o externalOptions
	c := &cobra.Command{}
	tested.sessionFlags(c, &config)
	tested.selectionFlags(c, &config)
	o.flags(c, &config)
	g.Expect(c.ParseFlags(args)).To(Succeed())
	if o.pullSecret {
		config.PullSecret = []byte(`{"auths":{"registry.example":{"auth":"secret"}}}`)
	}
	config.External = on
	resolved, err := config.Resolve()
	g.Expect(err).NotTo(HaveOccurred())
	return runs.Environment{Settings: resolved.Settings()}.Command(nil)
}

func TestTheCommandOfARunHasItsOptions(t *testing.T) {
	nodes := func(n int) (all []external.Node) {
		for i := range n {
			all = append(all, external.Node{Name: "node-" + string(rune('a'+i))})
		}
		return all
	}
	for name, c := range map[string]struct {
		args []string
		on   *external.Cluster
		want map[string]string
	}{
		"a cluster of others": {
			[]string{
				"--on=external", "--kubeconfig=my config", "--context=prod", "--sample=2", "--node-selector=pool=web",
				"--allow=taints,fills", "--images=registry.example/podclock", "--pull-secret", "--profile=full",
				"--focus=it's/(a|b)$", "--skip=x y", "--label-filter=probes && !http",
			},
			&external.Cluster{
				Kubeconfig: "my config", Context: "prod", Nodes: nodes(2), Allow: []external.Harm{"taints", "fills"},
			},
			map[string]string{
				"on": "external", "kubeconfig": "my config", "context": "prod", "nodes": "node-a,node-b",
				"allow": "taints,fills", "images": "registry.example/podclock", "pull-secret": "true",
				"profile": "full", "focus": "it's/(a|b)$", "skip": "x y", "label-filter": "probes && !http",
			},
		},
		"a wave of a fleet, from inside": {
			[]string{"--on=external", "--sample=20", "--at-once=12"},
			&external.Cluster{Context: kubeconfig.InCluster, Nodes: nodes(12)},
			map[string]string{
				"on": "external", "profile": "quick", "at-once": "12",
				"nodes": "node-a,node-b,node-c,node-d,node-e,node-f,node-g,node-h,node-i,node-j,node-k,node-l",
			},
		},
		"a cluster of podclock's own": {
			[]string{
				"--subjects=v1.37.2, v1.37.2+resultrun-one", "--profile=full", "--keep", "--cluster=mine",
				"--node-image=build", "--focus=grace-[12]$", "--skip=hook", "--label-filter=probes",
			}, nil,
			map[string]string{
				"subjects": "v1.37.2, v1.37.2+resultrun-one", "profile": "full", "keep": "true", "cluster": "mine",
				"node-image": "build", "focus": "grace-[12]$", "skip": "hook",
				"label-filter": "probes",
			},
		},
		"the virtual lane": {
			[]string{"--lane=virtual", "--subjects=v1.37.2", "--focus=termination/"}, nil,
			map[string]string{"subjects": "virtual:v1.37.2", "profile": "full", "focus": "termination/"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			command := printed(t, c.on, c.args...)
			g.Expect(command).NotTo(ContainSubstring("secret\""))
			g.Expect(given(t, command)).To(Equal(c.want), command)
		})
	}
}
