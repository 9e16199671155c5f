//go:build linux

package main

import (
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestBadUsageSaysSo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"", "no command"},
		{"explode", `unknown command "explode"`},
		{"run --liveness=X", "--liveness"},
		{"hook --sleep=-1s", "--sleep"},
		{"probe", "--for"},
		{"run", "PODCLOCK_UID"}, // there is no environment
	} {
		g := NewWithT(t)
		cmd := exec.Command(program, strings.Fields(c.args)...)
		cmd.Env = []string{"PODCLOCK_POD=trials/pod"}
		text, err := cmd.CombinedOutput()
		g.Expect(err).To(HaveOccurred())
		g.Expect(cmd.ProcessState.ExitCode()).To(Equal(victim.ExitUsage), c.args)
		g.Expect(string(text)).To(ContainSubstring(c.want))
	}
}

func TestNoRecorderIsAnExitCodeOfItsOwn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the program's own bound of 10 s")
	}
	r := newRig(t)
	r.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	start := time.Now()
	for _, p := range []*process{r.start("run"), r.start("hook"), r.start("probe", "--for=liveness")} {
		r.g.Expect(p.exit()).To(Equal(victim.ExitNoRecorder))
		r.g.Expect(p.text.String()).
			To(And(ContainSubstring(r.address), ContainSubstring("recorder"), ContainSubstring("refused")))
	}
	r.g.Expect(time.Since(start)).To(BeNumerically(">=", connectFor))
}

func TestRefusedByTheRecorder(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = conn.Write([]byte("{\"refused\":\"too many\"}\n"))
			defer func() { _ = conn.Close() }()
			_, _ = conn.Read(make([]byte, 1024))
		}
	}()
	r := &rig{t: t, g: g, address: listener.Addr().String(), uid: "uid-of-a-refused-pod"}
	p := r.start("hook")
	g.Expect(p.exit()).To(Equal(victim.ExitNoRecorder))
	g.Expect(p.text.String()).To(ContainSubstring("too many"))
}

func TestAProbeWithoutMainProcessIsAnExitCodeOfItsOwn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the program's own bound of 10 s")
	}
	r := newRig(t)
	p := r.start("probe", "--for=liveness")
	r.g.Expect(p.exit()).To(Equal(victim.ExitNoMain))
	r.g.Expect(p.text.String()).To(ContainSubstring("main process"))
	r.g.Expect(r.probed(0)).To(BeEmpty())
}

func TestATakenPortIsAnExitCodeOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	taken, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	r.g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = taken.Close() }()
	for _, run := range []victim.Run{{HTTPPort: port}, {GRPCPort: port}} {
		p := r.start(run.Args()...)
		r.g.Expect(p.exit()).To(Equal(victim.ExitNotServing))
		r.g.Expect(p.text.String()).To(ContainSubstring(strconv.Itoa(port)))
	}
	r.g.Expect(r.all(mark.Started)).To(BeEmpty())
}
