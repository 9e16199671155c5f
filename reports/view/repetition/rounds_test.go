package repetition_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/repetition"
	"github.com/podclock/podclock/reports/view/series"
)

// ownReference is a user's binary that reports the version of the reference.
const ownReference = "v1.36.3@./kubelet"

// rounds are three runs of one kubelet under two names, each a little slower than the one before. In the second,
// a claim deviates on the second subject, and a process dies late on a delayed node.
func rounds() []run.Run {
	var all []run.Run
	for n := range 3 {
		by := time.Duration(n) * 40 * time.Millisecond
		r := fixture.Fixture()
		r.ID, r.Profile = fmt.Sprintf("20260302-10000%d", n), "quick"
		r.Reported = r.Reported.Add(time.Duration(n) * 7 * time.Second)
		r.Subjects = []run.Subject{
			{
				Name:     fixture.Reference,
				Node:     "podclock-worker",
				Kubelet:  formula.Kubelet{Version: "v1.36.3"},
				Reported: "v1.36.3",
			},
			{
				Name:     ownReference,
				Node:     "podclock-worker2",
				Kubelet:  formula.Kubelet{Version: "v1.36.3"},
				Reported: "v1.36.3",
				Path:     "./kubelet",
			},
		}
		r.Outcomes = nil
		for i, s := range r.Subjects {
			second := 3
			if n == 1 && i == 1 {
				second = 2
			}
			left := 5021*time.Millisecond + by + time.Duration(i)*10*time.Millisecond
			r.Outcomes = append(
				r.Outcomes,
				fixture.Outcome(s.Name, "termination/ignored-sigterm", 9*time.Second, fixture.Killed("ignored", left)),
				fixture.Outcome(
					s.Name,
					"probes/exec-liveness-fails",
					20*time.Second,
					fixture.Failing("failing", second),
				),
				fixture.Outcome(
					s.Name,
					"termination/grace-of-one-second",
					6*time.Second,
					fixture.Killed("grace", 2034*time.Millisecond+by),
				),
			)
			if n == 1 {
				r.Outcomes = append(r.Outcomes, lateOutcome(s.Name))
			}
		}
		all = append(all, r)
	}
	return all
}

// lateOutcome is the fixture's retried trial with the distorted attempt only.
func lateOutcome(subject string) run.Outcome {
	for _, o := range fixture.Fixture().Outcomes {
		if o.Trial == "termination/exits-on-sigterm" {
			o.Subject, o.Attempts = subject, o.Attempts[:1]
			o.Verdict = o.Last().Result.Verdict
			return o
		}
	}
	panic("the fixture has no such trial")
}

func roundsOf(runs ...run.Run) repetition.Rounds {
	r := repetition.NewRounds(0, repetition.MostInconclusive)
	for _, run := range runs {
		r.Ask(1)
		r.Add(run)
	}
	return r.Rounds()
}

func TestRoundsAreRendered(t *testing.T) {
	g := NewWithT(t)
	collected := repetition.NewRounds(4, 0.2)
	for _, run := range rounds() {
		collected.Add(run)
	}
	failed := fixture.FailedSetUp()
	failed.ID = "20260302-100003"
	collected.Add(failed)
	dir := t.TempDir()
	g.Expect(folder.WriteRounds(dir, collected.Rounds())).To(Succeed())
	for _, file := range []string{repetition.RoundsFile, repetition.RoundsClaimsFile, repetition.RoundsJSON} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		g.Expect(err).NotTo(HaveOccurred())
		if file == repetition.RoundsJSON {
			fixture.GoldenKeys(t, "repeat", text)
		} else {
			fixture.Golden(t, file, text)
		}
	}
}

func TestRoundsWithEqualVerdicts(t *testing.T) {
	p := roundsOf(rounds()[0], rounds()[2]).Report().Sections[1]
	NewWithT(
		t,
	).Expect(p.Lines).
		To(ConsistOf(HaveField("Text", "None: all repetitions of a trial have the same verdict.")))
}

func TestRoundsAreCounted(t *testing.T) {
	g := NewWithT(t)
	r := roundsOf(append(rounds(), fixture.FailedSetUp())...)
	g.Expect(r.Outcomes).To(Equal(3*2*3+2), "of the failed round nothing counts")
	g.Expect(r.Verdicts).
		To(Equal(map[trial.Verdict]int{
			trial.Conforms: 11, trial.Divergent: 6, trial.Deviates: 1, trial.Inconclusive: 2,
		}))
	g.Expect(r.Inconclusive).To(BeNumerically("~", 0.1))
	g.Expect(r.Kubelets).To(ConsistOf(And(HaveField("Kubelet", "v1.36.3"), HaveField("Lane", run.NodeLane),
		HaveField("Subjects", []string{fixture.Reference, ownReference}),
		HaveField("Trials", 4), HaveField("Repeats", 6))))
	g.Expect(r.Rounds).To(HaveLen(4))
	g.Expect(r.Judged).To(Equal(42), "of 44 claims two could not be judged")
	g.Expect(r.Rounds[3].Failed).To(ContainSubstring("was not Ready"))
	g.Expect(r.Rounds[0].Verdicts).To(HaveKeyWithValue(trial.Conforms, 4))
	g.Expect(r.Unusual).To(HaveLen(3))
	g.Expect(r.Unusual[0]).To(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"Verdict": Equal(
			trial.Deviates,
		),
		"Trial":   Equal("probes/exec-liveness-fails"),
		"Subject": Equal(ownReference),
		"Round":   Equal("20260302-100001"),
		"Usual": Equal(
			trial.Conforms,
		),
		"Times":   Equal(1),
		"Repeats": Equal(6),
		"Reason":  ContainSubstring("liveness-failing-probes-2"),
	}))
	g.Expect(r.Unusual[1].Verdict).To(Equal(trial.Inconclusive), "though it is the only one of its trial")
}

// Trials that the end of a round cut short are no repeats. Other inconclusive trials are.
func TestRoundsDoNotCountWhatWasCutShort(t *testing.T) {
	g := NewWithT(t)
	all := rounds()
	all[1].Problems = []string{"v1.35.4 could not be put under test: it does not boot"}
	g.Expect(roundsOf(all...).CutShort).To(BeZero(), "another subject's loss excuses nothing")
	g.Expect(roundsOf(all...).Verdicts).To(HaveKeyWithValue(trial.Inconclusive, 2))

	all[1].Problems = []string{"interrupted"}
	g.Expect(roundsOf(all...).CutShort).To(BeZero(), "nor does an interrupt what was inconclusive before it")
	for i := range all[1].Outcomes {
		all[1].Outcomes[i].CutShort = i != 3
	}
	r := roundsOf(all...)
	g.Expect(r.CutShort).To(Equal(1))
	g.Expect(r.Outcomes).To(Equal(19))
	g.Expect(r.Verdicts).To(HaveKeyWithValue(trial.Inconclusive, 1))
	g.Expect(r.ExitCode).To(Equal(run.ExitDeviates), "a deviation counts whatever went wrong beside it")
	g.Expect(r.Rounds[1].String()).To(HaveSuffix("3 conforms, 2 divergent, 1 inconclusive, 1 deviates, 1 cut short"))
	g.Expect(r.Title()).To(HaveSuffix("5.26 % inconclusive, 1 cut short, 3 of 3 rounds"))
}

// Trials that were cut short count as unjudged.
func TestRoundsMustJudgeEnough(t *testing.T) {
	g := NewWithT(t)
	all := rounds()
	all[1].Outcomes = all[1].Outcomes[:3]
	g.Expect(roundsOf(all...).ExitCode).To(Equal(run.ExitConforms))
	cut := all[1].Outcomes[2]
	cut.Trial, cut.Verdict, cut.CutShort = "termination/other", trial.Inconclusive, true
	all[1].Outcomes = append(all[1].Outcomes, cut)
	r := roundsOf(all...)
	g.Expect(r.Inconclusive).To(BeZero())
	g.Expect(r.Unjudged).To(BeNumerically("~", 1.0/16))
	g.Expect(r.ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(r.ExitReason()).
		To(Equal("too much could not be judged: " +
			"0 of 15 verdicts inconclusive and 1 more cut short: 6.25 %, the limit is 0.50 %."))

	g.Expect(roundsOf(rounds()[0], fixture.FailedSetUp(), rounds()[2]).ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(roundsOf(rounds()[0], fixture.FailedSetUp(), rounds()[2]).ExitReason()).
		To(HavePrefix("only 2 of 3 rounds have verdicts"))

	quiet := rounds()
	quiet[0].Problems, quiet[2].Problems = []string{"the API server went away"}, []string{"the API server went away"}
	g.Expect(roundsOf(quiet[0], quiet[2]).ExitCode).To(Equal(run.ExitUnjudged), "two in a row")
	g.Expect(roundsOf(quiet[0], quiet[2]).ExitReason()).To(ContainSubstring("2 rounds in a row"))
	g.Expect(roundsOf(quiet[0], all[0], quiet[2]).ExitCode).To(Equal(run.ExitConforms))
}

func TestRoundsSeparateKubeletsAndLanes(t *testing.T) {
	g := NewWithT(t)
	r := rounds()[0]
	r.Subjects[1].Lane = run.VirtualLane
	mutated := fixture.Fixture()
	mutated.Subjects[0].Reported = "v1.36.3"
	mutated.Subjects[1].Reported = "v1.36.3" // as where the mutation is the API server's
	report := roundsOf(r, mutated)
	var names []string
	for _, k := range report.Kubelets {
		names = append(names, fmt.Sprintf("%d %s", k.Repeats, k))
	}
	g.Expect(names).To(Equal([]string{"2 v1.36.3", "1 virtual:v1.36.3", "1 v1.36.3+resultrun-one"}))
}

func spreadOf(r repetition.Rounds, id, claim string) repetition.ClaimSpread {
	for _, c := range r.Claims {
		if c.Trial == id && c.Claim == claim {
			return c
		}
	}
	return repetition.ClaimSpread{}
}

func TestRoundsHaveDistributions(t *testing.T) {
	g := NewWithT(t)
	r := roundsOf(rounds()...)
	kill := spreadOf(r, "termination/ignored-sigterm", "sigterm-to-death")
	ms := int64(time.Millisecond)
	g.Expect(*kill.Measured).
		To(Equal(series.Quartiles[int64]{
			Min: 5021 * ms, Q1: 5038500000, Median: 5066 * ms, Q3: 5093500000, Max: 5111 * ms,
		}))
	w := kill.Implemented
	g.Expect(w.Late.Measured).To(Equal(5111 * ms))
	g.Expect(w.Late).
		To(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
			"Round": Equal("20260302-100002"), "Subject": Equal(ownReference),
		}))
	g.Expect(w.Early.Measured).To(Equal(5021 * ms))
	g.Expect(w.Late.Margin + 5111*ms).To(Equal(view.FindingsOf(rounds()[0].Outcomes[0])[0].Implemented.Latest))
	g.Expect(w.Late.Share).To(BeNumerically("~", 1-w.Position.Max, 1e-9))
	g.Expect(w.Margin.Min).To(Equal(min(w.Late.Margin, w.Early.Margin)))

	probes := spreadOf(r, "probes/exec-liveness-fails", "liveness-failing-probes-2")
	g.Expect(probes.Values).To(HaveExactElements(
		And(
			HaveField("Value", int64(2)),
			HaveField("Times", 1),
		),
		And(HaveField("Value", int64(3)), HaveField("Times", 5)),
	))
	g.Expect(probes.Measured).To(BeNil())
	g.Expect(probes.Verdicts).To(Equal(map[trial.Verdict]int{trial.Conforms: 5, trial.Deviates: 1}))

	late := spreadOf(r, "termination/exits-on-sigterm", "sigterm-to-death")
	g.Expect(late.Untrusted).To(Equal(2))
	g.Expect(late.Measured).To(BeNil(), "what can't be trusted is in no distribution")
}

func TestRoundsExitCode(t *testing.T) {
	g := NewWithT(t)
	all := rounds()
	g.Expect(roundsOf(all[0], all[2]).ExitCode).To(Equal(run.ExitConforms))
	g.Expect(roundsOf(all...).ExitCode).To(Equal(run.ExitDeviates))
	all[1].Outcomes = append(all[1].Outcomes[3:4], all[1].Outcomes[7])
	g.Expect(roundsOf(all...).ExitCode).To(Equal(run.ExitUnjudged), "1 of 14 is inconclusive")
	g.Expect(roundsOf().ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(roundsOf(fixture.FailedSetUp()).ExitCode).To(Equal(run.ExitUnjudged))

	ended := repetition.NewRounds(3, repetition.MostInconclusive)
	ended.Add(all[0])
	ended.AddFailed("20260302-100009", fixture.Began, errors.New("the disk is full"))
	ended.End("two rounds failed")
	g.Expect(ended.Rounds().ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(ended.Rounds().ExitReason()).To(ContainSubstring("two rounds failed"))

	strict := repetition.NewRounds(1, 0)
	strict.Add(all[0])
	g.Expect(strict.Rounds().ExitCode).To(Equal(run.ExitUnjudged), "nothing is below nothing")
}

func TestRunFolders(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	for _, id := range []string{"20260302-100001", "20260302-100000"} {
		dir := filepath.Join(out, id)
		g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		g.Expect(run.Save(dir, fixture.Conforming(), nil)).To(Succeed())
	}
	g.Expect(os.Mkdir(filepath.Join(out, "20260302-100002"), 0o755)).To(Succeed(), "this one is not over")
	g.Expect(run.Latest(out, filepath.Join(out, "20260302-100001"))).To(Succeed())
	first, second := filepath.Join(out, "20260302-100000"), filepath.Join(out, "20260302-100001")
	g.Expect(run.Folders(out)).To(Equal([]string{first, second}))
	g.Expect(run.Folders(second, filepath.Join(first, run.RunFile))).
		To(Equal([]string{second, filepath.Join(first, run.RunFile)}))
	_, err := run.Folders(filepath.Join(out, "20260302-100002"))
	g.Expect(err).To(MatchError(ContainSubstring("no saved run in")))
	_, err = run.Folders(filepath.Join(out, "nowhere"))
	g.Expect(err).To(MatchError(ContainSubstring("nowhere")))
}

func TestBar(t *testing.T) {
	g := NewWithT(t)
	for want, p := range map[string]series.Quartiles[float64]{
		"[---===#==---............]": {Min: 0, Q1: 0.13, Median: 0.27, Q3: 0.37, Max: 0.49},
		"[.......................#]": {Min: 1, Q1: 1, Median: 1, Q3: 1, Max: 1},
		"<........................]": {Min: -2, Q1: -2, Median: -1, Q3: -1, Max: -0.5},
		"[......----============#=>": {Min: 0.25, Q1: 0.42, Median: 0.95, Q3: 1.1, Max: 1.2},
	} {
		g.Expect(repetition.Bar(p)).To(Equal(want), "%+v", p)
	}
}

func TestRoundsJSONCanBeRead(t *testing.T) {
	g := NewWithT(t)
	want := roundsOf(rounds()...)
	data, err := json.Marshal(want)
	g.Expect(err).NotTo(HaveOccurred())
	var got repetition.Rounds
	g.Expect(json.Unmarshal(data, &got)).To(Succeed())
	g.Expect(got).To(Equal(want))
}
