package series_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/series"
)

// eventful are nights with a flake, a second attempt, moved values at the end, and a failed set-up.
func eventful() []run.Run {
	var all []run.Run
	for n := 1; n <= 9; n++ {
		left, probes := 5020*time.Millisecond+time.Duration(n%2)*4*time.Millisecond, 3
		switch n {
		case 4:
			probes = 2
		case 9:
			left = 5450 * time.Millisecond
		}
		all = append(all, night(n, left, probes))
	}
	again := &all[5].Outcomes[2]
	again.Attempts = append(slices.Clone(again.Attempts), again.Attempts...)
	failed := fixture.FailedSetUp()
	failed.ID, failed.Started = all[6].ID, all[6].Started
	failed.Reported = failed.Started.Add(4 * time.Minute)
	all[6] = failed
	all[8].Outcomes = append(all[8].Outcomes, run.Outcome{
		Trial:   "termination/hook-over-http",
		About:   "A hook is a request.",
		Subject: fixture.Reference,
		Verdict: trial.Inconclusive,
		Why:     "it never ran: its node went away",
	})
	return all
}

func TestHistoryIsRendered(t *testing.T) {
	g := NewWithT(t)
	h := series.NewHistory(8)
	for _, r := range eventful() {
		h.Add(r)
	}
	h.PassOver("out/20250101-000000", os.ErrNotExist)
	history := h.History()
	var text, asJSON, none bytes.Buffer
	g.Expect(terminal.Report(&text, history.Report(), screen.Screen{})).To(Succeed())
	fixture.Golden(t, "history", text.Bytes())
	g.Expect(view.JSON(&asJSON, history)).To(Succeed())
	fixture.GoldenKeys(t, "history", asJSON.Bytes())
	g.Expect(terminal.Report(&none, series.History{}.Report(), screen.Screen{})).To(Succeed())
	g.Expect(none.String()).To(Equal("No runs\n"))
}

// TestHistoryKeepsTheNewest adds runs in different orders. The order must not matter.
func TestHistoryKeepsTheNewest(t *testing.T) {
	g := NewWithT(t)
	runs := eventful()
	inOrder, backwards := series.NewHistory(5), series.NewHistory(5)
	for _, r := range runs {
		g.Expect(inOrder.Add(r)).To(BeTrue())
	}
	g.Expect(inOrder.Add(runs[8])).To(BeFalse(), "it was added before")
	for _, r := range slices.Backward(runs) {
		backwards.Add(r)
	}
	g.Expect(backwards.History()).To(Equal(inOrder.History()))
	var ids []string
	for _, r := range inOrder.History().Runs {
		ids = append(ids, r.ID[6:8])
	}
	g.Expect(ids).To(Equal([]string{"05", "06", "07", "08", "09"}))
	g.Expect(inOrder.History().Left).To(Equal(4))
}

func TestHistoryCounts(t *testing.T) {
	g := NewWithT(t)
	h := nights(eventful()...)
	g.Expect(h.Runs).To(HaveLen(9))
	find := func(id string) series.TrialHistory {
		i := slices.IndexFunc(
			h.Trials,
			func(t series.TrialHistory) bool { return t.Trial == id && t.Subject == fixture.Reference },
		)
		g.Expect(i).To(BeNumerically(">=", 0), id)
		return h.Trials[i]
	}
	failing := find("probes/exec-liveness-fails")
	g.Expect(failing.Runs).To(HaveLen(8), "a night without any trial does not count")
	g.Expect([]any{failing.Changes, failing.Flakes, failing.FlakeRate}).To(Equal([]any{2, 1, 0.125}))
	again := find("termination/grace-of-one-second")
	g.Expect([]any{again.Changes, again.Flakes, again.Again}).To(Equal([]any{0, 0, 1}), "it took a second attempt")
	steady := find("termination/ignored-sigterm")
	g.Expect(steady.Steady()).To(BeTrue())
	g.Expect(steady.Claims[0].Spread).To(gstruct.PointTo(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"Min": Equal(5020 * fixture.Ms), "Max": Equal(5450 * fixture.Ms),
	})))
	moved, _ := h.Newest()
	g.Expect(moved).To(ConsistOf(HaveField("Claim", "sigterm-to-death"), HaveField("Claim", "fault-to-death")))

	cut := eventful()
	last := &cut[8].Outcomes[3]
	last.CutShort = true
	g.Expect(nights(cut...).Trials).To(HaveLen(3), "a trial that was cut short does not count")
}

// TestNewestLooksPastRunsWithoutTheTrial has a night without a claim. It must not hide the claim's move since
// the night before.
func TestNewestLooksPastRunsWithoutTheTrial(t *testing.T) {
	g := NewWithT(t)
	var before []run.Run
	for n := 1; n <= 7; n++ {
		before = append(before, night(n, 5020*time.Millisecond+time.Duration(n%2)*4*time.Millisecond, 3))
	}
	failed, others, late := fixture.FailedSetUp(), fixture.Rehearsal(), night(9, 5450*time.Millisecond, 3)
	failed.ID, failed.Started = "20260308-220000", late.Started.Add(-24*time.Hour)
	others.ID, others.Started = "20260309-120000", late.Started.Add(-10*time.Hour)
	moved, _ := nights(append(slices.Clone(before), failed, others, late)...).Newest()
	g.Expect(moved).To(ConsistOf(HaveField("Claim", "sigterm-to-death"), HaveField("Claim", "fault-to-death")))
	g.Expect(moved).To(HaveEach(HaveField("Earlier", 6)), "it is compared with the seventh")

	others.Started = late.Started.Add(time.Hour)
	moved, shifted := nights(append(slices.Clone(before), late, others)...).Newest()
	g.Expect(moved).To(BeEmpty(), "the newest run has other subjects")
	g.Expect(shifted).To(BeEmpty())
	moved, shifted = nights(late).Newest()
	g.Expect(moved).To(BeEmpty(), "one run has no predecessor")
	g.Expect(shifted).To(BeEmpty())
	moved, _ = series.History{}.Newest()
	g.Expect(moved).To(BeEmpty())
	g.Expect(nights(late).Report().Title).
		To(Equal("1 run, 20260309-220000: 2 conforms, 1 divergent"), "one run does not show how steady it is")
}

// A trial with other pods or faults is a new one, although its name is the same. A run of an older revision has no
// setup.
func TestTrialThatChangedIsANewOne(t *testing.T) {
	g := NewWithT(t)
	var all []run.Run
	for n, setup := range []string{"", "one", "one", "", "two", "", "two"} {
		r := night(n+1, 5020*time.Millisecond, 3)
		r.Outcomes[0].Setup = setup
		if setup == "one" {
			r.Outcomes[0].Verdict = trial.Deviates
		}
		all = append(all, r)
	}
	h := nights(all...)
	g.Expect(h.Trials[0].Former).To(Equal(3))
	g.Expect(h.Trials[0].Runs).To(HaveLen(4))
	g.Expect(h.Trials[0].Changes).To(BeZero())
	g.Expect(h.Trials[0].Claims).To(HaveEach(HaveField("Points", HaveLen(4))))
	g.Expect(h.Trials[1].Former).To(BeZero())
	g.Expect(h.Trials[1].Runs).To(HaveLen(7))
	g.Expect(fmt.Sprint(h.Report())).
		To(ContainSubstring(h.Trials[0].Trial +
			" on v1.36.3: 3 older runs, in which the trial had other pods or faults"))

	c := series.Compare(all[1], all[6], series.History{})
	g.Expect(c.Trials).To(Equal(2))
	g.Expect(c.Changes).To(BeEmpty(), "no verdict got better")
	g.Expect(c.Appeared).To(ConsistOf(HaveField("Trial", h.Trials[0].Trial)))
	g.Expect(c.Went).To(ConsistOf(HaveField("Trial", h.Trials[0].Trial)))
	g.Expect(series.Compare(all[0], all[6], series.History{}).Trials).To(Equal(3), "nobody knows that it changed")
}

func TestFlakes(t *testing.T) {
	verdict := map[rune]trial.Verdict{
		'.': trial.Conforms,
		'd': trial.Divergent,
		'?': trial.Inconclusive,
		'X': trial.Deviates,
	}
	for strip, want := range map[string]string{
		"......":   "......",
		"..X...":   "  X   ",
		"..XX..":   "  XX  ",
		"...XXX":   "      ", // it may not recover
		"XXX...":   "      ", // it was fixed
		".X.X.X":   " X X  ",
		"X.X.X.":   "  X X ",
		"..?X..":   "   X  ", // inconclusive before worse
		".d.":      " d ",
		".dX":      "   ",
		"X?.":      "   ",
		"d.d":      "   ",
		"..X?d...": "  X     ",
	} {
		g := NewWithT(t)
		var h series.TrialHistory
		for i, letter := range strip {
			h.Runs = append(h.Runs, series.TrialRun{Run: i, Verdict: verdict[letter], Attempts: 1})
		}
		got := []rune{}
		for i, letter := range strip {
			if !h.Flaked(i) {
				letter = ' '
			}
			got = append(got, letter)
		}
		g.Expect(string(got)).To(Equal(strings.ReplaceAll(want, ".", " ")), strip)
	}
}

func TestLoadHistory(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	for _, r := range eventful() {
		dir := filepath.Join(out, r.ID)
		g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		g.Expect(run.Save(dir, r, nil)).To(Succeed())
	}
	write := func(id, text string) {
		dir := filepath.Join(out, id)
		g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, run.RunFile), []byte(text), 0o644)).To(Succeed())
	}
	write("old-format", `{"schema":"podclock.run/v1","id":"x","started":"2026-04-01T00:00:00Z"}`)
	write("no-json", `hello`)
	write("a-list", `[]`)
	write(
		"ancient",
		`{"schema":"podclock.run/v2","id":"y","started":"2020-01-01T00:00:00Z", and the rest is not read`,
	)
	g.Expect(run.Latest(out, filepath.Join(out, "20260309-220000"))).To(Succeed())

	h, err := series.LoadHistory(series.HistoryOptions{Most: 3}, out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(h.Runs).To(HaveLen(3))
	g.Expect(h.Runs[2].ID).To(Equal("20260309-220000"))
	g.Expect(h.Left).To(Equal(7))
	g.Expect(h.PassedOver).
		To(ConsistOf(ContainSubstring("old-format: "), ContainSubstring("no-json: it is not a saved run"),
			ContainSubstring("a-list: it is not a saved run")))

	h, err = series.LoadHistory(series.HistoryOptions{Judge: func(r run.Run) run.Run {
		r, _ = run.Rejudge(r, func(string) (trial.Trial, bool) { return trial.Trial{}, false })
		return r
	}}, filepath.Join(out, "20260308-220000"), out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(h.Runs).To(HaveLen(9), "a run that is named twice counts once, and an unreadable one is skipped")
	g.Expect(h.Runs[8].Verdicts).To(HaveKeyWithValue(trial.Inconclusive, 4), "judged again, with no catalogue")

	_, err = series.LoadHistory(series.HistoryOptions{}, filepath.Join(out, "old-format"))
	g.Expect(err).
		To(MatchError(And(HavePrefix("none of 1 saved run could be read: "), ContainSubstring("podclock.run/v1"))))
	_, err = series.LoadHistory(series.HistoryOptions{}, filepath.Join(out, "nowhere"))
	g.Expect(err).To(MatchError(ContainSubstring("nowhere")))
}
