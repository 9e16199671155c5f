package sketch

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/view/fixture"
)

// TestDrawingGolden draws a deletion, probes that kill a container, and a deviation with all of its evidence.
func TestDrawingGolden(t *testing.T) {
	g := NewWithT(t)
	var b bytes.Buffer
	draw := func(r run.Run, o run.Outcome) {
		g.Expect(drawing.Text(&b, Drawing(r, o, *o.Last()), 120)).To(Succeed())
		fmt.Fprintln(&b)
	}
	r := fixture.Fixture()
	draw(r, r.Outcomes[0])
	draw(r, r.Outcomes[1])
	r, o := fixture.WithContext(r)
	r.Nodes[1].Delays = delay.Record{
		LateTicks: []delay.Span{
			{From: fixture.SeenAt(6 * time.Second), To: fixture.SeenAt(6600 * time.Millisecond)},
			{From: fixture.SeenAt(time.Hour), To: fixture.SeenAt(2 * time.Hour)},
		},
	}
	draw(r, o)
	fixture.Golden(t, "drawing", b.Bytes())
}

// crashLoop is the evidence of a container that crashes twice, with a back-off before its third life. Its pod
// has a companion, and a neighbour that never ends.
func crashLoop() timeline.Evidence {
	r := fixture.Record(
		"looping",
	).Main(0, 1, mark.Connected).
		Main(time.Millisecond, 1, mark.Started).
		Main(time.Second, 1, mark.Gone).
		Main(2*time.Second, 2, mark.Connected).
		Main(2001*time.Millisecond, 2, mark.Started).
		Main(3*time.Second, 2, mark.Gone).
		Main(13*time.Second, 3, mark.Connected).
		Main(13001*time.Millisecond, 3, mark.Started).
		Probe(14*time.Second, 3, "S").
		Probe(15*time.Second, 3, "H").
		Hook(16*time.Second, mark.HookBegan)
	e := r.Evidence
	waits := timeline.ContainerStatus{Name: trial.Main, State: "waiting", Reason: "CrashLoopBackOff", RestartCount: 1}
	e.API = timeline.Shown(
		timeline.Change{
			At:         timeline.Instant{At: fixture.SeenAt(3100 * time.Millisecond)},
			Phase:      "Running",
			Containers: []timeline.ContainerStatus{waits, {Name: "neighbour", State: "running"}},
		},
		timeline.Change{
			At:                         timeline.Instant{At: fixture.SeenAt(15500 * time.Millisecond)},
			Phase:                      "Running",
			DeletionTimestamp:          fixture.Began.Unix() + 25,
			DeletionGracePeriodSeconds: new(int64(10)),
		},
		timeline.Change{
			At:                         timeline.Instant{At: fixture.SeenAt(16500 * time.Millisecond)},
			Phase:                      "Running",
			DeletionTimestamp:          fixture.Began.Unix() + 18,
			DeletionGracePeriodSeconds: new(int64(2)),
		},
		timeline.Change{
			At:     timeline.Instant{At: fixture.SeenAt(16600 * time.Millisecond)},
			Pod:    "second",
			Phase:  "Failed",
			Reason: "Preempting",
		},
	)
	e.Events = []timeline.Event{
		{
			At:        timeline.Instant{At: fixture.SeenAt(4 * time.Second)},
			Container: "neighbour",
			Reason:    "BackOff",
			Count:     2,
		},
	}
	return e
}

func TestDrawingOfManyLives(t *testing.T) {
	g := NewWithT(t)
	o := run.Outcome{Trial: "restarts/loop", Subject: fixture.Reference}
	a := run.Attempt{Evidence: crashLoop(), Result: trial.Result{Verdict: trial.Deviates, Findings: []trial.Finding{
		{
			Claim:       "death-2-to-start-3",
			From:        trial.Gone.Life(2),
			To:          trial.Started.Life(3),
			Implemented: ns(10, 20),
			Documented:  new(ns(10, 10)),
			Measured: &trial.Measured{
				Unit:  formula.Nanoseconds,
				Value: int64(10 * time.Second),
				From:  fixture.SeenAt(3 * time.Second),
				To:    fixture.SeenAt(13 * time.Second),
			},
		},
		{
			Claim:       "start-3-to-death-3",
			From:        trial.Started.Life(3),
			To:          trial.Gone.Life(3),
			Verdict:     trial.Deviates,
			Implemented: ns(1, 3600),
			Since:       fixture.SeenAt(13 * time.Second),
		},
		{Claim: "hook-runs", Implemented: formula.Window{Unit: formula.Count, Latest: 1}},
		{
			Claim: "neighbour-death-to-phase-failed",
			From:  trial.Gone.Of("neighbour"), To: trial.Phase("Failed"), Implemented: ns(0, 1),
		},
		{
			Claim: "start-to-neighbour-sigterm",
			From:  trial.Started, To: trial.SIGTERM.Of("neighbour"), Implemented: ns(1, 2), Since: fixture.SeenAt(0),
		},
	}}}
	d := Drawing(fixture.Fixture(), o, a)

	g.Expect(d.Zero).To(Equal("the first process' start"))
	g.Expect(d.From).To(BeZero())
	g.Expect(d.To).To(Equal(24900*time.Millisecond),
		"the last fact came after 16.6 s, and a window extends the drawing by half at most")
	rows := map[string]drawing.Row{}
	var names []string
	for _, r := range d.Rows {
		rows[r.Name], names = r, append(names, r.Name)
	}
	g.Expect(names).To(Equal([]string{"pod", "victim", "neighbour", "pod second"}))
	victim := rows[trial.Main]
	g.Expect(victim.Bars).To(ContainElements(
		drawing.Bar{From: 0, To: time.Second, Kind: drawing.Life, Description: "life 1"},
		drawing.Bar{From: time.Second, To: 2 * time.Second, Kind: drawing.Waiting, Description: "restart to life 2"},
		drawing.Bar{From: 3 * time.Second, To: 13 * time.Second, Kind: drawing.BackOff,
			Description: "back-off before life 3"},
		drawing.Bar{From: 13 * time.Second, To: d.To, Kind: drawing.Life, Description: "life 3", Open: true},
	))
	g.Expect(victim.Marks).To(ContainElements(
		drawing.Mark{At: 14 * time.Second, Kind: drawing.Answered, Description: "liveness 1 over exec"},
		drawing.Mark{At: 15 * time.Second, Kind: drawing.Hung, Description: "liveness 2 over exec"},
	))
	g.Expect(victim.Windows).To(Equal([]drawing.Window{
		{
			Since:       3 * time.Second,
			Earliest:    13 * time.Second,
			Latest:      23 * time.Second,
			Of:          drawing.Implemented,
			Description: "death-2-to-start-3",
			Measured:    new(13 * time.Second),
		},
		{
			Since:       3 * time.Second,
			Earliest:    13 * time.Second,
			Latest:      13 * time.Second,
			Of:          drawing.Documented,
			Description: "death-2-to-start-3",
			Measured:    new(13 * time.Second),
		},
		{
			Since:       13 * time.Second,
			Earliest:    14 * time.Second,
			Latest:      3613 * time.Second,
			Of:          drawing.Implemented,
			Description: "start-3-to-death-3",
			Verdict:     "deviates",
		},
	}))
	g.Expect(rows["neighbour"].Windows).To(HaveLen(1), "a claim that began and did not end")
	g.Expect(rows["neighbour"].Marks).To(HaveLen(1), "its event")
	g.Expect(rows["pod"].Windows).To(BeEmpty(), "the beginning of that claim is unknown")
	g.Expect(rows["pod"].Bars).To(Equal([]drawing.Bar{
		{From: 15500 * time.Millisecond, To: 16500 * time.Millisecond, Kind: drawing.Grace, Description: "grace 10 s"},
		{From: 16500 * time.Millisecond, To: 18500 * time.Millisecond, Kind: drawing.Grace, Description: "grace 2 s"},
	}))
}

func ns(earliest, latest int64) formula.Window {
	return formula.Window{
		Unit:     formula.Nanoseconds,
		Earliest: earliest * int64(time.Second),
		Latest:   latest * int64(time.Second),
	}
}

func TestDrawingOfNothing(t *testing.T) {
	g := NewWithT(t)
	d := Drawing(fixture.Fixture(), run.Outcome{Trial: "a/b", Subject: "nobody"}, run.Attempt{})
	g.Expect(d.Rows).To(BeEmpty())
	g.Expect(d.Title).To(ContainSubstring("nothing was recorded"))
	var b bytes.Buffer
	g.Expect(drawing.SVG(&b, d)).To(Succeed())
}
