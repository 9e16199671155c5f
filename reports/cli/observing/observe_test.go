package observing

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// Each mistake is one line with the remedy.
func TestMistakes(t *testing.T) {
	for args, says := range map[string]string{
		"web":                          `"web" is no TYPE/NAME, such as deployment/web: TYPE is pod, `,
		"--until=rollout":              "--until=rollout: name the workload, such as deployment/web",
		"--until=rollout pod/a":        "--until=rollout: pod/a has no rollout: name a deployment, a statefulset or a daemonset",
		"-A -n shop":                   "--all-namespaces=true: names and -n are of one namespace",
		"-A deployment/web":            "--all-namespaces=true: names and -n are of one namespace",
		"--listen=9090":                "--listen=9090: listen tcp: address 9090: missing port in address",
		"--kubeconfig=/none":           "read the kubeconfig: ",
		"--print-daemonset --images=x": "--images=x: it must be a registry and a path",
	} {
		g := NewWithT(t)
		var out bytes.Buffer
		c := Command()
		c.SetArgs(strings.Fields(args))
		c.SetOut(&out)
		c.SilenceErrors, c.SilenceUsage = true, true
		g.Expect(c.ExecuteContext(t.Context())).To(MatchError(ContainSubstring(says)), args)
		g.Expect(out.String()).To(BeEmpty())
	}
	g := NewWithT(t)
	var out bytes.Buffer
	c := Command()
	c.SetArgs([]string{"--schema"})
	c.SetOut(&out)
	g.Expect(c.ExecuteContext(t.Context())).To(Succeed())
	g.Expect(out.String()).To(ContainSubstring("PodObservation"))
}
