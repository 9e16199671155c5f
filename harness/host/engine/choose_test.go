package engine

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestChoose(t *testing.T) {
	able := situation{Root: true, Apt: true, Dockerd: true}
	for title, c := range map[string]struct {
		situation func(s situation) situation
		want      choice
		wantErr   string
	}{
		"kind's order among those that answer": {
			func(s situation) situation {
				s.Reachable = map[string]bool{Podman: true, Nerdctl: true}
				return s
			}, choice{use, Nerdctl}, "",
		},
		"a client without a server loses to an engine that answers": {
			func(s situation) situation {
				s.Reachable = map[string]bool{Podman: true}
				s.Reasons = map[string]string{Docker: "is the docker daemon running?"}
				return s
			}, choice{use, Podman}, "",
		},
		"the asked one, not the first": {
			func(s situation) situation {
				s.Provider, s.Reachable = Podman, map[string]bool{Docker: true, Podman: true}
				return s
			}, choice{use, Podman}, "",
		},
		"kind ignores a provider it does not know": {
			func(s situation) situation {
				s.Provider, s.Reachable = "rkt", map[string]bool{Docker: true}
				return s
			}, choice{use, Docker}, "",
		},
		"an asked one that does not answer is not replaced": {
			func(s situation) situation {
				s.Provider, s.Reachable = Podman, map[string]bool{Docker: true}
				return s
			}, choice{}, "KIND_EXPERIMENTAL_PROVIDER=podman",
		},
		"an installed dockerd is started": {func(s situation) situation { return s }, choice{start, Docker}, ""},
		"asking for docker allows the same": {
			func(s situation) situation { s.Provider = Docker; return s }, choice{start, Docker}, "",
		},
		"none is installed from apt": {
			func(s situation) situation { s.Dockerd = false; return s }, choice{installThenStart, Docker}, "",
		},
		"no server is started behind a DOCKER_HOST": {
			func(s situation) situation { s.DockerHost = "tcp://elsewhere:2375"; return s },
			choice{}, "DOCKER_HOST=tcp://elsewhere:2375",
		},
		"only root starts a server": {
			func(s situation) situation { s.Root = false; return s }, choice{}, "apt-get install docker.io",
		},
		"without apt the user installs": {
			func(s situation) situation { s.Apt, s.Dockerd = false, false; return s },
			choice{}, "there is no apt-get here",
		},
	} {
		t.Run(title, func(t *testing.T) {
			g := NewWithT(t)
			got, err := choose(c.situation(able))
			if c.wantErr != "" {
				g.Expect(err).To(MatchError(ErrNoEngine))
				g.Expect(err).To(MatchError(ContainSubstring(c.wantErr)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(c.want))
		})
	}
}

func TestNoEngineExplainsEachFailure(t *testing.T) {
	_, err := choose(
		situation{
			Reasons: map[string]string{Docker: "no answer in 10s", Nerdctl: "not installed", Podman: "not installed"},
		},
	)
	NewWithT(
		t,
	).Expect(err).
		To(MatchError(ContainSubstring("docker: no answer in 10s; nerdctl: not installed; podman: not installed")))
}
