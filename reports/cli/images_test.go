package cli

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
)

func TestImagesArePushedAndListed(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the images of all platforms")
	}
	g := NewWithT(t)
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	place := strings.TrimPrefix(server.URL, "http://") + "/podclock"
	pushed := call(t.Context(), "images", "push", place)
	g.Expect(pushed.code).To(Equal(runs.ExitConforms), pushed.log)
	g.Expect(strings.Fields(pushed.out)).To(HaveExactElements(
		HavePrefix(place+"/fault:"), HavePrefix(place+"/fault-other:"), HavePrefix(place+"/fault-stop-signal:"),
		HavePrefix(place+"/recorder:")))
	g.Expect(call(t.Context(), "images", "list", place).out).To(Equal(pushed.out))
}

func TestImagesThatAreRefused(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	for says, args := range map[string][]string{
		`"podclock": it must be a registry and a path`:        {"images", "push", "podclock"},
		`platform "linux/mips": there are images for`:         {"images", "save", "x.tar", "--platform=linux/mips"},
		"--images is about an external cluster":               {"run", "--images=registry.example/podclock"},
		"--images=podclock: it must be a registry and a path": {"run", "--on=external", "--images=podclock"},
		"--sample=-1: it must be a number of nodes":           {"run", "--on=external", "--sample=-1"},
		"docker has no user and password for registry r.e": {
			"run", "--on=external", "--images=r.e/p", "--pull-secret",
		},
	} {
		got := call(t.Context(), args...)
		g := NewWithT(t)
		g.Expect(got.code).To(Equal(runs.ExitUnjudged))
		g.Expect(got.log).To(ContainSubstring(says))
	}
}
