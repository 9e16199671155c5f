package openshift

import (
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/view"
)

// result is how a test ended (extensiontests.ExtensionTestResult).
type result struct {
	Name      string `json:"name"`
	Lifecycle string `json:"lifecycle"`
	// Duration is in milliseconds.
	Duration  int64    `json:"duration"`
	StartTime moment   `json:"startTime"`
	EndTime   moment   `json:"endTime"`
	Result    string   `json:"result"`
	Output    string   `json:"output"`
	Error     string   `json:"error,omitempty"`
	Details   []detail `json:"details,omitempty"`
}

// detail explains a result (extensiontests.Details).
type detail struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// moment is a time as the extension's API writes it (dbtime.DBTime).
type moment time.Time

// MarshalJSON returns the time in UTC, to the microsecond.
func (m moment) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(m).UTC().Format(`"2006-01-02 15:04:05.000000 UTC"`)), nil
}

const (
	passed  = "passed"
	skipped = "skipped"
	failed  = "failed"
)

// results returns one result for each test: the worst of its trial on the run's subjects, as the JUnit report has them.
// A test passes if its trial conforms or diverges on one subject, and fails on none. A trial that was not played fails.
func results(r runs.Run, tests []spec) (all []result) {
	outcomes, ofSubject := map[string][]runs.Outcome{}, map[string][]runs.Outcome{}
	for _, o := range r.Outcomes {
		outcomes[o.Trial] = append(outcomes[o.Trial], o)
		ofSubject[o.Subject] = append(ofSubject[o.Subject], o)
	}
	for _, t := range tests {
		one := result{
			Name: t.Name, Lifecycle: blocking, Result: skipped,
			StartTime: moment(r.Started), EndTime: moment(r.Reported),
		}
		var began, ended time.Time
		for _, o := range outcomes[t.trial.ID] {
			one.add(o, ofSubject[o.Subject])
			if len(o.Attempts) == 0 {
				continue
			}
			start := o.Attempts[0].Started
			if began.IsZero() || start.Before(began) {
				began = start
			}
			if end := start.Add(o.Took()); end.After(ended) {
				ended = end
			}
		}
		if len(outcomes[t.trial.ID]) == 0 {
			one.Result, one.Error = failed, "it was not played: "+view.ExitReason(r)
		}
		if !began.IsZero() {
			one.StartTime, one.EndTime, one.Duration = moment(began), moment(ended), ended.Sub(began).Milliseconds()
		}
		all = append(all, one)
	}
	return all
}

// add adds an outcome on one subject to the test's result.
func (r *result) add(o runs.Outcome, subject []runs.Outcome) {
	properties := junit.Entries(o)
	c := junit.Case(o, subject, properties, time.Time{})
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "%s: %s", o.Subject, o.Verdict)
	if why := view.ReasonOf(o); why != "" {
		_, _ = fmt.Fprintf(&text, ": %s", why)
	}
	for _, f := range view.FindingsOf(o) {
		_, _ = fmt.Fprintf(&text, "\n  %s: %s: %s, the code computes %s, documented %s", f.Claim, f.Verdict,
			view.FormatMeasured(f), view.FormatWindow(f.Implemented), view.FormatDocumented(f))
	}
	r.Output += view.Printable(text.String()) + "\n"
	switch c.State {
	case types.SpecStateFailed:
		r.Result = failed
		r.Error += fmt.Sprintf("%s: %s\n", o.Subject, c.Failure.Message)
	case types.SpecStatePassed:
		if r.Result == skipped {
			r.Result = passed
		}
	default: // readers print a skipped test's details, so they are its reason only
		r.Details = append(r.Details, detail{o.Subject, c.Failure.Message})
		return
	}
	measured := map[string]any{} // the windows are in the output, and in the run's folder
	for _, e := range properties {
		if !strings.Contains(e.Name, ".") || strings.HasSuffix(e.Name, ".measured") {
			measured[e.Name] = e.GetRawValue()
		}
	}
	r.Details = append(r.Details, detail{o.Subject, measured})
}
