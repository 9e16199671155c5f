package timeline

import (
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// zero is the beginning of every tape, a whole second.
const zero = int64(1_700_000_000) * int64(time.Second)

// at returns the instant this many milliseconds after zero.
func at(ms int64) int64 { return zero + ms*int64(time.Millisecond) }

// tape is a sequence of marks, numbered as victims and recorder number them.
type tape struct {
	records []mark.Record
	sent    map[uint64]int
}

// sender is one process that writes marks.
type sender struct {
	tape      *tape
	conn      uint64
	container string
	role      mark.Role
	life      int
}

// process opens the connection of a life's process. The recorder notes its Hello.
func (t *tape) process(ms int64, conn uint64, container string, role mark.Role, life int) sender {
	s := sender{tape: t, conn: conn, container: container, role: role, life: life}
	s.recorder(ms, mark.Connected)
	return s
}

func (t *tape) add(r mark.Record) {
	r.Seq = uint64(len(t.records) + 1)
	t.records = append(t.records, r)
}

// recorder adds a mark that the recorder writes itself.
func (s sender) recorder(ms int64, kind mark.Kind) sender {
	s.tape.add(mark.Record{At: at(ms), Conn: s.conn, Identity: s.identity(), Life: s.life, Kind: kind})
	return s
}

// says adds a mark of the process, which takes 0.1 ms to the recorder.
func (s sender) says(ms int64, kind mark.Kind, detail ...mark.Detail) sender {
	if s.tape.sent == nil {
		s.tape.sent = map[uint64]int{}
	}
	s.tape.sent[s.conn]++
	r := mark.Record{
		At:       at(ms),
		Conn:     s.conn,
		Identity: s.identity(),
		Life:     s.life,
		N:        s.tape.sent[s.conn],
		Kind:     kind,
		Sent:     at(ms) - 100_000,
	}
	if len(detail) > 0 {
		r.Detail = detail[0]
	}
	s.tape.add(r)
	return s
}

// probed adds a probe that reached the process, with its answer.
func (s sender) probed(ms int64, kind, answer string) sender {
	return s.says(ms, mark.Probed, mark.Detail{Probe: &mark.ProbeDetail{For: kind, Handler: "exec", Answer: answer}})
}

func (s sender) identity() mark.Identity {
	return mark.Identity{Pod: "ns/pod", UID: "uid", Container: s.container, Role: s.role}
}

// evidence returns the tape, known up to an instant.
func (t *tape) evidence(known int64) Evidence {
	return Evidence{Pod: "ns/pod", UID: "uid", Marks: t.records, Known: at(known)}
}

// oneLife returns a main process that starts at 0.1 s, gets SIGTERM at 5 s and is gone at 7 s.
func oneLife() *tape {
	t := &tape{}
	t.process(50, 1, "victim", mark.Run, 1).says(100, mark.Started).says(5000, mark.SIGTERM).recorder(7000, mark.Gone)
	return t
}
