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

// The parts of a TCP header (RFC 9293, section 3.1) that matter here: offsets in bytes, and flags.
const (
	tcpTo       = 2
	tcpSequence = 4
	tcpFlags    = 13
	tcpHeader   = 20

	flagSYN = 0x02
	flagACK = 0x10
)

// synMemory is how long a SYN is remembered, to tell its retransmissions from new probes: longer than any
// probe's timeout in a trial.
const synMemory = 3 * time.Minute

// syn is the packet that begins an attempt to connect.
type syn struct {
	attempt
	at time.Time
}

// attempt tells attempts to connect apart; the retransmissions of a SYN have all three in common.
type attempt struct {
	from     netip.Addr
	port     uint16
	sequence uint32
}

// attempts are those seen, and when.
type attempts map[attempt]time.Time

// first says whether the SYN begins an attempt not seen yet.
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

// rawSocket sees the packets of one IP version that try to connect to a port.
type rawSocket struct {
	port int
	conn net.PacketConn
}

// openRawSockets opens one socket for IPv4 and one for IPv6. It needs CAP_NET_RAW, which container runtimes
// grant by default.
func openRawSockets(port int) (sockets []*rawSocket, err error) {
	for _, family := range []struct {
		network    string
		loadOffset bpf.Instruction
	}{
		// An IPv4 raw socket's filter sees the IP header first, an IPv6 one's does not.
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
			// A kernel without IPv6 gets no probes over it.
		case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
			return nil, fmt.Errorf(
				"opening a raw socket needs CAP_NET_RAW, which the container's securityContext must not drop: %w",
				err,
			)
		default:
			return nil, fmt.Errorf("opening a raw socket: %w", err)
		}
	}
	return sockets, nil
}

// synFilter keeps the packets to a port that have SYN and not ACK set. loadOffset puts the offset of the
// TCP header into X.
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

// watch reports every SYN, retransmissions included.
func (r *rawSocket) watch(syns chan<- syn) error {
	header := make([]byte, 128)
	for {
		n, from, err := r.conn.ReadFrom(header)
		at := time.Now()
		if err != nil {
			return fmt.Errorf("reading a raw socket: %w", err)
		}
		// The filter is attached after the socket is opened: a packet between the two has not passed it.
		if n < tcpHeader || binary.BigEndian.Uint16(header[tcpTo:]) != uint16(r.port) ||
			header[tcpFlags]&(flagSYN|flagACK) != flagSYN {
			continue
		}
		address, _ := netip.AddrFromSlice(from.(*net.IPAddr).IP)
		syns <- syn{attempt{address.Unmap().WithZone(from.(*net.IPAddr).Zone), binary.BigEndian.Uint16(header), binary.BigEndian.Uint32(header[tcpSequence:])}, at}
	}
}

// attachFilter makes the kernel show a socket only the packets the program keeps.
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
		attached = unix.SetsockoptSockFprog(
			int(fd),
			unix.SOL_SOCKET,
			unix.SO_ATTACH_FILTER,
			&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]},
		)
	})
	if err := errors.Join(err, attached); err != nil {
		return fmt.Errorf("attaching a socket filter: %w", err)
	}
	return nil
}
