//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

const (
	// tcpHandshake bounds the wait for the end of a successful handshake.
	tcpHandshake = time.Second
	// fillTimeout bounds the local connection that fills a hanging port's queue.
	fillTimeout = time.Second
)

// tcpProbes answers TCP probes. The kernel does the handshake, so the answer must exist before: a listening socket
// (S), no socket (F: refused), or a socket with a full queue (H: the SYN is dropped). Raw sockets get every SYN and
// so count the probes. They need only CAP_NET_RAW.
type tcpProbes struct {
	run    victim.Run
	probes *play.Probes
	raw    []*rawSocket
	syns   chan syn
	failed chan error

	answer   victim.Answer
	listener net.Listener
	accepted chan struct{}
	filler   net.Conn
}

// listenTCPProbes prepares the first answer. It returns nil if the victim has no TCP port.
func listenTCPProbes(run victim.Run, probes *play.Probes) (*tcpProbes, error) {
	if run.TCPPort == 0 {
		return nil, nil
	}
	t := &tcpProbes{run: run, probes: probes, syns: make(chan syn, 64), failed: make(chan error, 4)}
	var err error
	if t.raw, err = openRawSockets(run.TCPPort); err != nil {
		return nil, fmt.Errorf("counting TCP probes on port %d: %w", run.TCPPort, err)
	}
	if err := t.prepare(probes.Next(run.TCPFor)); err != nil {
		return nil, err
	}
	for _, raw := range t.raw {
		go func() { t.failed <- raw.watch(t.syns) }()
	}
	return t, nil
}

// serve counts each probe at its SYN and then prepares the next answer.
func (t *tcpProbes) serve() error {
	seen := attempts{}
	for {
		select {
		case err := <-t.failed:
			return fmt.Errorf("serving TCP probes: %w", err)
		case syn := <-t.syns:
			if t.own(syn) || !seen.first(syn) {
				continue
			}
			answer, _ := t.probes.Arrived(t.run.TCPFor, play.ByTCP, syn.at)
			next := t.probes.Next(t.run.TCPFor)
			time.Sleep(t.run.TCPHold(answer, next))
			if answer == victim.Succeed {
				t.awaitHandshake()
			}
			t.probes.Done(t.run.TCPFor)
			if err := t.prepare(next); err != nil {
				return err
			}
		}
	}
}

// awaitHandshake waits until the successful probe's connection is accepted: closing the listener earlier resets it,
// which a delayed prober could take for a failure.
func (t *tcpProbes) awaitHandshake() {
	select {
	case <-t.accepted:
	case <-time.After(tcpHandshake):
	}
}

func (t *tcpProbes) own(s syn) bool {
	if t.filler == nil {
		return false
	}
	local := t.filler.LocalAddr().(*net.TCPAddr).AddrPort()
	return s.port == local.Port() && s.from == local.Addr().Unmap()
}

func (t *tcpProbes) prepare(answer victim.Answer) error {
	if answer == t.answer {
		return nil
	}
	t.answer = answer
	if t.listener != nil {
		_ = t.listener.Close()
		t.listener = nil
	}
	if t.filler != nil {
		_ = t.filler.Close()
		t.filler = nil
	}
	var err error
	switch answer {
	case victim.Fail:
		return nil
	case victim.Hang:
		err = t.listenWithoutRoom()
	default:
		err = t.listen()
	}
	if err != nil {
		return fmt.Errorf("listening for TCP probes on port %d: %w", t.run.TCPPort, err)
	}
	return nil
}

func (t *tcpProbes) listen() error {
	listener, err := net.Listen("tcp", fmt.Sprintf(":%d", t.run.TCPPort))
	if err != nil {
		return err
	}
	accepted := make(chan struct{}, 1)
	t.listener, t.accepted = listener, accepted
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed, for another answer
			}
			select {
			case accepted <- struct{}{}:
			default:
			}
			go func() {
				_ = conn.SetReadDeadline(time.Now().Add(victim.TCPLinger))
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}()
		}
	}()
	return nil
}

// listenWithoutRoom listens with a queue of one, filled by a connection of its own that it never accepts.
// The kernel drops further SYNs (tcp_conn_request, sk_acceptq_is_full). It shortens the queue after filling
// it, so nothing depends on SYN cookies.
func (t *tcpProbes) listenWithoutRoom() error {
	listener, err := net.Listen("tcp", fmt.Sprintf(":%d", t.run.TCPPort))
	if err != nil {
		return err
	}
	t.listener = listener
	ctx, cancel := context.WithTimeout(context.Background(), fillTimeout)
	defer cancel()
	address := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(t.run.TCPPort))
	if t.filler, err = new(net.Dialer).DialContext(ctx, "tcp4", address.String()); err != nil {
		return err
	}
	control, err := listener.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var shortened error
	err = control.Control(func(fd uintptr) { shortened = unix.Listen(int(fd), 0) })
	return errors.Join(err, shortened)
}
