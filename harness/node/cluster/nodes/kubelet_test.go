package nodes

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// hostNode runs a node's commands on this host.
type hostNode struct{ kindexec.LocalCmder }

func (*hostNode) String() string              { return "pc-worker" }
func (*hostNode) Role() (string, error)       { return "worker", nil }
func (*hostNode) IP() (string, string, error) { return "127.0.0.1", "", nil }
func (*hostNode) SerialLogs(io.Writer) error  { return nil }

func TestRunPassesArgumentsAndInput(t *testing.T) {
	g := NewWithT(t)
	echo := script{text: `echo "$1-$2-$(cat)"`, args: []string{"a b", "c"}, stdin: strings.NewReader("in")}
	g.Expect(run(t.Context(), &hostNode{}, echo)).To(Equal("a b-c-in"))
}

func TestRunStopsAtTheFirstFailureAndReportsIt(t *testing.T) {
	g := NewWithT(t)
	marker := filepath.Join(t.TempDir(), "reached")
	failing := script{text: `echo "no such unit" >&2; false; touch "$1"`, args: []string{marker}}
	_, err := run(t.Context(), &hostNode{}, failing)
	g.Expect(err).To(MatchError(ContainSubstring("no such unit")))
	g.Expect(marker).NotTo(BeAnExistingFile())
}

func TestRunEndsAScriptThatHangs(t *testing.T) {
	g := NewWithT(t)
	_, err := run(t.Context(), &hostNode{}, script{text: `exec sleep 600`, limit: 50 * time.Millisecond})
	g.Expect(err).To(MatchError(ContainSubstring("node pc-worker did not answer within 50ms")))

	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted)
	_, err = run(ctx, &hostNode{}, script{text: `exec sleep 600`})
	g.Expect(err).To(MatchError(interrupted))
}

func TestScriptsAreValidShell(t *testing.T) {
	for name, text := range map[string]string{
		"network": networkScript, "state": kubeletStateScript, "upload": uploadScript, "swap": swapScript,
		"stop": stopScript, "start": startScript, "untuned": untunedScript, "tune": tuneScript,
		"restore": restoreScript, "restart": stopKubelet + startKubelet, "shutdown": shutdownScript, "place": placeScript,
		"remove": removeScript, "log": nodeLogScript, "removals": removalsScript,
		"health": healthScript, "component": uploadComponentScript, "manifest": manifestScript, "runs": runsScript,
	} {
		_, err := run(t.Context(), &hostNode{}, script{text: `sh -n /dev/stdin`, stdin: strings.NewReader(text)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArgumentsOfAKubeletGoToADropIn(t *testing.T) {
	g := NewWithT(t)
	g.Expect(kubeletDropInFor(Kubelet{})).To(BeEmpty())
	golden(t, "90-podclock.conf", kubeletDropInFor(Kubelet{Args: []string{
		"--container-runtime=remote",
		"--container-runtime-endpoint=unix:///run/containerd/containerd.sock",
		`--x=a b"c%i$HOME`,
	}}))
	g.Expect(kubeletDropInFor(Kubelet{Env: []string{"PODCLOCK_MUTATION=x", "LOAD=5%"}})).
		To(Equal("[Service]\nEnvironment=\"PODCLOCK_MUTATION=x\"\nEnvironment=\"LOAD=5%%\"\n"))
}

func TestOpenKubelet(t *testing.T) {
	g := NewWithT(t)
	hash, upload, err := openBinary("")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(hash).To(BeEmpty())
	g.Expect(upload).To(BeNil())

	path := filepath.Join(t.TempDir(), "kubelet")
	_, _, err = openBinary(path)
	g.Expect(err).To(MatchError(os.ErrNotExist))

	g.Expect(os.WriteFile(path, []byte("abc"), 0o755)).To(Succeed())
	hash, upload, err = openBinary(path)
	g.Expect(err).NotTo(HaveOccurred())
	defer upload.Close()
	// FIPS 180-2, appendix B.1
	g.Expect(hash).To(Equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
	content, err := io.ReadAll(upload)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(Equal("abc"), "the upload starts at the first byte")
}

func TestAPatchIsMerged(t *testing.T) {
	g := NewWithT(t)
	file := []byte("maxPods: 250\nlogging:\n  verbosity: 2\nsyncFrequency: 0s\n")
	merged, err := mergeYAML(file, map[string]any{"logging": map[string]any{"format": "json"}, "syncFrequency": nil})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(merged)).To(MatchYAML("maxPods: 250\nlogging: {verbosity: 2, format: json}"))
}
