package session

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

func selection(trials ...trial.Trial) (all []runner.Selection) {
	for _, subject := range []string{"v1.37.2", "v1.36.3"} {
		for _, t := range trials {
			all = append(all, runner.Selection{Trial: t, Subject: subject})
		}
	}
	return all
}

// The trials that kill the most for their CPU time come first, then those that kill a mutant a second time.
func TestChoosesTheTrialsThatFindTheMost(t *testing.T) {
	g := NewWithT(t)
	subjects, err := kubelets.ParseSubjects(run.NodeLane, "v1.37.2,v1.36.3")
	g.Expect(err).NotTo(HaveOccurred())
	trials := []trial.Trial{
		{ID: "a/long", Lasts: time.Hour},
		{ID: "a/two", Lasts: 20 * time.Second},
		{ID: "a/three-of-three-pods", Lasts: 20 * time.Second, Companions: make([]*corev1.Pod, 2)},
		{ID: "a/again", Lasts: 30 * time.Second},
		{ID: "a/nothing", Lasts: 10 * time.Second},
	}
	kills := Kills{
		"a/long": {"one", "two", "three", "four", "five", "six"}, "a/two": {"one", "two"}, "a/again": {"one"},
		"a/three-of-three-pods": {"three", "four", "five"}, "elsewhere": {"seven"},
	}
	chosen := func(within time.Duration) Choice {
		c := Config{Within: within, subjects: subjects}
		kept, choice := c.choose(selection(trials...), kills)
		g.Expect(kept).To(HaveLen(2*len(choice.Kept)), "on both subjects")
		return choice
	}
	least := Config{subjects: subjects}.takes(trials[1:2])
	g.Expect(least).To(BeNumerically(">", 20*time.Second))
	g.Expect(chosen(least)).To(Equal(Choice{
		Within: least, Kept: []string{"a/nothing", "a/two"}, Killed: 2, Of: 6,
		LeftOut: []string{"a/again", "a/long", "a/three-of-three-pods"},
	}), "what takes no longer is free")
	g.Expect(chosen(10 * time.Minute)).To(And(
		HaveField("LeftOut", []string{"a/long"}), HaveField("Killed", 5), HaveField("String()", MatchRegexp(
			`^4 of 5 trials are chosen to end within 10m0s on this host; they kill 5 of the 6 recorded mutants that `+
				`all kill \(83\.3 %\); left out: a/long$`))))
	g.Expect(chosen(2 * time.Hour).String()).To(BeEmpty())
	g.Expect(chosen(time.Second).Kept).To(BeEmpty())
}

// A host that starts processes slowly has time for less.
func TestSlowHostChoosesLess(t *testing.T) {
	g := NewWithT(t)
	subjects, err := kubelets.ParseSubjects(run.NodeLane, "v1.37.2,v1.36.3")
	g.Expect(err).NotTo(HaveOccurred())
	var trials []trial.Trial
	for i := range 100 {
		trials = append(trials, trial.Trial{ID: fmt.Sprintf("a/%d", i), Lasts: 20 * time.Second})
	}
	usual, slow := Config{subjects: subjects}, Config{subjects: subjects, slower: 4}
	g.Expect(slow.takes(trials)).To(BeNumerically("~", 4*usual.takes(trials), 2*time.Minute))
	slow.Within = usual.takes(trials)
	_, choice := slow.choose(selection(trials...), nil)
	g.Expect(len(choice.Kept)).To(And(BeNumerically(">", 10), BeNumerically("<", 40)))
	g.Expect(choice.String()).To(ContainSubstring("on this host, where a start takes 4.0 times its usual CPU time;"))
	g.Expect(slower()).To(BeNumerically(">=", 1))
}

// A trial that needs a worker of its own waits for its turn on one of few.
func TestTimeOfTrialsOnWorkersOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	subjects, err := kubelets.ParseSubjects(run.NodeLane, "v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	c := Config{subjects: subjects}
	var trials []trial.Trial
	for range 4 {
		w := &trial.Worker{Name: "tuned", Alone: true}
		trials = append(trials, trial.Trial{ID: "a/alone", Lasts: time.Minute, Worker: w})
	}
	g.Expect(c.takes(trials)).To(BeNumerically(">=", 4*time.Minute))
	virtual, err := kubelets.ParseSubjects(run.VirtualLane, "v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(Config{subjects: virtual}.takes(trials)).To(BeNumerically("<", time.Second))
}
