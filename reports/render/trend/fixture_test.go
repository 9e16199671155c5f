package trend

import (
	"fmt"
	"testing"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/series"
)

// theComparison compares two runs between which verdicts and values change.
func theComparison(*testing.T) series.Comparison {
	before, after := fixture.Fixture(), fixture.Fixture()
	after.ID, after.Started = "20260303-095800", before.Started.Add(24*time.Hour)
	after.Environment.Kernel = "6.13.0"
	for i, o := range after.Outcomes {
		switch {
		case o.Trial == "termination/ignored-sigterm" && o.Subject == fixture.Reference:
			after.Outcomes[i] = fixture.Outcome(
				o.Subject,
				o.Trial,
				9*time.Second,
				fixture.Killed("ignored", 7*time.Second),
			)
		case o.Trial == "probes/exec-liveness-fails" && o.Subject == fixture.Mutant:
			after.Outcomes[i] = fixture.Outcome(o.Subject, o.Trial, 20*time.Second, fixture.Failing("failing", 3))
		case o.Trial == "termination/hook-over-http" && o.Subject == fixture.Reference:
			after.Outcomes[i] = fixture.Outcome(o.Subject, o.Trial, 15*time.Second,
				fixture.Killed("hooked", 10020*time.Millisecond))
		}
	}
	return series.Compare(before, after, series.History{})
}

// theHistory is three nights. One trial deviates in the second, and another one is inconclusive in the last.
func theHistory(*testing.T) series.History {
	h := series.NewHistory(series.MostRuns)
	for n := 1; n <= 3; n++ {
		r := fixture.Fixture()
		r.ID, r.Started = fmt.Sprintf("202603%02d-220000", n), time.Date(2026, time.March, n, 22, 0, 0, 0, time.UTC)
		r.Ready, r.Reported = r.Started.Add(time.Minute), r.Started.Add(4*time.Minute)
		r.Subjects = r.Subjects[:1]
		killed := fixture.Killed("ignored", 5*time.Second+time.Duration(n)*time.Millisecond)
		r.Outcomes = []run.Outcome{
			fixture.Outcome(fixture.Reference, "termination/ignored-sigterm", 9*time.Second, killed),
			fixture.Outcome(
				fixture.Reference,
				"probes/exec-liveness-fails",
				20*time.Second,
				fixture.Failing("failing", 2+n%2),
			),
			fixture.Outcome(fixture.Reference, "termination/grace-of-one-second", 6*time.Second,
				fixture.Killed("grace", 2034*time.Millisecond)),
		}
		if n == 3 {
			r.Outcomes = append(r.Outcomes, run.Outcome{Trial: "termination/hook-over-http", Subject: fixture.Reference,
				Verdict: trial.Inconclusive, Why: "it never ran: its node went away"})
		}
		h.Add(r)
	}
	return h.History()
}
