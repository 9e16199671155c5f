package recorder_test

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/virtual/_node/recorder"
)

func id(container string, role mark.Role) mark.Identity {
	return mark.Identity{Pod: "default/pod", UID: "uid", Container: container, Role: role}
}

func TestLivesAreCountedPerContainer(t *testing.T) {
	g := NewWithT(t)
	r := recorder.New(func(mark.Record) {})
	for _, c := range []struct {
		container string
		role      mark.Role
		life      int
	}{
		{"a", mark.Probe, 0}, {"a", mark.Run, 1}, {"a", mark.Hook, 1}, {"b", mark.Run, 1}, {"a", mark.Run, 2}, {"a",
			mark.Probe, 2}, {"b", mark.Hook, 1},
	} {
		g.Expect(r.Connect(id(c.container, c.role)).Life()).To(Equal(c.life), "%+v", c)
	}
	again := id("a", mark.Run)
	again.UID = "another pod of the same name"
	g.Expect(r.Connect(again).Life()).To(Equal(1))
}

func TestRecordsAreNumberedAndStamped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var records []mark.Record
		r := recorder.New(func(record mark.Record) { records = append(records, record) })
		start := time.Now()
		p := r.Connect(id("a", mark.Run))
		p.Mark(mark.Started, start, mark.Detail{})
		time.Sleep(time.Second)
		p.Mark(mark.SIGTERM, start, mark.Detail{Signal: "SIGUSR1"})
		r.Pulled("default", "pod", "b")
		p.Close()
		p.Close()
		p.Mark(mark.Exiting, start, mark.Detail{})

		began, then := start.UnixNano(), start.Add(time.Second).UnixNano()
		run := id("a", mark.Run)
		g.Expect(records).To(Equal([]mark.Record{
			{Seq: 1, At: began, Conn: 1, Identity: run, Life: 1, Kind: mark.Connected},
			{Seq: 2, At: began, Conn: 1, Identity: run, Life: 1, N: 1, Kind: mark.Started, Sent: began},
			{
				Seq:      3,
				At:       then,
				Conn:     1,
				Identity: run,
				Life:     1,
				N:        2,
				Kind:     mark.SIGTERM,
				Sent:     began,
				Detail:   mark.Detail{Signal: "SIGUSR1"},
			},
			{Seq: 4, At: then, Identity: mark.Identity{Pod: "default/pod", Container: "b"}, Kind: mark.Pulled},
			{Seq: 5, At: then, Conn: 1, Identity: run, Life: 1, Kind: mark.Gone},
		}))
	})
}
