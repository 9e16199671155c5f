package cri

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// socketBuffer is the size of a connection's buffer in each direction, in bytes.
const socketBuffer = 64 << 10

// ports are the ports on which a main process serves probes.
type ports struct {
	*process
	http, grpc net.Listener
}

// listen opens the ports that are served after Started. They listen before, so that no early probe is refused.
func (p *process) listen() (ports, error) {
	opened := ports{process: p}
	var err error
	if p.run.HTTPPort != 0 {
		if opened.http, err = opened.openStream("HTTP", p.run.HTTPPort); err != nil {
			return opened, err
		}
	}
	if p.run.GRPCPort != 0 {
		opened.grpc, err = opened.openStream("gRPC", p.run.GRPCPort)
	}
	return opened, err
}

func (p ports) openStream(what string, number int) (net.Listener, error) {
	listener := bufconn.Listen(socketBuffer)
	if err := p.open(number, stream{p.process, listener}); err != nil {
		return nil, fmt.Errorf("listening for %s probes: %w", what, err)
	}
	return listener, nil
}

func (p ports) open(number int, listening port) error {
	return p.runtime.network.open(netip.AddrPortFrom(p.container.sandbox.ip, uint16(number)), listening)
}

// openTCP opens the port of TCP probes, and counts them from the first.
func (p ports) openTCP() error {
	if p.run.TCPPort == 0 {
		return nil
	}
	if err := p.open(p.run.TCPPort, tcp{p.process}); err != nil {
		return fmt.Errorf("listening for TCP probes on port %d: %w", p.run.TCPPort, err)
	}
	return nil
}

func (p ports) serve(failed chan<- play.Trouble) {
	report := func(err error) {
		if err != nil {
			failed <- play.Trouble{Code: victim.ExitNotServing, Err: err}
		}
	}
	if p.http != nil {
		go func() { report(play.ServeHTTP(p.alive, p.http, p.run, p.recorder, p.probes)) }()
	}
	if p.grpc != nil {
		go func() { report(play.ServeGRPC(p.alive, p.grpc, p.probes)) }()
	}
}

// stream is a port whose connections a server accepts.
type stream struct {
	process  *process
	listener *bufconn.Listener
}

func (s stream) owner() *process { return s.process }

func (s stream) connect(ctx context.Context) (net.Conn, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(s.process.alive, end)()
	conn, err := s.listener.DialContext(ctx)
	if s.process.alive.Err() != nil {
		return nil, refused()
	}
	return conn, err
}

// tcp is the port of TCP probes, whose answer is whether and how they connect. It answers as the fault program's
// sockets do, and holds each answer for as long.
type tcp struct{ process *process }

func (t tcp) owner() *process { return t.process }

func (t tcp) connect(ctx context.Context) (net.Conn, error) {
	probe, probes := t.process.run.TCPFor, t.process.probes
	answer, _ := probes.Arrived(probe, play.ByTCP, time.Now())
	time.AfterFunc(t.process.run.TCPHold(answer, probes.Next(probe)), func() { probes.Done(probe) })
	switch answer {
	case victim.Fail:
		return nil, refused()
	case victim.Hang:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	go t.linger(far)
	return near, nil
}

// linger waits until the prober ends the connection.
func (t tcp) linger(conn net.Conn) {
	defer context.AfterFunc(t.process.alive, func() { _ = conn.Close() })()
	_ = conn.SetReadDeadline(time.Now().Add(victim.TCPLinger))
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}
