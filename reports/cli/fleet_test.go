package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/existing"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/repetition"
)

// fleetOfSeven is a fleet of seven nodes in waves of three. play gets each wave's number.
func fleetOfSeven(t *testing.T, play func(wave int, r runs.Run) (runs.Run, error)) (*fleetPlay, *bytes.Buffer) {
	var nodes []existing.Node
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		nodes = append(nodes, existing.Node{Name: name, Group: "all"})
	}
	log, number := &bytes.Buffer{}, 0
	f := &fleetPlay{
		dir: t.TempDir(), log: log, report: repetition.NewFleet(len(nodes)),
		waves: wavesOf(session.Config{Existing: &existing.Cluster{Nodes: nodes}}, 3),
	}
	f.play = func(_ context.Context, wave session.Config) (runs.Run, error, error) {
		number++
		r := runs.Run{ID: "wave-" + string(rune('0'+number))}
		for _, n := range wave.Existing.Nodes {
			r.Subjects = append(r.Subjects, runs.Subject{Name: n.Name, Node: n.Name, Group: n.Group})
			r.Outcomes = append(r.Outcomes, runs.Outcome{
				Trial: "a/b", Subject: n.Name, Verdict: trial.Conforms, Attempts: make([]runs.Attempt, 1),
			})
		}
		r, err := play(number, r)
		return r, nil, err
	}
	return f, log
}

func TestFleetPlaysAllNodesInWaves(t *testing.T) {
	g := NewWithT(t)
	f, log := fleetOfSeven(t, func(_ int, r runs.Run) (runs.Run, error) { return r, nil })
	g.Expect(f.playAll(t.Context())).To(Succeed())
	report := f.report.Fleet()
	g.Expect(report.Nodes).To(HaveLen(7))
	g.Expect(report.Waves).To(Equal([]string{"wave-1", "wave-2", "wave-3"}))
	g.Expect(report.ExitCode).To(Equal(runs.ExitConforms))
	g.Expect(log.String()).To(ContainSubstring("wave 1 of 3: 3 nodes\n"))
	g.Expect(log.String()).To(ContainSubstring("wave 3 of 3: 1 node, the last one ends about "))
	text, err := os.ReadFile(filepath.Join(f.dir, repetition.FleetFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(ContainSubstring("Fleet of 7 nodes: 0 deviate"))
}

// A wave that can't begin keeps no other from its nodes, and the fleet does not count as judged.
func TestFleetLosesAWave(t *testing.T) {
	g := NewWithT(t)
	f, _ := fleetOfSeven(t, func(wave int, r runs.Run) (runs.Run, error) {
		if wave == 2 {
			return runs.Run{}, errors.New("no room")
		}
		return r, nil
	})
	g.Expect(f.playAll(t.Context())).To(Succeed())
	report := f.report.Fleet()
	g.Expect(report.Nodes).To(HaveLen(4))
	g.Expect(report.Problems).To(Equal([]string{"wave 2 of 3: no room"}))
	g.Expect(report.ExitCode).To(Equal(runs.ExitUnjudged))
}

// An interrupt keeps what was measured, in the interrupted wave as well.
func TestFleetIsInterrupted(t *testing.T) {
	g := NewWithT(t)
	ctx, stop := context.WithCancelCause(t.Context())
	f, _ := fleetOfSeven(t, func(wave int, r runs.Run) (runs.Run, error) {
		if wave == 2 {
			stop(errors.New("interrupt signal received"))
			r.Problems = []string{"interrupted"}
		}
		return r, nil
	})
	g.Expect(f.playAll(ctx)).To(Succeed())
	report := f.report.Fleet()
	g.Expect(report.Nodes).To(HaveLen(6))
	g.Expect(report.Problems).To(ContainElement("interrupted after 2 of 3 waves: interrupt signal received"))
	g.Expect(filepath.Join(f.dir, repetition.FleetJSON)).To(BeAnExistingFile())
}

// A fleet has no JUnit report of all nodes, so it must not accept a file for one.
func TestFleetRefusesOneJUnitFile(t *testing.T) {
	g := NewWithT(t)
	config := session.Config{Existing: &existing.Cluster{Nodes: make([]existing.Node, 3)}}
	for _, tt := range []struct {
		atOnce int
		junit  string
		waves  bool
		err    bool
	}{
		{atOnce: 3, junit: "junit.xml"}, {atOnce: 2, waves: true}, {atOnce: 2, junit: "junit.xml", err: true},
	} {
		o := runOptions{junit: tt.junit, existing: existingOptions{atOnce: tt.atOnce}}
		waves, err := o.needsWaves(config)
		g.Expect(waves).To(Equal(tt.waves), "%+v", tt)
		g.Expect(err != nil).To(Equal(tt.err), "%+v", tt)
	}
}
