//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Parts of a TCP header (RFC 9293, section 3.1): offsets in bytes, and flags.
const (
	tcpTo       = 2
	tcpSequence = 4
	tcpFlags    = 13
	tcpHeader   = 20

	flagSYN = 0x02
	flagACK = 0x10
)

// synMemory is how long a SYN is kept, to distinguish its retransmissions from new probes: longer than any probe's
// timeout in a trial.
const synMemory = 3 * time.Minute

type syn struct {
	attempt
	at time.Time
}

// attempt identifies one try to connect, by what its retransmissions share.
type attempt struct {
	from     netip.Addr
	port     uint16
	sequence uint32
}

type attempts map[attempt]time.Time

// first reports whether the SYN begins a new attempt.
func (a attempts) first(s syn) bool {
	for old, at := range a {
		if s.at.Sub(at) > synMemory {
			delete(a, old)
		}
	}
	if _, again := a[s.attempt]; again {
		return false
	}
	a[s.attempt] = s.at
	return true
}

// rawSocket receives the packets of one IP version that begin a connection to a port.
type rawSocket struct {
	port int
	conn net.PacketConn
}

// openRawSockets opens one socket for IPv4 and one for IPv6. It needs CAP_NET_RAW, which runtimes grant by default.
func openRawSockets(port int) (sockets []*rawSocket, err error) {
	for _, family := range []struct {
		network    string
		loadOffset bpf.Instruction
	}{
		// The filter of an IPv4 raw socket gets the IP header as well, that of an IPv6 socket does not.
		{"ip4:6", bpf.LoadMemShift{Off: 0}},
		{"ip6:6", bpf.LoadConstant{Dst: bpf.RegX, Val: 0}},
	} {
		config := net.ListenConfig{Control: func(_, _ string, control syscall.RawConn) error {
			return attachFilter(control, synFilter(port, family.loadOffset))
		}}
		conn, err := config.ListenPacket(context.Background(), family.network, "")
		switch {
		case err == nil:
			sockets = append(sockets, &rawSocket{port: port, conn: conn})
		case family.network == "ip6:6" && (errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL)):
			// A kernel without IPv6 gets no probes over IPv6.
		case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
			const format = "opening a raw socket: %w: it needs CAP_NET_RAW, keep it in the container's securityContext"
			return nil, fmt.Errorf(format, err)
		default:
			return nil, fmt.Errorf("opening a raw socket: %w", err)
		}
	}
	return sockets, nil
}

// synFilter accepts the packets to a port with SYN and without ACK. loadOffset loads the offset of the TCP
// header into X.
func synFilter(port int, loadOffset bpf.Instruction) []bpf.Instruction {
	return []bpf.Instruction{
		loadOffset,
		bpf.LoadIndirect{Off: tcpTo, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(port), SkipTrue: 4},
		bpf.LoadIndirect{Off: tcpFlags, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: flagSYN | flagACK},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: flagSYN, SkipTrue: 1},
		bpf.RetConstant{Val: 0xffff},
		bpf.RetConstant{Val: 0},
	}
}

// watch reports every SYN, including retransmissions.
func (r *rawSocket) watch(syns chan<- syn) error {
	header := make([]byte, 128)
	for {
		n, from, err := r.conn.ReadFrom(header)
		at := time.Now()
		if err != nil {
			return fmt.Errorf("reading a raw socket: %w", err)
		}
		// The filter is attached after the socket is opened, so an early packet has not passed it.
		if n < tcpHeader || binary.BigEndian.Uint16(header[tcpTo:]) != uint16(r.port) ||
			header[tcpFlags]&(flagSYN|flagACK) != flagSYN {
			continue
		}
		ip := from.(*net.IPAddr)
		address, _ := netip.AddrFromSlice(ip.IP)
		port, sequence := binary.BigEndian.Uint16(header), binary.BigEndian.Uint32(header[tcpSequence:])
		syns <- syn{attempt{address.Unmap().WithZone(ip.Zone), port, sequence}, at}
	}
}

func attachFilter(control syscall.RawConn, program []bpf.Instruction) error {
	assembled, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("assembling a socket filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(assembled))
	for i, instruction := range assembled {
		filter[i] = unix.SockFilter{Code: instruction.Op, Jt: instruction.Jt, Jf: instruction.Jf, K: instruction.K}
	}
	var attached error
	err = control.Control(func(fd uintptr) {
		program := &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		attached = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, program)
	})
	if err := errors.Join(err, attached); err != nil {
		return fmt.Errorf("attaching a socket filter: %w", err)
	}
	return nil
}
