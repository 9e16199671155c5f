package cri

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/podclock/podclock/harness/victim/play"
)

// synTimeout is the time after which the kernel stops connecting to an address without an answer: six SYNs are
// repeated, each after twice the time (tcp(7), tcp_syn_retries).
const synTimeout = 127 * time.Second

// podNetwork is the network of pods; its first two addresses are the network's and the node's.
var podNetwork = netip.MustParseAddr("10.88.0.1")

// port listens on a port.
type port interface {
	// connect accepts a connection. Its errors are the kernel's or the context's.
	connect(ctx context.Context) (net.Conn, error)
	owner() *process
}

// network is the pods' network, in memory.
type network struct {
	mu     sync.Mutex
	newest netip.Addr
	up     map[netip.Addr]bool
	ports  map[netip.AddrPort]port
}

func newNetwork() network {
	return network{newest: podNetwork, up: map[netip.Addr]bool{}, ports: map[netip.AddrPort]port{}}
}

// raise returns a new address.
func (n *network) raise() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.newest = n.newest.Next()
	n.up[n.newest] = true
	return n.newest
}

// lower removes an address.
func (n *network) lower(ip netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.up, ip)
}

// open makes a port listen.
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

// closeAll closes the ports of a process.
func (n *network) closeAll(p *process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for at, open := range n.ports {
		if open.owner() == p {
			delete(n.ports, at)
		}
	}
}

// at returns the listener of an address, and whether a pod has the address.
func (n *network) at(address netip.AddrPort) (listening port, up bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ports[address], n.up[address.Addr()]
}

// Dial connects to a port of a pod. A port without a listener refuses. An address without a pod never answers.
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

// givenUp returns the error of a dial whose context ended, like that of a net.Dialer.
func givenUp(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	return cause
}
