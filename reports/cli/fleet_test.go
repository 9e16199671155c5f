package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/view/repetition"
)

// fleetOfSeven is a fleet of seven nodes in waves of three. play gets each wave's number.
func fleetOfSeven(t *testing.T, play func(wave int, r runs.Run) (runs.Run, error)) (*fleetPlay, *bytes.Buffer) {
	var nodes []external.Node
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		nodes = append(nodes, external.Node{Name: name, Group: "all"})
	}
	log, number := &bytes.Buffer{}, 0
	f := &fleetPlay{ending: ending{dir: t.TempDir()}, log: log}
	NewWithT(t).Expect(f.plan(session.Config{External: &external.Cluster{Nodes: nodes}}, 3)).To(Succeed())
	f.play = func(_ context.Context, wave session.Config) (runs.Run, error, error) {
		number++
		r := runs.Run{ID: "wave-" + string(rune('0'+number))}
		for _, n := range wave.External.Nodes {
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
	g.Expect(f.complete && f.measured).To(BeTrue())
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
	g.Expect(f.complete).To(BeFalse(), "a further run would play it")
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
	g.Expect(f.complete).To(BeFalse())
	g.Expect(filepath.Join(f.dir, repetition.FleetJSON)).To(BeAnExistingFile())
}

// runOf is a run in which so many of the nodes were judged.
func runOf(id string, judged int, nodes ...string) runs.Run {
	r := runs.Run{ID: id}
	for i, n := range nodes {
		r.Subjects = append(r.Subjects, runs.Subject{Name: n, Node: n})
		if i < judged {
			r.Outcomes = append(r.Outcomes, runs.Outcome{
				Trial: "a/b", Subject: n, Verdict: trial.Conforms, Attempts: make([]runs.Attempt, 1),
			})
		}
	}
	return r
}

// A fleet that was killed in its second wave keeps the first, continues the second, and plays the rest. A node that
// left the cluster keeps its result.
func TestFleetContinues(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	dir, _, err := runs.NewFolder(out, repetition.FleetPrefix, time.Now())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(newestFleet(out)).To(Equal(dir))
	first, second := filepath.Join(dir, "20260101-000000"), filepath.Join(dir, "20260101-000100")
	for _, folder := range []string{first, second, filepath.Join(dir, "20260101-000200")} {
		g.Expect(os.Mkdir(folder, 0o755)).To(Succeed())
	}
	g.Expect(runs.Save(first, runOf("20260101-000000", 3, "a", "b", "c"), nil)).To(Succeed())
	g.Expect(runs.Latest(dir, first)).To(Succeed())
	killed := runOf("20260101-000100", 1, "d", "e")
	journal, err := runs.OpenJournal(second, killed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(journal.Add(killed.Outcomes, nil)).To(Succeed())

	var nodes []external.Node
	for _, name := range []string{"g", "f", "e", "d", "c", "a"} {
		nodes = append(nodes, external.Node{Name: name})
	}
	config := session.Config{External: &external.Cluster{Nodes: nodes}, Out: out, Continue: true}
	f := &fleetPlay{ending: ending{dir: dir}, log: io.Discard}
	g.Expect(f.plan(config, 1)).To(Succeed())
	ctx, stop := context.WithCancelCause(t.Context())
	var waves [][]string
	f.play = func(_ context.Context, wave session.Config) (runs.Run, error, error) {
		g.Expect(wave.Out).To(Equal(dir))
		g.Expect(wave.Continue).To(BeFalse(), "a new wave continues no other one")
		waves = append(waves, append(wave.SubjectNames(), filepath.Base(wave.Folder)))
		if wave.Folder == "" {
			return runOf("new", 1, wave.SubjectNames()...), nil, nil
		}
		stop(errors.New("terminated"))
		r, err := runs.Unfinished(wave.Folder)
		return r, nil, err
	}
	g.Expect(f.playAll(ctx)).To(Succeed())
	g.Expect(waves).To(Equal([][]string{{"c", "a", "20260101-000000"}, {"e", "d", "20260101-000100"}}))
	report := f.report.Fleet()
	g.Expect(report.Asked).To(Equal(7))
	g.Expect(report.Nodes).To(HaveLen(5), "an interrupt loses no wave that was measured before")
	g.Expect(report.Problems).To(Equal([]string{"interrupted after 2 of 4 waves: terminated"}))
	g.Expect(f.measured && !f.complete).To(BeTrue())

	waves = nil
	g.Expect(f.plan(config, 1)).To(Succeed())
	f.waves = f.waves[4:]
	g.Expect(f.playAll(t.Context())).To(Succeed())
	g.Expect(waves[2:]).To(Equal([][]string{{"g", "."}, {"f", "."}}))
}

// If nodes left the cluster, a fleet may fit into one wave. It continues, unless a run is newer.
func TestASmallFleetContinues(t *testing.T) {
	g := NewWithT(t)
	o := runOptions{external: externalOptions{atOnce: 3}}
	config := session.Config{
		Out: t.TempDir(), Continue: true, External: &external.Cluster{Nodes: make([]external.Node, 3)},
	}
	g.Expect(o.needsWaves(config)).To(BeFalse())
	g.Expect(os.Mkdir(filepath.Join(config.Out, "fleet-20260101-000000"), 0o755)).To(Succeed())
	g.Expect(o.needsWaves(config)).To(BeTrue())
	newer := filepath.Join(config.Out, "20260101-000001")
	g.Expect(os.Mkdir(newer, 0o755)).To(Succeed())
	g.Expect(runs.Save(newer, runOf("20260101-000001", 1, "a"), nil)).To(Succeed())
	g.Expect(o.needsWaves(config)).To(BeFalse())
}

// A run of one wave continues with its own nodes, if there are more than one wave's now.
func TestARunOfOneWaveContinuesWithItsNodes(t *testing.T) {
	g := NewWithT(t)
	o := runOptions{external: externalOptions{atOnce: 2}}
	config := session.Config{Out: t.TempDir(), Continue: true, External: &external.Cluster{
		Nodes: []external.Node{{Name: "a"}, {Name: "b"}, {Name: "new"}},
	}}
	g.Expect(o.sameNodes(config)).To(HaveField("External.Nodes", HaveLen(3)), "a new fleet")
	dir := filepath.Join(config.Out, "20260101-000001")
	g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
	g.Expect(runs.Save(dir, runOf("20260101-000001", 1, "a", "b"), nil)).To(Succeed())
	g.Expect(o.sameNodes(config)).
		To(HaveField("External.Nodes", HaveExactElements(HaveField("Name", "a"), HaveField("Name", "b"))))
	g.Expect(os.Mkdir(filepath.Join(config.Out, "fleet-20260101-000002"), 0o755)).To(Succeed())
	g.Expect(o.sameNodes(config)).To(HaveField("External.Nodes", HaveLen(3)), "the fleet continues")
}

// A fleet has no JUnit report of all nodes, so it must not accept a file for one.
func TestFleetRefusesOneJUnitFile(t *testing.T) {
	g := NewWithT(t)
	config := session.Config{External: &external.Cluster{Nodes: make([]external.Node, 3)}}
	for _, tt := range []struct {
		atOnce int
		junit  string
		waves  bool
		err    bool
	}{
		{atOnce: 3, junit: "junit.xml"}, {atOnce: 2, waves: true}, {atOnce: 2, junit: "junit.xml", err: true},
	} {
		o := runOptions{junit: tt.junit, external: externalOptions{atOnce: tt.atOnce}}
		waves, err := o.needsWaves(config)
		g.Expect(waves).To(Equal(tt.waves), "%+v", tt)
		g.Expect(err != nil).To(Equal(tt.err), "%+v", tt)
	}
}

// Ginkgo's flags choose trials of a fleet. Its reports and its timeout are of one suite, so they are refused.
func TestAFleetIsNoSuite(t *testing.T) {
	const noEffect = ": it has no effect on a fleet"
	for args, says := range map[string]string{
		"--ginkgo.focus=a --ginkgo.skip=b --ginkgo.label-filter=c": "",

		"--ginkgo.junit-report=x": "--ginkgo.junit-report=x" + noEffect,
		"--ginkgo.timeout=5m":     "--ginkgo.timeout=5m0s" + noEffect,
	} {
		set := pflag.NewFlagSet("run", pflag.ContinueOnError)
		for _, name := range []string{"focus", "skip", "label-filter", "junit-report"} {
			set.String(ginkgoPrefix+name, "", "")
		}
		set.Duration(ginkgoPrefix+"timeout", 0, "")
		g := NewWithT(t)
		g.Expect(set.Parse(strings.Fields(args))).To(Succeed())
		if says == "" {
			g.Expect(choosesOnly(set)).To(Succeed())
			continue
		}
		g.Expect(choosesOnly(set)).To(MatchError(HavePrefix(says)))
	}
}
