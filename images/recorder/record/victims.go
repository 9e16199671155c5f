package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// welcomeTimeout bounds the write of the Welcome, in case the peer does not read.
const welcomeTimeout = time.Second

// TakeMarks serves the victims' connections until the context ends, and closes them and the listener. It records no
// Gone for these processes, which live on.
func (r *Recorder) TakeMarks(ctx context.Context, listener net.Listener) error {
	defer context.AfterFunc(ctx, func() {
		_ = listener.Close()
		r.conns.closeAll()
	})()
	var victims sync.WaitGroup
	defer victims.Wait()
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			if conn != nil {
				_ = conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("taking marks on %s: %w", listener.Addr(), err)
		case err != nil:
			// without file descriptors or memory, open connections matter more
			time.Sleep(10 * time.Millisecond)
		default:
			victims.Go(func() { r.take(ctx, conn) })
		}
	}
}

func (r *Recorder) take(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	number, ok := r.conns.enter(conn)
	if !ok {
		refuse(conn, fmt.Sprintf("%d connections are open already", r.options.MaxConns))
		return
	}
	defer r.conns.leave(conn)
	_ = conn.SetReadDeadline(time.Now().Add(r.options.HelloTimeout))
	lines := &lines{conn: conn, clock: r.clock}
	line, at, err := lines.next()
	if err != nil {
		if len(lines.rest()) > 0 && ctx.Err() == nil {
			r.addUnreadable(number, at, fmt.Sprintf("no hello (%v)", err), lines.rest())
		}
		return
	}
	hello, err := parseHello(line)
	if err != nil {
		r.addUnreadable(number, at, err.Error(), line)
		return
	}
	life, ok := r.lives.enter(hello)
	if !ok {
		refuse(conn, fmt.Sprintf("%d containers were seen already: restart the recorder", maxContainers))
		return
	}
	victim := mark.Record{Conn: number, Identity: hello.Identity, Life: life}
	r.add(victim, mark.Connected, at)
	if !welcome(conn, mark.Welcome{Life: life}) {
		r.add(victim, mark.Gone, r.clock.now())
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	r.follow(ctx, lines, victim)
}

func (r *Recorder) follow(ctx context.Context, lines *lines, victim mark.Record) {
	for {
		text, at, err := lines.next()
		if errors.Is(err, errTooLong) {
			r.cutOff(victim, at, err.Error(), lines.rest())
			return
		}
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			if len(lines.rest()) > 0 {
				r.cutOff(victim, at, "the connection ended within a line", lines.rest())
			}
			r.add(victim, mark.Gone, at)
			return
		}
		line, err := parseLine(text)
		if err != nil {
			r.cutOff(victim, at, err.Error(), text)
			return
		}
		record := victim
		record.At, record.N, record.Kind, record.Sent, record.Detail = at, line.N, line.Kind, line.Sent, line.Detail
		r.store.add(record)
	}
}

func (r *Recorder) add(victim mark.Record, kind mark.Kind, at int64) {
	victim.Kind, victim.At = kind, at
	r.store.add(victim)
}

func refuse(conn net.Conn, why string) { _ = welcome(conn, mark.Welcome{Refused: why}) }

func welcome(conn net.Conn, w mark.Welcome) bool {
	text, err := json.Marshal(w)
	if err != nil {
		return false
	}
	_ = conn.SetWriteDeadline(time.Now().Add(welcomeTimeout))
	_, err = conn.Write(append(text, '\n'))
	return err == nil
}

var errTooLong = fmt.Errorf("a line longer than %d bytes", mark.MaxLine)

// lines reads lines from a connection, each with the time of its last bytes.
type lines struct {
	conn     net.Conn
	clock    clock
	buffer   [mark.MaxLine + 1]byte
	from, to int
	at       int64
}

// next returns the next line without its end, valid until the next call, and the time of the line or the error.
func (l *lines) next() ([]byte, int64, error) {
	for {
		if end := bytes.IndexByte(l.buffer[l.from:l.to], '\n'); end >= 0 {
			line := l.buffer[l.from : l.from+end]
			l.from += end + 1
			return line, l.at, nil
		}
		if l.from > 0 {
			l.to = copy(l.buffer[:], l.buffer[l.from:l.to])
			l.from = 0
		}
		if l.to == len(l.buffer) {
			return nil, l.at, errTooLong
		}
		n, err := l.conn.Read(l.buffer[l.to:])
		l.at = l.clock.now()
		l.to += n
		if err != nil && n == 0 {
			return nil, l.at, err
		}
	}
}

// rest returns the beginning of a line that has not ended.
func (l *lines) rest() []byte { return l.buffer[l.from:l.to] }

const noteBytes = 64

// cutOff records that a victim violated the protocol. It is never suppressed, because no Gone follows it.
func (r *Recorder) cutOff(victim mark.Record, at int64, why string, received []byte) {
	victim.At, victim.Kind = at, mark.Unreadable
	victim.Detail = mark.Detail{Note: fmt.Sprintf("%s: %q", why, received[:min(len(received), noteBytes)])}
	r.store.add(victim)
}

func (r *Recorder) addUnreadable(conn uint64, at int64, why string, received []byte) {
	suppressed, ok := r.unreadable.pass(at)
	if !ok {
		return
	}
	note := fmt.Sprintf("%s: %q", why, received[:min(len(received), noteBytes)])
	if suppressed > 0 {
		note += fmt.Sprintf(" (and %d connections more before it)", suppressed)
	}
	r.store.add(mark.Record{At: at, Conn: conn, Kind: mark.Unreadable, Detail: mark.Detail{Note: note}})
}

var (
	victimRoles = []mark.Role{mark.Run, mark.Hook, mark.Probe}
	victimKinds = []mark.Kind{mark.Started, mark.SIGTERM, mark.Exiting, mark.HookBegan, mark.HookEnded,
		mark.PostStartBegan, mark.PostStartEnded, mark.Probed, mark.Followed, mark.FillBegan, mark.Filled,
		mark.Requested, mark.LastRequest}
)

func parseHello(text []byte) (mark.Hello, error) {
	var hello mark.Hello
	if err := json.Unmarshal(text, &hello); err != nil {
		return mark.Hello{}, errors.New("the first line is no hello")
	}
	if hello.Pod == "" || hello.UID == "" || hello.Container == "" {
		return mark.Hello{}, errors.New("a hello without pod, uid or container")
	}
	if !slices.Contains(victimRoles, hello.Role) {
		return mark.Hello{}, errors.New("a hello with an unknown role")
	}
	return hello, nil
}

func parseLine(text []byte) (mark.Line, error) {
	var line mark.Line
	if err := json.Unmarshal(text, &line); err != nil {
		return mark.Line{}, errors.New("a line that is no mark")
	}
	kind := slices.Index(victimKinds, line.Kind)
	if kind < 0 {
		return mark.Line{}, errors.New("a mark of a kind that victims do not send")
	}
	if line.N < 1 {
		return mark.Line{}, errors.New("a mark without a number")
	}
	line.Kind = victimKinds[kind] // the constant shares its memory
	return line, nil
}
