package repetition_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/repetition"
)

// wave is a run with so many nodes of one group. Each one's SIGKILL comes a little later than the last one's.
func wave(number, nodes int, change func(node int, r *run.Run)) run.Run {
	r := fixture.Fixture()
	r.ID, r.Subjects, r.Outcomes = fmt.Sprintf("20260302-10000%d", number), nil, nil
	for i := range nodes {
		name := fmt.Sprintf("node-%d-%d", number, i)
		r.Subjects = append(r.Subjects, run.Subject{
			Name: name, Node: name, Group: "v1.36.3, containerd, Debian", Kubelet: formula.Kubelet{Version: "v1.36.3"},
		})
		left := 5021*time.Millisecond + time.Duration(i)*time.Millisecond
		r.Outcomes = append(r.Outcomes,
			fixture.Outcome(name, "termination/ignored-sigterm", 9*time.Second, fixture.Killed("ignored", left)),
			fixture.Outcome(name, "probes/exec-liveness-fails", 20*time.Second, fixture.Failing("failing", 3)))
		if change != nil {
			change(i, &r)
		}
	}
	return r
}

// deviateOn makes the last outcome of a node one that deviates.
func deviateOn(node int) func(int, *run.Run) {
	return func(i int, r *run.Run) {
		if i == node {
			r.Outcomes[len(r.Outcomes)-1] = fixture.Outcome(r.Subjects[i].Name, "probes/exec-liveness-fails",
				20*time.Second, fixture.Failing("failing", 2))
		}
	}
}

// lateOn makes a node's SIGKILL late.
func lateOn(node int, by time.Duration) func(int, *run.Run) {
	return func(i int, r *run.Run) {
		if i == node {
			r.Outcomes[len(r.Outcomes)-2] = fixture.Outcome(r.Subjects[i].Name, "termination/ignored-sigterm",
				9*time.Second, fixture.Killed("ignored", 5021*time.Millisecond+by))
		}
	}
}

func fleetOf(asked int, waves ...run.Run) repetition.Fleet {
	b := repetition.NewFleet(asked)
	for _, w := range waves {
		b.Add(w)
	}
	return b.Fleet()
}

func TestFleetNamesTheNodeThatDeviates(t *testing.T) {
	g := NewWithT(t)
	f := fleetOf(10, wave(1, 5, nil), wave(2, 5, deviateOn(3)))
	g.Expect(f.Title()).To(Equal("Fleet of 10 nodes: 1 deviates (node-2-3)"))
	g.Expect(f.ExitCode).To(Equal(run.ExitDeviates))
	g.Expect(f.Groups).To(Equal([]repetition.Group{{Name: "v1.36.3, containerd, Debian", Nodes: 10, Deviate: 1}}))
	g.Expect(f.Nodes[8].Deviations).To(Equal([]string{"probes/exec-liveness-fails"}))
	g.Expect(f.Nodes[8].Wave).To(Equal("20260302-100002"))
	for _, c := range f.Claims {
		g.Expect(c.Kubelet).To(Equal(f.Groups[0].Name), "claims are distributed over the nodes of a group")
	}
}

// A node whose kills come late is named, also if they are in time. One that is only a little late is not.
func TestFleetNamesTheNodeUnlikeTheOthers(t *testing.T) {
	g := NewWithT(t)
	f := fleetOf(10, wave(1, 5, nil), wave(2, 5, lateOn(2, 180*time.Millisecond)))
	g.Expect(f.ExitCode).To(Equal(run.ExitConforms))
	g.Expect(f.Outliers).To(HaveLen(1))
	o := f.Outliers[0]
	g.Expect(o.Node).To(Equal("node-2-2"))
	g.Expect(o.Trial).To(Equal("termination/ignored-sigterm"))
	g.Expect(o.Group.Median).To(BeNumerically("<", o.Measured))
	g.Expect(fleetOf(10, wave(1, 5, nil), wave(2, 5, lateOn(2, 60*time.Millisecond))).Outliers).To(BeEmpty())
	g.Expect(fleetOf(4, wave(1, 4, lateOn(2, 180*time.Millisecond))).Outliers).To(BeEmpty(), "four have no middle")
}

func TestFleetThatWasNotJudged(t *testing.T) {
	g := NewWithT(t)
	g.Expect(fleetOf(10, wave(1, 5, nil)).ExitCode).To(Equal(run.ExitUnjudged), "five nodes were not reached")
	g.Expect(fleetOf(10, wave(1, 5, nil)).Title()).To(HaveSuffix("0 deviate, 5 not reached"))
	empty := wave(2, 5, func(i int, r *run.Run) {
		if i == 4 {
			r.Outcomes = r.Outcomes[:len(r.Outcomes)-2]
		}
	})
	f := fleetOf(5, empty)
	g.Expect(f.ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(f.Nodes[4].Unjudged).To(Equal("no trial was judged"))
	b := repetition.NewFleet(5)
	b.Add(wave(1, 5, nil))
	b.AddProblem("wave 2 of 2: no room")
	g.Expect(b.Fleet().ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(fleetOf(0).ExitCode).To(Equal(run.ExitUnjudged), "nothing was tested")
}

func TestFleetIsRendered(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	b := repetition.NewFleet(12)
	b.Add(wave(1, 5, lateOn(1, 200*time.Millisecond)))
	b.Add(wave(2, 5, deviateOn(3)))
	b.AddProblem("interrupted after 2 of 3 waves: interrupt signal received")
	g.Expect(folder.WriteFleet(dir, b.Fleet())).To(Succeed())
	for _, file := range []string{repetition.FleetFile, repetition.FleetClaimsFile, repetition.FleetJSON} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		g.Expect(err).NotTo(HaveOccurred())
		if file == repetition.FleetJSON {
			fixture.GoldenKeys(t, "fleet", text)
		} else {
			fixture.Golden(t, file, text)
		}
	}
}
