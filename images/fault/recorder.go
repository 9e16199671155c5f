//go:build linux

package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

const (
	// connectFor bounds the tries to reach the recorder, which may start together with the pod; connectEvery spaces
	// them.
	connectFor   = 10 * time.Second
	connectEvery = 20 * time.Millisecond
	// connectOnce bounds one try.
	connectOnce = time.Second
	// writeTimeout bounds the write of a mark. The kernel buffers hundreds, so only a recorder that does not read
	// for long reaches it.
	writeTimeout = time.Second
)

// recorder is this process's connection to the recorder of its node, whose end is the process's death. Nothing
// stays unread, because the kernel would reset the connection and lose the last marks.
type recorder struct {
	life int
	conn net.Conn

	mu     sync.Mutex
	n      int
	broken bool
}

func connect(role mark.Role, id mark.Identity, address string) (*recorder, error) {
	id.Role = role
	word := rand.Text()
	var last error
	for start := time.Now(); time.Since(start) < connectFor; time.Sleep(connectEvery) {
		r, err := connectTo(address, mark.Hello{Identity: id, Process: word})
		if err == nil {
			return r, nil
		}
		if last = err; errors.Is(err, errRefused) {
			break
		}
	}
	return nil, play.Trouble{
		Code: victim.ExitNoRecorder,
		Err:  fmt.Errorf("reaching the recorder at %s (does it run on this node?): %w", address, last),
	}
}

var errRefused = errors.New("the recorder refused this process")

func connectTo(address string, who mark.Hello) (*recorder, error) {
	conn, err := net.DialTimeout("tcp", address, connectOnce)
	if err != nil {
		return nil, err
	}
	welcome, err := hello(conn, who)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &recorder{conn: conn, life: welcome.Life}, nil
}

func hello(conn net.Conn, who mark.Hello) (welcome mark.Welcome, err error) {
	_ = conn.SetDeadline(time.Now().Add(connectOnce))
	text, err := json.Marshal(who)
	if err != nil {
		return welcome, err
	}
	if _, err := conn.Write(append(text, '\n')); err != nil {
		return welcome, fmt.Errorf("sending the hello: %w", err)
	}
	text, err = bufio.NewReader(conn).ReadBytes('\n')
	if err != nil {
		return welcome, fmt.Errorf("waiting for the welcome: %w", err)
	}
	if err := json.Unmarshal(text, &welcome); err != nil {
		return welcome, fmt.Errorf("reading the welcome: %w", err)
	}
	if welcome.Refused != "" {
		return welcome, fmt.Errorf("%w: %s", errRefused, welcome.Refused)
	}
	return welcome, conn.SetDeadline(time.Time{})
}

// Mark writes one mark with its time. It returns once the kernel has the mark, which then survives the process.
// Without the recorder the process continues. A lost mark leaves a gap in the numbers, a broken connection a new
// epoch: only the recorder's end breaks it.
func (r *recorder) Mark(kind mark.Kind, at time.Time, detail mark.Detail) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	if r.broken {
		return
	}
	text, err := json.Marshal(mark.Line{N: r.n, Kind: kind, Sent: at.UnixNano(), Detail: detail})
	if err == nil {
		_ = r.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		var written int
		written, err = r.conn.Write(append(text, '\n'))
		// A timeout before the first byte loses only this mark. The connection stays open, because its end would
		// look like a death.
		r.broken = err != nil && (written > 0 || !errors.Is(err, os.ErrDeadlineExceeded))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "fault: sending mark %d (%s) to the recorder: %v: the mark is lost\n", r.n, kind, err)
	}
}

func (r *recorder) Life() int { return r.life }

// environment returns the identity of this process and the address of its recorder.
func environment(getenv func(string) string) (mark.Identity, string, error) {
	var missing []string
	get := func(name string) string {
		value := getenv(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	}
	id := mark.Identity{Pod: get(victim.EnvPod), UID: get(victim.EnvUID), Container: get(victim.EnvContainer)}
	address := get(victim.EnvRecorder)
	if len(missing) > 0 {
		return id, "", fmt.Errorf("the environment lacks %s: set them in the pod's spec", strings.Join(missing, ", "))
	}
	return id, withPort(address), nil
}

// withPort adds the recorder's usual port to an address without a port.
func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), strconv.Itoa(mark.Port))
}
