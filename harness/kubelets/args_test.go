package kubelets

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestArgs(t *testing.T) {
	const (
		remote   = "--container-runtime=remote"
		endpoint = "--container-runtime-endpoint=unix:///run/containerd/containerd.sock"
	)
	for version, wanted := range map[string][]string{
		"v1.23.1":                      {remote, endpoint},
		"v1.23.17":                     {remote, endpoint},
		"v1.24.0":                      {endpoint},
		"v1.26.15":                     {endpoint},
		"v1.26.15-3+0123456789abcd":    {endpoint},
		"v1.27.0-alpha.1.2+0123-dirty": nil,
		"v1.27.0":                      nil,
		"v1.34.4":                      nil,
		"v1.37.2":                      nil,
		"v1.37.2-dirty":                nil,
	} {
		t.Run(version, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(Subject{Version: version}.Args()).To(Equal(wanted))
			g.Expect(Subject{Version: version, Path: "./kubelet"}.Args()).To(Equal(wanted))
		})
	}
	g := NewWithT(t)
	g.Expect(Subject{Version: "v1.23.1", Mutation: "resultrun-one"}.Args()).To(Equal([]string{remote, endpoint}))
}
