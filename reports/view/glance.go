package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// RunSummary is a run in a few figures: what it was, where it took place, and how many verdicts of each kind it
// has. A series keeps it of each run.
type RunSummary struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	// Podclock is the revision of the code that ran it, Profile the part of the catalogue that was offered.
	Podclock  string   `json:"podclock,omitempty"`
	Profile   string   `json:"profile,omitempty"`
	Kernel    string   `json:"kernel,omitempty"`
	CPUs      int      `json:"cpus,omitempty"`
	NodeImage string   `json:"nodeImage,omitempty"`
	Subjects  []string `json:"subjects"`
	// Outcomes is how many trials were selected on all subjects together, Verdicts what they came to,
	// Repeated how many took more than one attempt.
	Outcomes int                   `json:"outcomes"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	Repeated int                   `json:"repeated,omitempty"`
	// Wall is the time from the start to the last verdict, 0 where that never came.
	Wall     time.Duration `json:"wall,omitempty"`
	Problems []string      `json:"problems,omitempty"`
	// ExitCode is the run's own, Reason what it means.
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"`
}

// SummaryOf summarizes a run.
func SummaryOf(r run.Run) RunSummary {
	g := RunSummary{
		ID:        r.ID,
		Started:   r.Started,
		Podclock:  r.Environment.Podclock,
		Profile:   r.Profile,
		Kernel:    r.Environment.Kernel,
		CPUs:      r.Environment.CPUs,
		NodeImage: r.Environment.NodeImage,
		Outcomes:  len(r.Outcomes),
		Verdicts:  map[trial.Verdict]int{},
		Problems:  r.Problems,
		ExitCode:  r.ExitCode(),
		Reason:    ExitReason(r),
	}
	for _, b := range ColumnsOf(r) {
		if len(b.Outcomes) > 0 {
			g.Subjects = append(g.Subjects, b.Subject.Name)
		}
	}
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

// Took is how long the run lasted, in words.
func (g RunSummary) Took() string {
	if g.Wall == 0 {
		return "did not end"
	}
	return FormatDuration(g.Wall)
}

// Tally counts its verdicts in one line.
func (g RunSummary) Tally() string {
	var parts []string
	for _, v := range Verdicts() {
		if n := g.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) == 0 {
		return "no verdicts"
	}
	return strings.Join(parts, ", ")
}

// Before says whether a run began before another one; of two that began at once the one with the lesser ID comes first.
func (g RunSummary) Before(other RunSummary) bool {
	if g.Started.Equal(other.Started) {
		return g.ID < other.ID
	}
	return g.Started.Before(other.Started)
}

// Same says whether they are the same run: folders elsewhere may have one that began in the same second,
// which is what an ID tells.
func (g RunSummary) Same(other RunSummary) bool {
	return g.ID == other.ID && g.Started.Equal(other.Started)
}
