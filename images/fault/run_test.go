//go:build linux

package main

import (
	"net"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestIgnoresSIGTERMAndDiesOfSIGKILL(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.life(victim.Run{Term: victim.Ignore})
	r.g.Expect(p.Process.Signal(syscall.SIGTERM)).To(Succeed())
	r.await(mark.SIGTERM, 1)
	r.g.Expect(p.Process.Signal(syscall.SIGTERM)).To(Succeed())
	r.await(mark.SIGTERM, 2)
	r.g.Expect(p.alive()).To(BeTrue())
	killed := r.recorder.Now()
	r.g.Expect(p.Process.Kill()).To(Succeed())
	gone := r.await(mark.Gone, 1)
	r.g.Expect(gone.At).To(BeNumerically(">", killed))
	r.g.Expect(r.kinds(mark.Run)).
		To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.SIGTERM, mark.SIGTERM, mark.Gone}))
	r.g.Expect(gone.Identity).To(Equal(mark.Identity{Pod: "trials/pod", UID: r.uid, Container: "main", Role: mark.Run}))
}

func TestExitsOnSIGTERM(t *testing.T) {
	t.Parallel()
	for _, term := range []victim.Term{"", victim.ExitNow} {
		r := newRig(t)
		p := r.life(victim.Run{Term: term, ExitCode: 7})
		r.g.Expect(p.Process.Signal(syscall.SIGTERM)).To(Succeed())
		r.g.Expect(p.exit()).To(Equal(7))
		r.await(mark.Gone, 1)
		r.g.Expect(r.kinds(mark.Run)).
			To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.SIGTERM, mark.Exiting, mark.Gone}))
		r.g.Expect(r.await(mark.Exiting, 1).Detail.ExitCode).To(HaveValue(Equal(7)))
	}
}

func TestExitsSomeTimeAfterTheFirstSIGTERM(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.life(victim.Run{Term: victim.ExitAfter, TermDelay: 3 * time.Second, ExitCode: 3})
	r.g.Expect(p.Process.Signal(syscall.SIGTERM)).To(Succeed())
	term := r.await(mark.SIGTERM, 1)
	time.Sleep(2500 * time.Millisecond)
	r.g.Expect(p.Process.Signal(syscall.SIGTERM)).To(Succeed())
	r.g.Expect(p.exit()).To(Equal(3))
	took := time.Duration(r.await(mark.Gone, 1).At - term.At)
	r.g.Expect(took).To(BeNumerically(">=", 2999*time.Millisecond))
	// A second delay, counted from the second SIGTERM, would take 5.5 s; the bound leaves a busy machine two of them.
	r.g.Expect(took).To(BeNumerically("<", 5*time.Second))
}

func TestExitsByItselfInTheLivesThatSaySo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	run := victim.Run{ExitAfter: []time.Duration{50 * time.Millisecond, -1, 0}, ExitCode: 9}
	r.g.Expect(r.life(run).exit()).To(Equal(9))
	second := r.life(run)
	time.Sleep(300 * time.Millisecond)
	r.g.Expect(second.alive()).To(BeTrue())
	r.g.Expect(second.Process.Kill()).To(Succeed())
	second.exit()
	for range 2 {
		r.g.Expect(r.life(run).exit()).To(Equal(9))
	}
	var lives []int
	for _, started := range r.all(mark.Started) {
		lives = append(lives, started.Life)
	}
	r.g.Expect(lives).To(Equal([]int{1, 2, 3, 4}))
}

func TestEachLifeHasItsExitCode(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	run := victim.Run{ExitAfter: []time.Duration{0}, ExitCodes: []int{1, 42, 0}}
	for life, want := range []int{1, 42, 0, 0} {
		r.g.Expect(r.life(run).exit()).To(Equal(want))
		r.g.Expect(r.await(mark.Exiting, life+1).Detail.ExitCode).To(HaveValue(Equal(want)))
	}
}

// A container may be stopped while it starts: the SIGTERM must be neither lost nor deadly.
func TestSIGTERMBeforeTheRecorderIsReachedIsMarkedWithItsTime(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	r := rigOn(t, listener)
	address := r.address
	_ = listener.Close()
	p := r.start(victim.Run{Term: victim.Ignore}.Args()...)
	time.Sleep(500 * time.Millisecond) // the process has its handler in place some milliseconds after its start
	r.g.Expect(p.Process.Signal(syscall.SIGTERM)).To(Succeed())
	time.Sleep(300 * time.Millisecond)
	reachable := time.Now()
	again, err := net.Listen("tcp", address)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.serve(again)
	term := r.await(mark.SIGTERM, 1)
	r.g.Expect(r.kinds(mark.Run)).To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.SIGTERM}))
	r.g.Expect(time.Unix(0, term.Sent)).To(BeTemporally("<", reachable), "it came before the recorder was reachable")
	r.g.Expect(p.alive()).To(BeTrue())
}

func TestRunsOnWithoutItsRecorder(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	r := &rig{t: t, g: g, address: listener.Addr().String(), uid: "uid-of-a-lonely-pod"}
	p := r.start(victim.Run{Term: victim.ExitNow, ExitCode: 4, ExitAfter: []time.Duration{time.Second}}.Args()...)
	conn, err := listener.Accept()
	g.Expect(err).NotTo(HaveOccurred())
	_, err = conn.Write([]byte("{\"life\":1}\n"))
	g.Expect(err).NotTo(HaveOccurred())
	time.Sleep(200 * time.Millisecond)
	_ = conn.Close()
	g.Expect(p.exit()).To(Equal(4))
}
