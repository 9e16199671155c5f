package engine

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestObstacle(t *testing.T) {
	able := situation{Root: true, Apt: true, Dockerd: true}
	for title, c := range map[string]struct {
		change func(*situation)
		want   string
	}{
		"an installed dockerd is started":          {func(*situation) {}, ""},
		"kind ignores a provider it does not know": {func(s *situation) { s.Provider = "rkt" }, ""},
		"asking for docker allows the same":        {func(s *situation) { s.Provider = Docker }, ""},
		"an asked one that does not answer is not replaced": {
			func(s *situation) { s.Provider = Podman }, "KIND_EXPERIMENTAL_PROVIDER=podman",
		},
		"none is installed from apt": {func(s *situation) { s.Dockerd = false }, ""},
		"no server is started behind a DOCKER_HOST": {
			func(s *situation) { s.DockerHost = "tcp://elsewhere:2375" }, "DOCKER_HOST=tcp://elsewhere:2375",
		},
		"only root starts a server":     {func(s *situation) { s.Root = false }, "apt-get install docker.io"},
		"without apt the user installs": {func(s *situation) { s.Apt, s.Dockerd = false, false }, "no apt-get here"},
	} {
		t.Run(title, func(t *testing.T) {
			g, s := NewWithT(t), able
			c.change(&s)
			g.Expect(s.obstacle() == "").To(Equal(c.want == ""))
			g.Expect(s.obstacle()).To(ContainSubstring(c.want))
		})
	}
}
