package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/net/bpf"

	"github.com/podclock/podclock/harness/victim"
)

const (
	// tcpSettle is how long after a SYN its answer is left in place: the kernel answers within microseconds, on whatever
	// core the packet came to, and the next probe is at least a second away.
	tcpSettle = 20 * time.Millisecond
	// tcpLinger bounds how long the connection of a successful probe is kept for the prober to end it.
	tcpLinger = time.Second
	// hungSYNs is how many hanging probes are remembered, so that the retransmissions of their SYNs are not answered later.
	hungSYNs = 64
)

// tcpProbes answers TCP probes. A TCP probe is over with the handshake, which the kernel does by itself, so its answer must be in place before
// it comes. There is one listening socket, whose filter lets SYNs through (S) or drops them (F and H), and a raw socket that sees
// every SYN whether dropped or not: it counts the probes, and refuses them where the answer is F, as the kernel does where nobody listens.
type tcpProbes struct {
	probe    string
	probes   *probes
	raw      []*rawSocket
	syns     chan syn
	failed   chan error
	listener net.Listener
	control  syscall.RawConn
	// hung are the sequence numbers of the SYNs that got no answer: a retransmission gets none either.
	hung []uint32
}

// listenTCPProbes puts the first answer in place; nil when the victim serves none.
func listenTCPProbes(run victim.Run, probes *probes) (*tcpProbes, error) {
	if run.TCPPort == 0 {
		return nil, nil
	}
	t := &tcpProbes{probe: run.TCPFor, probes: probes, syns: make(chan syn, 64), failed: make(chan error, 4)}
	var err error
	if t.raw, err = openRawSockets(run.TCPPort); err != nil {
		return nil, fmt.Errorf("counting TCP probes on port %d: %w", run.TCPPort, err)
	}
	config := net.ListenConfig{Control: func(_, _ string, control syscall.RawConn) error {
		t.control = control
		return t.prepare(probes.next(t.probe))
	}}
	config.SetMultipathTCP(false) // its sockets take no filter
	if t.listener, err = config.Listen(context.Background(), "tcp", fmt.Sprintf(":%d", run.TCPPort)); err != nil {
		return nil, fmt.Errorf("listening for TCP probes: %w", err)
	}
	if t.control, err = t.listener.(*net.TCPListener).SyscallConn(); err != nil {
		return nil, fmt.Errorf("listening for TCP probes: %w", err)
	}
	for _, raw := range t.raw {
		go func() { t.failed <- raw.watch(t.syns) }()
	}
	go func() { t.failed <- t.accept() }()
	return t, nil
}

// serve counts each probe when its SYN comes, and then puts the next answer in place.
func (t *tcpProbes) serve() error {
	seen := attempts{}
	for {
		select {
		case err := <-t.failed:
			return fmt.Errorf("serving TCP probes: %w", err)
		case syn := <-t.syns:
			if !seen.first(syn) {
				continue
			}
			answer := t.probes.arrived(t.probe, byTCP, syn.at)
			switch answer {
			case victim.Fail:
				if err := syn.refuse(); err != nil {
					return fmt.Errorf("refusing a TCP probe from %s: %w", syn.from, err)
				}
			case victim.Hang:
				t.hung = append(t.hung, syn.sequence)
				t.hung = t.hung[max(0, len(t.hung)-hungSYNs):]
			}
			t.probes.done(t.probe)
			time.Sleep(tcpSettle)
			if err := t.prepare(t.probes.next(t.probe)); err != nil {
				return fmt.Errorf("serving TCP probes: %w", err)
			}
		}
	}
}

// prepare puts the answer to the next probe in place. The kernel replaces a socket's filter at one stroke, and what is not a SYN passes
// always, so that no handshake on its way is disturbed.
func (t *tcpProbes) prepare(answer victim.Answer) error {
	pass, drop := bpf.RetConstant{Val: 0xffff}, bpf.RetConstant{Val: 0}
	isSYN := []bpf.Instruction{
		bpf.LoadAbsolute{Off: tcpFlags, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: flagSYN | flagACK},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: flagSYN, SkipTrue: 1},
		pass,
	}
	if answer != victim.Succeed {
		return attachFilter(t.control, append(isSYN, drop))
	}
	program := append(isSYN, bpf.LoadAbsolute{Off: tcpSequence, Size: 4})
	for i, sequence := range t.hung {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: sequence, SkipTrue: uint8(len(t.hung) - i)})
	}
	return attachFilter(t.control, append(program, pass, drop))
}

// accept takes the connections of successful probes and lets the prober end them.
func (t *tcpProbes) accept() error {
	for {
		conn, err := t.listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			_ = conn.SetReadDeadline(time.Now().Add(tcpLinger))
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}()
	}
}
