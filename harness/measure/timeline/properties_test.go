package timeline

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

// anyRecord draws records, possible and impossible ones.
func anyRecord(t *rapid.T) mark.Record {
	r := mark.Record{
		At:   at(rapid.Int64Range(0, 60000).Draw(t, "at")),
		Conn: uint64(rapid.IntRange(0, 4).Draw(t, "conn")),
		Identity: mark.Identity{
			Pod:       "ns/pod",
			UID:       "uid",
			Container: rapid.SampledFrom([]string{"", "victim", "neighbour"}).Draw(t, "container"),
			Role:      rapid.SampledFrom([]mark.Role{"", mark.Run, mark.Hook, mark.Probe, "other"}).Draw(t, "role"),
		},
		Life: rapid.IntRange(-1, 5).Draw(t, "life"),
		N:    rapid.IntRange(-1, 5).Draw(t, "n"),
		Kind: rapid.SampledFrom([]mark.Kind{
			mark.Started, mark.SIGTERM, mark.Exiting, mark.HookBegan, mark.HookEnded, mark.Probed,
			mark.Connected, mark.Gone, mark.LateTick, mark.PSISample, mark.Unreadable, "unknown"}).Draw(t, "kind"),
		Sent: rapid.SampledFrom([]int64{0, 1, zero, at(90000)}).Draw(t, "sent"),
	}
	if rapid.Bool().Draw(t, "with probe") {
		r.Detail.Probe = &mark.ProbeDetail{
			For:    rapid.SampledFrom([]string{"liveness", "startup", ""}).Draw(t, "for"),
			Answer: rapid.SampledFrom([]string{"S", "F", "H", "L", "E", "", "?"}).Draw(t, "answer"),
		}
	}
	return r
}

func anyEvidence(t *rapid.T) Evidence {
	e := Evidence{
		Pod:   "ns/pod",
		Marks: rapid.SliceOfN(rapid.Custom(anyRecord), 0, 25).Draw(t, "marks"),
		Known: at(rapid.Int64Range(0, 90000).Draw(t, "known")),
	}
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		e.API = append(e.API, Shown(Change{Deleted: rapid.Bool().Draw(t, "deleted"), Containers: []ContainerStatus{
			{
				Name: rapid.SampledFrom([]string{"victim", "stranger"}).Draw(t, "name"),
				Ended: rapid.SampledFrom([]*End{
					nil, {}, {Life: 1, FinishedAt: at(3000) / int64(time.Second)}, {Life: -1, FinishedAt: 5},
					{Life: 9, FinishedAt: 1 << 33},
				}).Draw(t, "ended"),
			},
		}})...)
	}
	if rapid.Bool().Draw(t, "counters") {
		e.Counters = &Counters{
			Failed: map[string]map[string]int{
				"victim":   {"liveness": rapid.IntRange(-1, 9).Draw(t, "failed")},
				"stranger": nil,
			},
		}
	}
	return e
}

// For any evidence, Build numbers lives from 1 without gaps, and their methods do not panic.
func TestBuildTakesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		tl := Build(e, delay.Record{LateTicks: []delay.Span{{From: at(5000), To: at(6000)}}})
		for name, c := range tl.Containers {
			if name != c.Name {
				t.Fatalf("container %q is called %q", name, c.Name)
			}
			for i, life := range c.Lives {
				if life.Number != i+1 || tl.Life(name, i+1) != life {
					t.Fatalf("life %d of %s is at place %d", life.Number, name, i+1)
				}
				_ = life.SIGTERM()
				if n := life.FailedInARow("liveness"); n < 0 || n > len(life.Probes) {
					t.Fatalf("%d of %d probes failed", n, len(life.Probes))
				}
			}
		}
		for _, life := range livesOf(tl) {
			for _, i := range instantsOf(life) {
				if i.Early < 0 || i.Late < 0 {
					t.Fatalf("observer error below zero: %+v", i)
				}
			}
		}
	})
}

// The same evidence, saved and loaded, yields the same facts.
func TestBuildOfSavedEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		saved, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var loaded Evidence
		if err := json.Unmarshal(saved, &loaded); err != nil {
			t.Fatal(err)
		}
		if a, b := Build(e, delay.Record{}), Build(loaded, delay.Record{}); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\nis not\n%+v", a, b)
		}
	})
}

// Marks and the instants of a life are in the recorder's order.
func TestOrderOfInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, now, conn := &tape{}, int64(0), uint64(0)
		step := func() int64 { now += rapid.Int64Range(1, 3000).Draw(t, "step"); return now }
		lives := rapid.IntRange(1, 4).Draw(t, "lives")
		var probes [5]int
		for n := 1; n <= lives; n++ {
			conn++
			p := x.process(step(), conn, "victim", mark.Run, n).says(step(), mark.Started)
			probes[n] = rapid.IntRange(0, 5).Draw(t, "probes")
			for range probes[n] {
				p.probed(step(), "liveness", "F")
			}
			p.says(step(), mark.SIGTERM).recorder(step(), mark.Gone)
		}
		tl := Build(x.evidence(now), delay.Record{})
		if len(tl.Doubts) > 0 || len(tl.Containers["victim"].Lives) != lives {
			t.Fatalf("%d lives of %d, doubts %v", len(tl.Containers["victim"].Lives), lives, tl.Doubts)
		}
		last := int64(0)
		for _, life := range tl.Containers["victim"].Lives {
			if len(life.Probes) != probes[life.Number] {
				t.Fatalf("life %d: %d probes of %d", life.Number, len(life.Probes), probes[life.Number])
			}
			for _, i := range instantsOf(life) {
				if i.At <= last {
					t.Fatalf("life %d: an instant is out of order", life.Number)
				}
				last = i.At
			}
		}
	})
}

func livesOf(tl *Timeline) (lives []*Life) {
	for _, c := range tl.Containers {
		lives = append(lives, c.Lives...)
	}
	return lives
}

// instantsOf returns a life's instants in the order of a container that is probed, signalled and killed.
func instantsOf(l *Life) (all []Instant) {
	for _, i := range []*Instant{l.Connected, l.Started} {
		if i != nil {
			all = append(all, *i)
		}
	}
	for _, p := range l.Probes {
		all = append(all, p.At)
	}
	all = append(all, l.SIGTERMs...)
	if l.Gone != nil {
		all = append(all, *l.Gone)
	}
	return all
}
