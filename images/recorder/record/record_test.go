package record

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
)

const bound = 10 * time.Second

// rig is a recorder that takes marks on a port of its own.
type rig struct {
	t *testing.T
	g *WithT
	*Recorder
	address string
}

func newRig(t *testing.T, options Options) *rig {
	t.Helper()
	g := NewWithT(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	r := &rig{t: t, g: g, Recorder: New(options), address: listener.Addr().String()}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.TakeMarks(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		g.Expect(<-done).To(Succeed())
	})
	return r
}

func (r *rig) dial() net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.address)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(bound))
	return conn
}

func (r *rig) send(conn net.Conn, line any) {
	r.t.Helper()
	r.g.Expect(json.NewEncoder(conn).Encode(line)).To(Succeed())
}

func id(uid string, role mark.Role) mark.Identity {
	return mark.Identity{Pod: "trials/pod", UID: uid, Container: "main", Role: role}
}

// join opens a connection as a process of a container would.
func (r *rig) join(who mark.Identity) (net.Conn, mark.Welcome) {
	r.t.Helper()
	conn := r.dial()
	r.send(conn, mark.Hello{Identity: who})
	return conn, r.welcome(conn)
}

func (r *rig) welcome(conn net.Conn) (welcome mark.Welcome) {
	r.t.Helper()
	line, err := bufio.NewReader(conn).ReadBytes('\n')
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(json.Unmarshal(line, &welcome)).To(Succeed())
	return welcome
}

func (r *rig) get(query string) (mark.Batch, int) {
	answer := httptest.NewRecorder()
	r.Reader().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, mark.ReaderPath+"?"+query, nil))
	var batch mark.Batch
	_ = json.Unmarshal(answer.Body.Bytes(), &batch)
	return batch, answer.Code
}

// await waits until the recorder holds n records.
func (r *rig) await(n int) []mark.Record {
	r.t.Helper()
	for start := time.Now(); time.Since(start) < bound; time.Sleep(time.Millisecond) {
		if batch, _ := r.get(""); len(batch.Records) >= n {
			return batch.Records
		}
	}
	batch, _ := r.get("")
	r.t.Fatalf("no %d records after %s, but %v", n, bound, batch.Records)
	return nil
}

func kinds(records []mark.Record) (kinds []mark.Kind) {
	for _, record := range records {
		kinds = append(kinds, record.Kind)
	}
	return kinds
}

func TestRecordsALife(t *testing.T) {
	r := newRig(t, Options{})
	before := r.Now()
	conn, welcome := r.join(id("u", mark.Run))
	r.g.Expect(welcome).To(Equal(mark.Welcome{Life: 1}))
	r.send(conn, mark.Line{N: 1, Kind: mark.Started, Sent: 11})
	r.send(
		conn,
		mark.Line{
			N:      2,
			Kind:   mark.Probed,
			Sent:   12,
			Detail: mark.Detail{Probe: &mark.ProbeDetail{For: "liveness", Handler: "http", Answer: "F"}},
		},
	)
	code := 3
	r.send(conn, mark.Line{N: 3, Kind: mark.Exiting, Sent: 13, Detail: mark.Detail{ExitCode: &code}})
	_ = conn.Close()
	records := r.await(5)
	r.g.Expect(kinds(records)).
		To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.Probed, mark.Exiting, mark.Gone}))
	last := before
	for i, record := range records {
		r.g.Expect(record.Seq).To(BeEquivalentTo(i + 1))
		r.g.Expect(record.Conn).To(BeEquivalentTo(1))
		r.g.Expect(record.Identity).To(Equal(id("u", mark.Run)))
		r.g.Expect(record.Life).To(Equal(1))
		r.g.Expect(record.At).To(BeNumerically(">=", last))
		last = record.At
	}
	r.g.Expect(last).To(BeNumerically("<=", r.Now()))
	r.g.Expect(records[2].Detail.Probe.Answer).To(Equal("F"))
	r.g.Expect(records[2].Sent).To(BeEquivalentTo(12))
	r.g.Expect(records[3].N).To(Equal(3))
	r.g.Expect(records[3].Detail.ExitCode).To(HaveValue(Equal(3)))
	r.g.Expect(records[4].N).To(Equal(0))
}

func TestAResetIsADeathToo(t *testing.T) {
	r := newRig(t, Options{})
	conn, _ := r.join(id("u", mark.Run))
	r.g.Expect(conn.(*net.TCPConn).SetLinger(0)).To(Succeed())
	_ = conn.Close()
	r.g.Expect(kinds(r.await(2))).To(Equal([]mark.Kind{mark.Connected, mark.Gone}))
}

func TestCountsLivesPerContainerOfAPod(t *testing.T) {
	r := newRig(t, Options{})
	other := id("u", mark.Run)
	other.Container = "other"
	for _, c := range []struct {
		who  mark.Identity
		life int
	}{
		{id("u", mark.Hook), 0},
		{id("u", mark.Run), 1},
		{id("u", mark.Probe), 1},
		{id("u", mark.Run), 2},
		{id("u", mark.Hook), 2},
		{other, 1},
		{id("again", mark.Run), 1},
		{id("u", mark.Run), 3},
	} {
		_, welcome := r.join(c.who)
		r.g.Expect(welcome.Life).To(Equal(c.life), "%v", c.who)
	}
}

func TestUnreadableInputHarmsNoOtherConnection(t *testing.T) {
	for name, c := range map[string]struct{ text, note string }{
		"HTTP":              {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1"},
		"no JSON":           {"hello\n", "no hello"},
		"another JSON":      {"[1,2,3]\n", "no hello"},
		"no identity":       {"{}\n", "without pod, uid or container"},
		"no role":           {`{"pod":"a/b","uid":"u","container":"c","role":"root"}` + "\n", "unknown role"},
		"an endless line":   {strings.Repeat("x", mark.MaxLine+1), "longer than"},
		"zeroes":            {strings.Repeat("\x00", 100) + "\n", "no hello"},
		"an unfinished one": {`{"pod":`, "no hello"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{HelloTimeout: 200 * time.Millisecond})
			victim, _ := r.join(id("u", mark.Run))
			bad := r.dial()
			_, err := bad.Write([]byte(c.text))
			r.g.Expect(err).NotTo(HaveOccurred())
			_, err = bad.Read(make([]byte, 1))
			r.g.Expect(err).To(HaveOccurred(), "the connection is closed")
			r.send(victim, mark.Line{N: 1, Kind: mark.Started})
			_ = victim.Close()
			records := r.await(4)
			r.g.Expect(kinds(records)).To(Equal([]mark.Kind{mark.Connected, mark.Unreadable, mark.Started, mark.Gone}))
			r.g.Expect(records[1].Identity).To(BeZero())
			r.g.Expect(records[1].Detail.Note).To(ContainSubstring(c.note))
			r.g.Expect(len(records[1].Detail.Note)).To(BeNumerically("<", 400))
		})
	}
}

// A connection that the recorder closes is not a death.
func TestUnreadableInputAfterTheHelloIsNoDeath(t *testing.T) {
	for _, text := range []string{
		"nonsense\n", `{"n":1,"kind":"gone"}` + "\n", `{"n":0,"kind":"started"}` + "\n",
		`{"n":1,"kind":"levitated"}` + "\n", strings.Repeat("x", mark.MaxLine+1),
	} {
		r := newRig(t, Options{})
		conn, _ := r.join(id("u", mark.Run))
		_, err := conn.Write([]byte(text))
		r.g.Expect(err).NotTo(HaveOccurred())
		_, err = conn.Read(make([]byte, 1))
		r.g.Expect(err).To(HaveOccurred())
		time.Sleep(20 * time.Millisecond)
		records := r.await(2)
		r.g.Expect(kinds(records)).To(Equal([]mark.Kind{mark.Connected, mark.Unreadable}))
		r.g.Expect(records[1].Conn).To(Equal(records[0].Conn))
	}
}

func TestALongLineThatIsAMarkIsOne(t *testing.T) {
	r := newRig(t, Options{})
	conn, _ := r.join(id("u", mark.Run))
	line := `{"n":1,"kind":"started"}`
	line += strings.Repeat(" ", mark.MaxLine-len(line))
	_, err := conn.Write([]byte(line + "\n" + `{"n":2,"kind":"sigterm"}` + "\n"))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(kinds(r.await(3))).To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.SIGTERM}))
}

func TestMarksMayComeInAnyPieces(t *testing.T) {
	r := newRig(t, Options{})
	conn, _ := r.join(id("u", mark.Run))
	for _, b := range []byte(`{"n":1,"kind":"started"}` + "\n" + `{"n":2,"kind":"sigterm"}` + "\n") {
		_, err := conn.Write([]byte{b})
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	r.g.Expect(kinds(r.await(3))).To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.SIGTERM}))
}

func TestUnreadableInputCannotFillTheMemory(t *testing.T) {
	r := newRig(t, Options{})
	began := time.Now()
	for range 200 {
		conn := r.dial()
		_, err := conn.Write([]byte("nonsense\n"))
		r.g.Expect(err).NotTo(HaveOccurred())
		_, _ = conn.Read(make([]byte, 1))
		_ = conn.Close()
	}
	seconds := int(time.Since(began).Seconds()) + 2
	r.g.Expect(len(r.await(unreadablePerSecond))).To(BeNumerically("<=", seconds*unreadablePerSecond))
}

func TestASilentConnectionIsClosed(t *testing.T) {
	r := newRig(t, Options{HelloTimeout: 50 * time.Millisecond})
	_, err := r.dial().Read(make([]byte, 1))
	r.g.Expect(err).To(MatchError(ContainSubstring("EOF")))
	batch, _ := r.get("")
	r.g.Expect(batch.Records).To(BeEmpty())
}

func TestTooManyConnectionsAreRefused(t *testing.T) {
	r := newRig(t, Options{MaxConns: 2})
	first, _ := r.join(id("a", mark.Run))
	r.join(id("b", mark.Run))
	r.g.Expect(r.welcome(r.dial()).Refused).To(ContainSubstring("2 connections"))
	_ = first.Close()
	r.await(3)
	_, welcome := r.join(id("c", mark.Run))
	r.g.Expect(welcome).To(Equal(mark.Welcome{Life: 1}))
}

func TestAReaderConfirmsWhatItHas(t *testing.T) {
	r := newRig(t, Options{})
	conn, _ := r.join(id("u", mark.Run))
	for n := 1; n <= 4; n++ {
		r.send(conn, mark.Line{N: n, Kind: mark.SIGTERM})
	}
	r.await(5)
	batch, _ := r.get("")
	epoch := "epoch=" + batch.Epoch
	r.g.Expect(batch.Last).To(BeEquivalentTo(5))
	batch, _ = r.get("epoch=another&after=3")
	r.g.Expect(batch.Records).To(HaveLen(5), "a number of another epoch confirms nothing")
	batch, _ = r.get(epoch + "&after=3")
	r.g.Expect(batch.Records).To(HaveLen(2))
	r.g.Expect(batch.Records[0].Seq).To(BeEquivalentTo(4))
	batch, _ = r.get(epoch + "&after=0")
	r.g.Expect(batch.Records).To(HaveLen(2), "what was confirmed is gone")
	r.g.Expect(batch.Dropped).To(BeZero(), "and was not dropped")
	batch, _ = r.get(epoch + "&after=5")
	r.g.Expect(batch.Records).To(BeEmpty())
	r.send(conn, mark.Line{N: 5, Kind: mark.SIGTERM})
	batch, _ = r.get(epoch + "&after=5&wait=10s")
	r.g.Expect(batch.Records).To(HaveLen(1))
	r.g.Expect(batch.Records[0].Seq).To(BeEquivalentTo(6))
}

func TestAReaderWaitsForTheNextRecord(t *testing.T) {
	r := newRig(t, Options{})
	conn, _ := r.join(id("u", mark.Run))
	batch, _ := r.get("")
	asked := r.Now()
	time.AfterFunc(200*time.Millisecond, func() { _, _ = fmt.Fprintln(conn, `{"n":1,"kind":"sigterm"}`) })
	batch, _ = r.get("wait=10s&after=1&epoch=" + batch.Epoch)
	r.g.Expect(kinds(batch.Records)).To(Equal([]mark.Kind{mark.SIGTERM}))
	r.g.Expect(batch.Clock - asked).To(And(BeNumerically(">=", 190*time.Millisecond), BeNumerically("<", bound)))
	began := time.Now()
	batch, _ = r.get("wait=2s&after=2&epoch=" + batch.Epoch)
	r.g.Expect(batch.Records).To(BeEmpty())
	r.g.Expect(time.Since(began)).To(BeNumerically(">=", 2*time.Second))
	r.g.Expect(r.Now()-batch.Clock).To(BeNumerically("<", 1500*time.Millisecond), "the clock is read when answering")
}

func TestNothingOfTheNodeIsAReasonToAnswer(t *testing.T) {
	r := newRig(t, Options{})
	conn, _ := r.join(id("u", mark.Run))
	batch, _ := r.get("")
	for _, of := range []mark.Kind{mark.PSISample, mark.LateTick, mark.NoAnswer} {
		r.store.add(mark.Record{Kind: of})
	}
	time.AfterFunc(200*time.Millisecond, func() { _, _ = fmt.Fprintln(conn, `{"n":1,"kind":"sigterm"}`) })
	batch, _ = r.get("wait=10s&after=1&epoch=" + batch.Epoch)
	r.g.Expect(kinds(batch.Records)).
		To(Equal([]mark.Kind{mark.PSISample, mark.LateTick, mark.NoAnswer, mark.SIGTERM}), "they come with a mark")
	r.store.add(mark.Record{Kind: mark.PSISample})
	batch, _ = r.get("wait=200ms&after=5&epoch=" + batch.Epoch)
	r.g.Expect(kinds(batch.Records)).To(Equal([]mark.Kind{mark.PSISample}), "or at the end of the wait")
}

func TestBadQuestions(t *testing.T) {
	r := newRig(t, Options{})
	for _, query := range []string{"after=-1", "after=x", "wait=5", "wait=-5s"} {
		_, code := r.get(query)
		r.g.Expect(code).To(Equal(http.StatusBadRequest), query)
	}
	answer := httptest.NewRecorder()
	r.Reader().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, mark.HealthPath, nil))
	r.g.Expect(answer.Code).To(Equal(http.StatusOK))
}

func TestMemoryIsBoundedAndLossesAreReported(t *testing.T) {
	const held = 1000
	g := NewWithT(t)
	one := mark.Record{
		Kind:   mark.Probed,
		Detail: mark.Detail{Probe: &mark.ProbeDetail{For: "liveness", Handler: "http", Answer: "F"}},
	}
	s := newStore("epoch", held*size(one))
	for range 10 * held {
		s.add(one)
		g.Expect(s.bytes).To(BeNumerically("<=", s.bound))
	}
	batch, _ := s.above(0, 20*held)
	g.Expect(batch.Last).To(BeEquivalentTo(10 * held))
	g.Expect(batch.Records[0].Seq).To(Equal(batch.Dropped + 1))
	g.Expect(len(batch.Records)).To(BeNumerically(">", held*3/4))
	for i, record := range batch.Records {
		g.Expect(record.Seq).To(Equal(batch.Dropped + 1 + uint64(i)))
	}
	s.confirm(batch.Last)
	g.Expect(s.bytes).To(BeZero())
}

func TestEveryRecordFitsInSomeBatch(t *testing.T) {
	r := newRig(t, Options{})
	for range batchRecords + 10 {
		r.store.add(mark.Record{Kind: mark.LateTick})
	}
	batch, _ := r.get("")
	r.g.Expect(batch.Records).To(HaveLen(batchRecords))
	r.g.Expect(batch.Last).To(BeEquivalentTo(batchRecords + 10))
	batch, _ = r.get(fmt.Sprintf("epoch=%s&after=%d", batch.Epoch, batchRecords))
	r.g.Expect(batch.Records).To(HaveLen(10))
}

// A process that connects again belongs to the same life. Another process of the container is the next life.
func TestAProcessThatConnectsTwiceIsOneLife(t *testing.T) {
	g := NewWithT(t)
	r := New(Options{})
	enter := func(uid, container, process string) int {
		life, ok := r.lives.enter(
			mark.Hello{Identity: mark.Identity{UID: uid, Container: container, Role: mark.Run}, Process: process},
		)
		g.Expect(ok).To(BeTrue())
		return life
	}
	g.Expect([]int{
		enter("a", "c", "one"), enter("a", "c", "two"), enter("a", "c", "one"), enter("a", "c", "two"),
		enter("a", "c", "three"),
	}).
		To(Equal([]int{1, 2, 1, 2, 3}))
	g.Expect([]int{enter("a", "d", "one"), enter("b", "c", "one")}).
		To(Equal([]int{1, 1}), "of another container, of another pod")
	g.Expect([]int{enter("a", "c", ""), enter("a", "c", "")}).
		To(Equal([]int{4, 5}), "a process without a word is a new one each time")
	for n := range 1000 {
		g.Expect(enter("a", "c", fmt.Sprint("crash ", n))).To(Equal(6 + n))
	}
	g.Expect(r.lives.of).To(HaveLen(3), "one for each container, however often it is started")
}
