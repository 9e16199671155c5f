package view

import (
	"cmp"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// RunSummary is a run in a few figures: its subjects, its machine, and the number of its verdicts of each kind.
// A series has one for each run.
type RunSummary struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	// Podclock is the revision of the program that made the run. Profile is the part of the catalogue that was
	// offered.
	Podclock  string   `json:"podclock,omitempty"`
	Profile   string   `json:"profile,omitempty"`
	Kernel    string   `json:"kernel,omitempty"`
	CPUs      int      `json:"cpus,omitempty"`
	NodeImage string   `json:"nodeImage,omitempty"`
	Subjects  []string `json:"subjects"`
	// Outcomes is how many trials were selected on all subjects. Verdicts counts their verdicts. Repeated is
	// how many took more than one attempt.
	Outcomes int                   `json:"outcomes"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	Repeated int                   `json:"repeated,omitempty"`
	// Wall is the time from the start to the last verdict, 0 if the run did not end.
	Wall     time.Duration `json:"wall,omitempty"`
	Problems []string      `json:"problems,omitempty"`
	// ExitCode is the run's exit code. Reason explains it.
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"`
}

// SummaryOf summarizes a run.
func SummaryOf(r run.Run) RunSummary {
	g := RunSummary{
		ID: r.ID, Started: r.Started, Podclock: r.Environment.Podclock, Profile: r.Profile,
		Kernel: r.Environment.Kernel, CPUs: r.Environment.CPUs, NodeImage: r.Environment.NodeImage,
		Outcomes: len(r.Outcomes), Verdicts: map[trial.Verdict]int{}, Problems: r.Problems, ExitCode: r.ExitCode(),
		Reason: ExitReason(r),
	}
	g.Subjects = Names(ran(r))
	for _, o := range r.Outcomes {
		g.Verdicts[o.Verdict]++
		if len(o.Attempts) > 1 {
			g.Repeated++
		}
	}
	if !r.Reported.IsZero() {
		g.Wall = r.Reported.Sub(r.Started)
	}
	return g
}

// Took returns in words how long the run lasted.
func (g RunSummary) Took() string {
	if g.Wall == 0 {
		return "did not end"
	}
	return FormatDuration(g.Wall)
}

// Tally counts the verdicts in one line.
func (g RunSummary) Tally() string {
	return cmp.Or(strings.Join(Counts(g.Verdicts), ", "), "no verdicts")
}

// Before reports whether a run began before another one. IDs order runs that began at the same time.
func (g RunSummary) Before(other RunSummary) bool {
	if g.Started.Equal(other.Started) {
		return g.ID < other.ID
	}
	return g.Started.Before(other.Started)
}

// Same reports whether both are the same run. The ID is a time in seconds, so runs of other folders can share
// it.
func (g RunSummary) Same(other RunSummary) bool {
	return g.ID == other.ID && g.Started.Equal(other.Started)
}
