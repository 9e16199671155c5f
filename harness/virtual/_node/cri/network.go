package cri

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

// synTimeout is how long the kernel tries an address without an answer: six SYNs are repeated, each after twice the
// time (tcp(7), tcp_syn_retries).
const synTimeout = 127 * time.Second

func (n *network) raise() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.newest = n.newest.Next()
	n.up[n.newest] = true
	return n.newest
}

func (n *network) lower(ip netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.up, ip)
}

func (n *network) open(at netip.AddrPort, p port) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ports[at] != nil {
		return &net.OpError{
			Op:   "listen",
			Net:  "tcp",
			Addr: net.TCPAddrFromAddrPort(at),
			Err:  os.NewSyscallError("bind", syscall.EADDRINUSE),
		}
	}
	n.ports[at] = p
	return nil
}

func (n *network) closeAll(p *process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for at, open := range n.ports {
		if open.owner() == p {
			delete(n.ports, at)
		}
	}
}

// at returns an address' listener, and whether a pod or the node has the address. Pods that have the node's network
// listen at none.
func (n *network) at(address netip.AddrPort) (listening port, up bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if address.Addr().IsLoopback() {
		return n.ports[netip.AddrPortFrom(netip.Addr{}, address.Port())], true
	}
	return n.ports[address], n.up[address.Addr()]
}

// Dial connects to a pod, or to the node by its loopback address. A port without a listener refuses; an address without
// a pod never answers.
func (r *Runtime) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, &net.OpError{
			Op:  "dial",
			Net: network,
			Err: &net.AddrError{Err: "only a pod's address can be dialed", Addr: address},
		}
	}
	ctx, end := context.WithTimeoutCause(ctx, synTimeout, os.NewSyscallError("connect", syscall.ETIMEDOUT))
	defer end()
	conn, err := r.network.dial(ctx, at)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(at), Err: err}
	}
	return conn, nil
}

func (n *network) dial(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
	if !play.Sleep(ctx, handshake) {
		return nil, givenUp(ctx)
	}
	listening, up := n.at(at)
	switch {
	case !up:
		<-ctx.Done()
		return nil, givenUp(ctx)
	case listening == nil:
		return nil, refused()
	}
	conn, err := listening.connect(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, givenUp(ctx)
	}
	return conn, err
}

func refused() error { return os.NewSyscallError("connect", syscall.ECONNREFUSED) }

func givenUp(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	return cause
}

const socketBuffer = 64 << 10

type ports struct {
	*process
	http, grpc net.Listener
}

// listen opens the ports before Started, so that no early probe is refused.
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
		go func() { report(play.ServeGRPC(p.alive, p.grpc, p.run, p.probes)) }()
	}
}

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

// tcp answers TCP probes as the fault program's sockets do, and holds each answer for as long.
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

func (t tcp) linger(conn net.Conn) {
	defer context.AfterFunc(t.process.alive, func() { _ = conn.Close() })()
	_ = conn.SetReadDeadline(time.Now().Add(victim.TCPLinger))
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}
