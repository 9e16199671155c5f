package cri_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criclient "k8s.io/cri-client/pkg"
	"k8s.io/utils/exec"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func fault(args []string) []string { return append([]string{victim.Program}, args...) }

// code returns the exit code in an error of ExecSync.
func (r *rig) code(err error) int {
	if err == nil {
		return 0
	}
	var exit exec.CodeExitError
	r.Expect(errors.As(err, &exit)).To(BeTrue(), "%v", err)
	return exit.Code
}

func TestExecProbesFollowTheScript(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{Liveness: "SFL", Slow: 2 * second, Readiness: "F"})
		probe := fault(victim.ExecProbe{For: victim.Liveness}.Args())
		ask := func() (string, int) {
			stdout, _, err := r.ExecSync(context.Background(), id, probe, 5*second)
			return string(stdout), r.code(err)
		}
		for _, expected := range []struct {
			stdout string
			code   int
			took   time.Duration
		}{
			{took: 40 * time.Millisecond}, {stdout: "liveness: the script says fail\n", code: 1,
				took: 40 * time.Millisecond}, {took: 2*second + 40*time.Millisecond},
		} {
			asked := time.Now()
			stdout, code := ask()
			r.Expect(code).To(Equal(expected.code))
			r.Expect(stdout).To(Equal(expected.stdout))
			r.Expect(time.Since(asked)).To(about(expected.took))
		}
		_, _, err := r.ExecSync(context.Background(), id, fault(victim.ExecProbe{For: victim.Readiness}.Args()), second)
		r.Expect(r.code(err)).To(Equal(1))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started probed:S probed:F probed:L probed:F"))
		r.Expect(r.kinds(mark.Probe)).To(Equal("connected gone connected gone connected gone connected gone"))
	})
}

func TestExecTimeoutKillsTheProcess(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{Liveness: "H"})
		asked := time.Now()
		_, _, err := r.ExecSync(context.Background(), id, fault(victim.ExecProbe{For: victim.Liveness}.Args()),
			3*second)
		r.Expect(err).To(MatchError(criclient.ErrCommandTimedOut))
		r.Expect(time.Since(asked)).To(about(3*second + 40*time.Millisecond))
		r.Expect(r.kinds(mark.Probe)).To(Equal("connected gone"))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started probed:H"))
	})
}

func TestExecWithoutTimeoutEndsWithTheContainer(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{})
		time.AfterFunc(time.Hour, func() { _ = r.StopContainer(context.Background(), id, 5) })
		_, _, err := r.ExecSync(context.Background(), id, fault(victim.Hook{Hang: true}.Args()), 0)
		r.Expect(r.code(err)).To(Equal(137))
		r.Expect(r.kinds(mark.Hook)).To(Equal("connected hook-began gone"))
		r.Expect(r.first(mark.Gone).Role).To(Equal(mark.Run), "the main process goes first")
		r.Expect(r.first(mark.Exiting).Seq).To(BeNumerically(">", r.first(mark.HookBegan).Seq))
	})
}

func TestCancelledExecKillsTheProcess(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{})
		time.AfterFunc(3*second, r.Sever)
		asked := time.Now()
		_, _, err := r.ExecSync(context.Background(), id, fault(victim.Hook{Sleep: 30 * second}.Args()), 0)
		r.Expect(err).To(MatchError(status.Error(codes.Canceled, "context canceled")))
		r.Expect(time.Since(asked)).To(Equal(3 * second))
		time.Sleep(10 * time.Millisecond)
		r.Expect(r.kinds(mark.Hook)).To(Equal("connected hook-began gone"))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started"))
	})
}

func TestHooks(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		id, err := r.CreateContainer(context.Background(), sandbox, r.spec(victim.Run{}), nil)
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(r.StartContainer(context.Background(), id)).To(Succeed())
		_, _, err = r.ExecSync(context.Background(), id,
			fault(victim.Hook{PostStart: true, Sleep: second, ExitCode: 7}.Args()), 0)
		r.Expect(r.code(err)).To(Equal(7))
		_, _, err = r.ExecSync(context.Background(), id, fault(victim.Hook{Sleep: 3 * second}.Args()), 0)
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(r.kinds(mark.Hook)).
			To(Equal("connected post-start-began post-start-ended gone connected hook-began hook-ended gone"))
		began := r.first(mark.HookBegan)
		r.Expect(r.first(mark.HookEnded).At - began.At).To(BeEquivalentTo(3 * second))
		r.Expect(began.Life).To(Equal(1))
		r.Expect(began.Identity).
			To(Equal(mark.Identity{Pod: "default/pod-1", UID: "uid-1", Container: "victim", Role: mark.Hook}))
	})
}

func TestExecThatCannotBe(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{})
		exec := func(id string, command ...string) error {
			_, _, err := r.ExecSync(context.Background(), id, command, second)
			return err
		}
		missing := exec(id, "/no-such-hook")
		r.Expect(missing).To(MatchError(ContainSubstring("stat /no-such-hook: no such file or directory")))
		r.Expect(status.Code(missing)).To(Equal(codes.Unknown))
		r.Expect(r.code(exec(id, victim.Program, "probe", "--for=nothing"))).To(Equal(victim.ExitUsage))
		r.Expect(r.stderr.String()).To(ContainSubstring("default/pod-1, container victim"))
		r.Expect(status.Code(exec("no such container", victim.Program))).To(Equal(codes.NotFound))
		r.Expect(r.StopContainer(context.Background(), id, 0)).To(Succeed())
		r.Expect(exec(id, victim.Program)).To(MatchError(ContainSubstring("container is in CONTAINER_EXITED state")))
	})
}
