package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Glance is a run in a few figures: what it was, where it took place, and how many verdicts of each kind it
// came to. It is what stays of a run where many are looked at.
type Glance struct {
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

// Glance looks at the run.
func (r Run) Glance() Glance {
	g := Glance{
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
		Reason:    r.ExitReason(),
	}
	for _, b := range r.blocks() {
		if len(b.outcomes) > 0 {
			g.Subjects = append(g.Subjects, b.subject.Name)
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

// took is how long the run lasted, in words.
func (g Glance) took() string {
	if g.Wall == 0 {
		return "did not end"
	}
	return short(g.Wall)
}

// tally counts its verdicts in one line.
func (g Glance) tally() string {
	var parts []string
	for _, v := range verdicts {
		if n := g.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) == 0 {
		return "no verdicts"
	}
	return strings.Join(parts, ", ")
}

// before says whether a run began before another one; of two that began at once the one with the lesser ID comes first.
func (g Glance) before(other Glance) bool {
	if g.Started.Equal(other.Started) {
		return g.ID < other.ID
	}
	return g.Started.Before(other.Started)
}

// same says whether they are the same run: folders elsewhere may have one that began in the same second,
// which is what an ID tells.
func (g Glance) same(other Glance) bool { return g.ID == other.ID && g.Started.Equal(other.Started) }
