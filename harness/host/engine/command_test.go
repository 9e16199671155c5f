package engine

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// The output of real clients, shortened.
const (
	dockerInfo = `{"ServerVersion":"20.10.24+dfsg1","DefaultRuntime":"podclock",
		"Runtimes":{"podclock":{"path":"/var/cache/podclock/runtimeshim"},"runc":{"path":"runc"}},"CgroupVersion":"1"}`
	dockerWithoutServer = `{"ServerVersion":"","ServerErrors":["Cannot connect to the Docker daemon at ` +
		`unix:///var/run/docker.sock."]}`
	podmanInfo = `{"host":{"cgroupVersion":"v2"},"version":{"APIVersion":"4.3.1","Version":"4.3.1"}}`
)

func TestParseInfo(t *testing.T) {
	g := NewWithT(t)
	docker, err := parseInfo(dockerInfo)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(docker.Version).To(Equal("20.10.24+dfsg1"))
	g.Expect(docker.Runtimes["podclock"].Path).To(Equal("/var/cache/podclock/runtimeshim"))

	podman, err := parseInfo(podmanInfo)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(podman.Version).To(Equal("4.3.1"))

	_, err = parseInfo(dockerWithoutServer)
	g.Expect(err).To(MatchError(ContainSubstring("Cannot connect")))
	_, err = parseInfo(`{}`)
	g.Expect(err).To(HaveOccurred())
	_, err = parseInfo(`Client: Docker`)
	g.Expect(err).To(HaveOccurred())
}

// fakeRunner answers by command line and records the commands.
type fakeRunner struct {
	answers map[string]string
	errs    map[string][]error // consumed one by one
	ran     []string
}

func (f *fakeRunner) run(_ context.Context, name string, args ...string) (string, error) {
	line := strings.Join(append([]string{name}, args...), " ")
	f.ran = append(f.ran, line)
	for prefix, errs := range f.errs {
		if strings.HasPrefix(line, prefix) && len(errs) > 0 {
			f.errs[prefix] = errs[1:]
			return "", errs[0]
		}
	}
	for prefix, answer := range f.answers {
		if strings.HasPrefix(line, prefix) {
			return answer, nil
		}
	}
	return "", exec.ErrNotFound
}

func TestEnginesAreAskedInOrderUntilOneAnswers(t *testing.T) {
	g := NewWithT(t)
	fake := &fakeRunner{
		answers: map[string]string{"docker": dockerWithoutServer, "nerdctl": podmanInfo, "podman": podmanInfo},
	}
	name, answer, reasons := firstAnswer(t.Context(), candidates(""), fake.run)
	g.Expect(name).To(Equal(Nerdctl))
	g.Expect(answer.Version).To(Equal("4.3.1"))
	g.Expect(reasons).To(HaveExactElements(HavePrefix("docker: Cannot connect")))
	g.Expect(fake.ran).To(HaveLen(2), "podman's answer is ignored")
}

func TestAnAskedEngineIsTheOnlyOne(t *testing.T) {
	g := NewWithT(t)
	fake := &fakeRunner{answers: map[string]string{"docker": dockerInfo}}
	name, _, reasons := firstAnswer(t.Context(), candidates(Podman), fake.run)
	g.Expect(name).To(BeEmpty())
	g.Expect(reasons).To(HaveExactElements("podman: not installed"))
}

func TestInstallFetchesPackageListsOnlyWhenNeeded(t *testing.T) {
	const get, update = "apt-get install --yes --no-install-recommends docker.io", "apt-get update"
	for title, c := range map[string]struct {
		errs map[string][]error
		ran  []string
		ok   bool
	}{
		"lists are there": {nil, []string{get}, true},
		"lists are not":   {map[string][]error{get: {errors.New("no candidate")}}, []string{get, update, get}, true},
		"no network": {
			map[string][]error{get: {errors.New("no candidate")}, update: {errors.New("no route")}},
			[]string{get, update}, false,
		},
		"not in the distribution": {
			map[string][]error{
				get: {errors.New("no candidate"), errors.New("no candidate")},
			}, []string{get, update, get}, false,
		},
	} {
		t.Run(title, func(t *testing.T) {
			g := NewWithT(t)
			fake := &fakeRunner{answers: map[string]string{"apt-get": ""}, errs: c.errs}
			err := install(t.Context(), fake.run)
			g.Expect(fake.ran).To(Equal(c.ran))
			if c.ok {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(ContainSubstring(remedy)))
			}
		})
	}
}
