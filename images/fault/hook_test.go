//go:build linux

package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestHookSleepsAndEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.life(victim.Run{Term: victim.Ignore})
	p := r.start(victim.Hook{Sleep: 300 * time.Millisecond, ExitCode: 5}.Args()...)
	r.g.Expect(p.exit()).To(Equal(5))
	gone := r.await(mark.Gone, 1)
	r.g.Expect(r.kinds(mark.Hook)).To(Equal([]mark.Kind{mark.Connected, mark.HookBegan, mark.HookEnded, mark.Gone}))
	r.g.Expect(gone.Role).To(Equal(mark.Hook))
	r.g.Expect(gone.Life).To(Equal(1))
	began, ended := r.await(mark.HookBegan, 1), r.await(mark.HookEnded, 1)
	r.g.Expect(ended.Sent - began.Sent).To(BeNumerically(">=", int64(299*time.Millisecond)))
}

func TestHookThatHangsNeverEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.start(victim.Hook{Hang: true}.Args()...)
	r.await(mark.HookBegan, 1)
	time.Sleep(200 * time.Millisecond)
	r.g.Expect(p.alive()).To(BeTrue())
	r.g.Expect(p.Process.Kill()).To(Succeed())
	r.await(mark.Gone, 1)
	r.g.Expect(r.kinds(mark.Hook)).To(Equal([]mark.Kind{mark.Connected, mark.HookBegan, mark.Gone}))
}

func TestHTTPHook(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	r.life(victim.Run{HTTPPort: port, HookSleep: 300 * time.Millisecond})
	response, err := http.Get("http://127.0.0.1:" + strconv.Itoa(port) + "/hook")
	r.g.Expect(err).NotTo(HaveOccurred())
	_ = response.Body.Close()
	r.g.Expect(response.StatusCode).To(Equal(http.StatusOK))
	began, ended := r.await(mark.HookBegan, 1), r.await(mark.HookEnded, 1)
	r.g.Expect(ended.Sent - began.Sent).To(BeNumerically(">=", int64(299*time.Millisecond)))
	r.g.Expect(ended.Role).To(Equal(mark.Run))
}

func TestHTTPHookThatHangsNeverAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	r.life(victim.Run{HTTPPort: port, HookHang: true})
	client := http.Client{Timeout: time.Second}
	response, err := client.Get("http://127.0.0.1:" + strconv.Itoa(port) + "/hook")
	if err == nil {
		_ = response.Body.Close()
	}
	r.g.Expect(err).To(MatchError(ContainSubstring("Timeout")))
	time.Sleep(100 * time.Millisecond)
	r.g.Expect(r.all(mark.HookBegan)).To(HaveLen(1))
	r.g.Expect(r.all(mark.HookEnded)).To(BeEmpty())
}
