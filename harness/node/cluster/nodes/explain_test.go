package nodes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// failed is an error as kind returns it.
func failed(output string, command ...string) error {
	return kinderrors.Wrap(kinderrors.WithStack(&kindexec.RunError{
		Command: command, Output: []byte(output), Inner: errors.New("exit status 1"),
	}), "failed to do it")
}

func TestExplain(t *testing.T) {
	docker := []string{"docker", "run", "--name", "a-control-plane", "--privileged"}
	for name, c := range map[string]struct {
		output string
		says   []string
		hides  string
	}{
		"a port is taken": {
			"f00d\ndocker: Error response from daemon: Bind for 127.0.0.1:6443 failed: port is already allocated.\n" +
				"Run 'docker run --help' for more information",
			[]string{
				"failed to do it: docker run: exit status 1", "127.0.0.1:6443", "networking.apiServerPort",
			}, "--privileged",
		},
		"the disk is full": {
			"docker: Error response from daemon: mkdir: no space left on device.", []string{"free some space"},
			"--privileged",
		},
		"the engine ended": {
			"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
			[]string{"Is the docker daemon running", "start it"}, "--privileged",
		},
		"kubeadm": {
			"I1 progress\nerror: etcd.local.dataDir: Invalid value\ngoroutine 1\nruntime/proc.go:290",
			[]string{"error: etcd.local.dataDir"}, "runtime/proc.go",
		},
		"no line has an error": {"one\n\n two \nthree\nfour\n", []string{"two | three | four"}, "one"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cause := failed(c.output, docker...)
			err := Explain(fmt.Errorf("listing: %w", cause))
			g.Expect(errors.Is(err, cause)).To(BeTrue())
			g.Expect(err.Error()).To(HavePrefix("listing: "))
			for _, s := range c.says {
				g.Expect(err.Error()).To(ContainSubstring(s))
			}
			g.Expect(err.Error()).NotTo(ContainSubstring(c.hides))
		})
	}
	NewWithT(t).Expect(Explain(nil)).To(Succeed())
}

func TestSymptomsAreInLowerCase(t *testing.T) {
	for _, r := range remedies {
		if r.symptom != strings.ToLower(r.symptom) {
			t.Errorf("%q never matches: output is compared in lower case", r.symptom)
		}
	}
}

func TestErrorLinesAreNotRepeated(t *testing.T) {
	g := NewWithT(t)
	journal := strings.Repeat(
		"Started kubelet.\npanic: unrecognized feature gate\ngoroutine 1 [running]\nFailed with result 'exit-code'.\n",
		3,
	)
	g.Expect(errorLines(journal)).To(Equal("panic: unrecognized feature gate"))
	g.Expect(errorLines("E1121 09:49:24.556290 1 run.go:72] \"command failed\"\nbye")).To(HavePrefix("E1121"))
}

func TestBecause(t *testing.T) {
	g := NewWithT(t)
	broken := errors.New("signal: killed")
	g.Expect(Because(context.Background(), broken)).To(BeIdenticalTo(broken))

	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted)
	g.Expect(Because(ctx, nil)).To(Succeed())
	g.Expect(Because(ctx, broken)).To(MatchError(interrupted))
	g.Expect(Because(ctx, broken)).To(MatchError(broken))
	g.Expect(Because(ctx, interrupted)).To(BeIdenticalTo(interrupted))
}
