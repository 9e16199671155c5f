package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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
			"f00d\ndocker: Error response from daemon: Bind for 127.0.0.1:6443 failed: port is already allocated.\nRun 'docker run --help' for more information",
			[]string{"failed to do it: docker run: exit status 1", "127.0.0.1:6443", "networking.apiServerPort"}, "--privileged",
		},
		"the disk is full": {"docker: Error response from daemon: mkdir: no space left on device.", []string{"free some space"}, "--privileged"},
		"the engine went away": {
			"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
			[]string{"Is the docker daemon running", "start it"}, "--privileged",
		},
		"kubeadm": {
			"I1 progress\nerror: etcd.local.dataDir: Invalid value\ngoroutine 1\nruntime/proc.go:290",
			[]string{"error: etcd.local.dataDir"}, "runtime/proc.go",
		},
		"no line speaks of errors": {"one\n\n two \nthree\nfour\n", []string{"two | three | four"}, "one"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cause := failed(c.output, docker...)
			err := explain(fmt.Errorf("listing: %w", cause))
			g.Expect(errors.Is(err, cause)).To(BeTrue())
			g.Expect(err.Error()).To(HavePrefix("listing: "))
			for _, s := range c.says {
				g.Expect(err.Error()).To(ContainSubstring(s))
			}
			g.Expect(err.Error()).NotTo(ContainSubstring(c.hides))
		})
	}
	NewWithT(t).Expect(explain(nil)).To(Succeed())
}

func TestEverySymptomIsWrittenAsItIsCompared(t *testing.T) {
	for _, r := range remedies {
		if r.symptom != strings.ToLower(r.symptom) {
			t.Errorf("%q never matches: output is compared in lower case", r.symptom)
		}
	}
}

func TestTheJournalOfACrashLoopIsNotRepeated(t *testing.T) {
	g := NewWithT(t)
	journal := strings.Repeat(
		"Started kubelet.\npanic: unrecognized feature gate\ngoroutine 1 [running]\nFailed with result 'exit-code'.\n",
		3,
	)
	g.Expect(tellingLines(journal)).To(Equal("panic: unrecognized feature gate"))
	g.Expect(tellingLines("E1121 09:49:24.556290 1 run.go:72] \"command failed\"\nbye")).To(HavePrefix("E1121"))
}

func TestACancelledWaitSaysWhy(t *testing.T) {
	g := NewWithT(t)
	broken := errors.New("signal: killed")
	g.Expect(because(context.Background(), broken)).To(BeIdenticalTo(broken))

	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted)
	g.Expect(because(ctx, nil)).To(Succeed())
	g.Expect(because(ctx, broken)).To(MatchError(interrupted))
	g.Expect(because(ctx, broken)).To(MatchError(broken))
	g.Expect(because(ctx, interrupted)).To(BeIdenticalTo(interrupted))
}

func TestBoundedEndsWhatHangs(t *testing.T) {
	g := NewWithT(t)
	hang := func() error { select {} }
	err := bounded(context.Background(), time.Millisecond, "collecting", hang)
	g.Expect(err).To(MatchError("collecting took longer than 1ms"))

	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted)
	g.Expect(bounded(ctx, time.Hour, "collecting", hang)).To(MatchError(interrupted))

	g.Expect(bounded(context.Background(), time.Hour, "collecting", func() error { return interrupted })).
		To(MatchError(interrupted))
}

func TestMissingCrictlIsNoMissingLog(t *testing.T) {
	g := NewWithT(t)
	crictl := failed("", "docker", "exec", "--privileged", "a-worker", "crictl", "images")
	journal := failed("", "docker", "exec", "--privileged", "a-worker", "journalctl")
	all := kinderrors.NewAggregate(
		[]error{kinderrors.WithStack(kinderrors.NewAggregate([]error{crictl, journal})), crictl},
	)
	var real []error
	for _, err := range leaves(all) {
		if !isCrictl(err) {
			real = append(real, err)
		}
	}
	g.Expect(real).To(ConsistOf(journal))
	g.Expect(leaves(nil)).To(BeEmpty())
}

func TestKindsStepsAreLoggedInPlainWords(t *testing.T) {
	g := NewWithT(t)
	var got []string
	log := kindLog{line: func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }}
	log.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 📦 ")
	log.V(0).Infof(" ✓ %s\n", "Preparing nodes 📦 📦 ")
	log.V(0).Infof(" • %s  ...\n", "Ensuring node image (kindest/node:v1.36.3) 🖼")
	log.V(0).Infof(" • %s  ...\n", "Starting control-plane 🕹️")
	log.V(2).Info("• details")
	log.Warnf("%s is odd", "it")
	g.Expect(got).To(Equal([]string{
		"preparing nodes", "ensuring node image (kindest/node:v1.36.3)", "starting control-plane", "it is odd",
	}))
}

func TestADiskTooFullIsNamed(t *testing.T) {
	g := NewWithT(t)
	g.Expect(enoughSpace("/var/lib/docker", minFreeBytes)).To(Succeed())
	g.Expect(enoughSpace("/var/lib/docker", minFreeBytes-1)).To(MatchError(And(
		ContainSubstring("/var/lib/docker"), ContainSubstring("5.4 GB"), ContainSubstring("free some space"))))
}
