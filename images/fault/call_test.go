//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// calling starts a client of an address, as a process of another container.
func (r *rig) calling(address string) *process {
	r.t.Helper()
	p := &process{Cmd: exec.Command(program, victim.Run{Calls: true}.Args()...), rig: r, over: make(chan struct{})}
	p.Env = []string{
		victim.EnvRecorder + "=" + r.address, victim.EnvPod + "=trials/client", victim.EnvUID + "=" + r.uid + "-client",
		victim.EnvContainer + "=client", victim.EnvService + "=" + address,
	}
	p.Stdout, p.Stderr = &p.text, &p.text
	r.g.Expect(p.Start()).To(Succeed())
	go func() { _ = p.Wait(); close(p.over) }()
	r.t.Cleanup(func() { _ = p.Process.Kill(); <-p.over })
	return p
}

func TestRequestsOfAClient(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	client := r.calling(fmt.Sprintf("127.0.0.1:%d", port)) // refused at first
	p := r.life(victim.Run{HTTPPort: port, Term: victim.ExitAfter, TermDelay: time.Second})
	r.await(mark.Requested, 1)
	time.Sleep(5 * victim.RequestPause)
	r.g.Expect(r.all(mark.LastRequest)).To(BeEmpty(), "the client makes no pause")

	killed := time.Now()
	r.g.Expect(client.Process.Kill()).To(Succeed())
	last := r.await(mark.LastRequest, 1)
	r.g.Expect(time.Duration(last.At - last.Sent)).To(BeNumerically(">=", victim.RequestPause-time.Millisecond))
	r.g.Expect(time.Unix(0, last.Sent)).To(BeTemporally("~", killed, time.Second))

	r.calling(fmt.Sprintf("127.0.0.1:%d", port))
	r.await(mark.Requested, 2)
	r.g.Expect(p.Process.Signal(stopSignals()[0])).To(Succeed())
	r.g.Expect(p.exit()).To(Equal(0))
	r.await(mark.Gone, 2)
	var kinds []string
	for _, record := range r.records() {
		if record.Container == "main" {
			kinds = append(kinds, string(record.Kind))
		}
	}
	r.g.Expect(strings.Join(kinds, " ")).To(HaveSuffix("requested sigterm exiting gone"),
		"requests reach it after SIGTERM, until it ends")
}

func TestAClientNeedsItsService(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.start(victim.Run{Calls: true}.Args()...)
	r.g.Expect(p.exit()).To(Equal(victim.ExitUsage))
	r.g.Expect(p.text.String()).To(ContainSubstring(victim.EnvService))
}
