package cri_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

const second = time.Second

// exits are the marks of a main process that exits on its stop signal.
const exits = "connected started sigterm exiting gone"

func TestStop(t *testing.T) {
	image := func(reference string) func(*criapi.ContainerConfig) {
		return func(c *criapi.ContainerConfig) { c.Image.Image = reference }
	}
	own := func(c *criapi.ContainerConfig) { c.StopSignal = cri.SignalOf("SIGINT") }
	for _, c := range []struct {
		name    string
		run     victim.Run
		change  func(*criapi.ContainerConfig)
		timeout int64
		marks   string
		signal  string
		took    time.Duration
		code    int32
		reason  string
	}{
		{name: "exits on SIGTERM", timeout: 30, signal: "SIGTERM", marks: exits, reason: "Completed"},
		{name: "exits with a code of its own", run: victim.Run{ExitCode: 3}, timeout: 30, signal: "SIGTERM",
			marks: exits, code: 3, reason: "Error"},
		{
			name: "exits late", run: victim.Run{Term: victim.ExitAfter, TermDelay: 4 * second}, timeout: 30,
			signal: "SIGTERM", marks: exits, took: 4 * second, reason: "Completed",
		},
		{
			name: "ignores it", run: victim.Run{Term: victim.Ignore}, timeout: 2,
			signal: "SIGTERM", marks: "connected started sigterm gone", took: 2 * second, code: 137, reason: "Error",
		},
		{name: "is killed at once", marks: "connected started gone", code: 137, reason: "Error"},
		{name: "image's signal", change: image(stopSignal), timeout: 30, signal: "SIGUSR1", marks: exits,
			reason: "Completed"},
		{
			name:   "pod's signal before the image's",
			change: func(c *criapi.ContainerConfig) { image(stopSignal)(c); own(c) }, timeout: 30,
			signal: "SIGINT", marks: exits, reason: "Completed",
		},
		{
			name:   "a signal without handler",
			change: func(c *criapi.ContainerConfig) { c.StopSignal = cri.SignalOf("SIGUSR2") }, timeout: 2,
			marks: "connected started gone", took: 2 * second, code: 137, reason: "Error",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				if c.change == nil {
					c.change = func(*criapi.ContainerConfig) {}
				}
				id := r.victim(c.run, c.change)
				r.Expect(r.status(id).State).To(Equal(criapi.ContainerState_CONTAINER_RUNNING))
				asked := time.Now()
				r.Expect(r.StopContainer(context.Background(), id, c.timeout)).To(Succeed())
				r.Expect(time.Since(asked)).To(about(c.took))
				r.Expect(r.kinds(mark.Run)).To(Equal(c.marks))
				if c.signal != "" {
					r.Expect(r.first(mark.SIGTERM).Detail.Signal).To(Equal(c.signal))
				}
				ended := r.status(id)
				r.Expect(ended.State).To(Equal(criapi.ContainerState_CONTAINER_EXITED))
				r.Expect(ended.ExitCode).To(Equal(c.code))
				r.Expect(ended.Reason).To(Equal(c.reason))
				r.Expect(ended.FinishedAt).To(Equal(r.first(mark.Gone).At))
				r.Expect(ended.StartedAt).To(BeNumerically("<", r.first(mark.Started).At))
				r.Expect(r.StopContainer(context.Background(), id, 5)).To(Succeed(), "again")
			})
		})
	}
}

func TestSecondStopOnlyWaits(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{Term: victim.Ignore})
		asked := time.Now()
		first := make(chan error, 1)
		go func() { first <- r.StopContainer(context.Background(), id, 30) }()
		time.Sleep(5 * second)
		r.Expect(r.StopContainer(context.Background(), id, 2)).To(Succeed())
		r.Expect(time.Since(asked)).To(about(7 * second))
		r.Expect(<-first).To(Succeed())
		r.Expect(time.Since(asked)).To(about(7 * second))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started sigterm gone"))
	})
}

func TestCancelledStopSendsTheSignalAndNoMore(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{Term: victim.Ignore})
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Microsecond)
		defer cancel()
		r.Expect(status.Code(r.StopContainer(ctx, id, 2))).To(Equal(codes.DeadlineExceeded))
		time.Sleep(10 * second)
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started sigterm"))
		asked := time.Now()
		r.Expect(r.StopContainer(context.Background(), id, 3)).To(Succeed())
		r.Expect(time.Since(asked)).To(about(3 * second))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started sigterm gone"))
	})
}

func TestSeveredStop(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{Term: victim.Ignore})
		time.AfterFunc(second, r.Sever)
		asked := time.Now()
		r.Expect(status.Code(r.StopContainer(context.Background(), id, 5))).To(Equal(codes.Canceled))
		r.Expect(time.Since(asked)).To(Equal(second))
		r.Expect(status.Code(r.StopContainer(context.Background(), id, 5))).
			To(Equal(codes.Unavailable), "a dead kubelet's")

		next := r.runtime.Connect()
		asked = time.Now()
		r.Expect(next.StopContainer(context.Background(), id, 5)).To(Succeed())
		r.Expect(time.Since(asked)).To(about(5*second), "the whole timeout again")
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started sigterm gone"))
	})
}

// A call that exceeds cri-client's timeout is cancelled.
func TestRequestTimeout(t *testing.T) {
	const short = 20 * time.Millisecond
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		hasty := r.runtime.Connect(cri.RequestTimeout(short))
		for name, c := range map[string]struct {
			call func() error
			took time.Duration
		}{
			"RunPodSandbox": {func() error {
				_, err := hasty.RunPodSandbox(context.Background(),
					&criapi.PodSandboxConfig{Metadata: &criapi.PodSandboxMetadata{}}, "")
				return err
			}, 2 * short},
			"CreateContainer": {func() error {
				_, err := hasty.CreateContainer(context.Background(), sandbox, r.spec(victim.Run{}), nil)
				return err
			}, short},
		} {
			asked := time.Now()
			r.Expect(status.Code(c.call())).To(Equal(codes.DeadlineExceeded), name)
			r.Expect(time.Since(asked)).To(Equal(c.took), name)
		}
		id := r.start(sandbox, r.spec(victim.Run{Term: victim.Ignore}))
		asked := time.Now()
		r.Expect(hasty.StopContainer(context.Background(), id, 3)).To(Succeed(), "its own timeout is added")
		r.Expect(time.Since(asked)).To(about(3 * second))

		id = r.start(sandbox, r.spec(victim.Run{Readiness: "H"}))
		probe := append([]string{victim.Program}, victim.ExecProbe{For: victim.Readiness}.Args()...)
		asked = time.Now()
		_, _, err := hasty.ExecSync(context.Background(), id, probe, 2*second)
		r.Expect(err).To(MatchError(ContainSubstring("timed out after 2s")))
		r.Expect(time.Since(asked)).
			To(Equal(2*second+short), "the program's start is no part of its timeout, but of the call's")
		time.AfterFunc(5*time.Minute, r.Sever)
		asked = time.Now()
		_, _, err = r.ExecSync(context.Background(), id, probe, 0)
		r.Expect(status.Code(err)).To(Equal(codes.Canceled))
		r.Expect(time.Since(asked)).To(Equal(5*time.Minute), "without a timeout it runs until the kubelet dies")
	})
}

func TestSignalBeforeStartedIsMarkedAfterIt(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		id, err := r.CreateContainer(context.Background(), sandbox, r.spec(victim.Run{}), nil)
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(r.StartContainer(context.Background(), id)).To(Succeed())
		r.Expect(r.StopContainer(context.Background(), id, 5)).To(Succeed())
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started sigterm exiting gone"))
		r.Expect(r.first(mark.SIGTERM).Sent).To(BeNumerically("<", r.first(mark.Started).At))
	})
}
