package session

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/node/pace"
)

// Choice is what --within left of a selection.
type Choice struct {
	Within        time.Duration
	Kept, LeftOut []string // IDs of trials
	// Killed is the number of recorded mutants that the kept trials kill, of those that all of them do.
	Killed, Of int
	// Slower is how many times as much CPU time a start takes here as where the cost of a trial was measured.
	Slower float64
}

// String says it in one line. It is empty if nothing was left out.
func (c Choice) String() string {
	if len(c.LeftOut) == 0 {
		return ""
	}
	recorded := "no trial of this selection is recorded to kill a mutant"
	if c.Of > 0 {
		recorded = fmt.Sprintf("they kill %d of the %d recorded mutants that all kill (%.1f %%)",
			c.Killed, c.Of, 100*float64(c.Killed)/float64(c.Of))
	}
	host := "this host"
	if c.Slower >= 1.5 {
		host += fmt.Sprintf(", where a start takes %.1f times its usual CPU time", c.Slower)
	}
	return fmt.Sprintf("%d of %d trials are chosen to end within %v on %s; %s; left out: %s", len(c.Kept),
		len(c.Kept)+len(c.LeftOut), c.Within, host, recorded, strings.Join(c.LeftOut, ", "))
}

// Tell writes what was left out, if anything was.
func (c Choice) Tell(w io.Writer) {
	if left := c.String(); left != "" {
		_, _ = fmt.Fprintln(w, left)
	}
}

// virtualCost is the CPU time of a trial in the virtual lane.
const virtualCost = 50 * time.Millisecond

// usualStart is the CPU time of a start of podclock's program where the costs of trials were measured.
const usualStart = 27 * time.Millisecond

// slower returns how many times as much CPU time a start of this program takes here, at least 1. What a trial costs is
// mostly starts of processes, which hosts do at different speeds.
func slower() float64 {
	program, err := os.Executable()
	if err != nil {
		return 1
	}
	least := time.Duration(math.MaxInt64)
	for range 3 {
		start := exec.Command(program, "--version")
		if _ = start.Run(); start.ProcessState != nil { // an error costs as much
			least = min(least, start.ProcessState.UserTime()+start.ProcessState.SystemTime())
		}
	}
	if least == math.MaxInt64 {
		return 1
	}
	return max(1, float64(least)/float64(usualStart))
}

// again is worth as much as so many mutants: a second trial that kills one.
const again = 0.1

// choose keeps the trials that kill the most recorded mutants for their CPU time, as many as end within the bound.
func (c Config) choose(selected []runner.Selection, kills Kills) ([]runner.Selection, Choice) {
	h := Choice{Within: c.Within, Slower: c.slower}
	var waiting, kept []trial.Trial
	for _, s := range selected {
		if !slices.ContainsFunc(waiting, func(t trial.Trial) bool { return t.ID == s.Trial.ID }) {
			waiting = append(waiting, s.Trial)
		}
	}
	all, killed := map[string]int{}, map[string]int{} // the kills of each mutant
	for _, t := range waiting {
		for _, m := range kills[t.ID] {
			all[m]++
		}
	}
	worth := func(t trial.Trial) (gain float64) {
		for _, m := range kills[t.ID] {
			switch killed[m] {
			case 0:
				gain++
			case 1:
				gain += again
			}
		}
		return gain / float64(pods(t))
	}
	for len(waiting) > 0 {
		best := slices.MinFunc(waiting, func(a, b trial.Trial) int {
			return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a.Lasts, b.Lasts), cmp.Compare(a.ID, b.ID))
		})
		waiting = slices.DeleteFunc(waiting, func(t trial.Trial) bool { return t.ID == best.ID })
		if c.takes(append(slices.Clip(kept), best)) > c.Within {
			h.LeftOut = append(h.LeftOut, best.ID)
			continue
		}
		kept = append(kept, best)
		h.Kept = append(h.Kept, best.ID)
		for _, m := range kills[best.ID] {
			killed[m]++
		}
	}
	h.Killed, h.Of = len(killed), len(all)
	slices.Sort(h.Kept)
	slices.Sort(h.LeftOut)
	return slices.DeleteFunc(slices.Clone(selected), func(s runner.Selection) bool {
		return slices.Contains(h.LeftOut, s.Trial.ID)
	}), h
}

// pods returns how many pods a trial starts.
func pods(t trial.Trial) int { return 1 + len(t.Companions) }

// takes returns how long trials take on all subjects, from the first start to the last verdict: the starts need the
// cores, and the longest trials start first.
func (c Config) takes(trials []trial.Trial) time.Duration {
	cores := float64(runtime.NumCPU()) / max(1, c.slower)
	virtual := len(c.in(run.VirtualLane)) * len(trials)
	played := time.Duration(float64(virtual) * float64(virtualCost) / cores)
	subjects := len(c.in(run.NodeLane))
	if c.External != nil {
		cores = max(1, external.Cores(c.External.Nodes))
	}
	started, ended, own := time.Duration(0), time.Duration(0), map[string][]trial.Trial{}
	for _, t := range slices.SortedFunc(slices.Values(trials), func(a, b trial.Trial) int {
		return cmp.Compare(b.Lasts, a.Lasts)
	}) {
		if subjects == 0 || t.VirtualOnly() {
			continue
		}
		started += pace.Least(subjects*pods(t), cores)
		ended = max(ended, started+t.Lasts)
		if t.Worker != nil {
			own[t.Worker.Name] = append(own[t.Worker.Name], t)
		}
	}
	all := time.Duration(0)
	for _, trials := range own {
		on := runner.TimeOn(*trials[0].Worker, trials) + time.Duration(max(1, c.slower)*float64(tuning))
		all, ended = all+on, max(ended, on)
	}
	if len(own) > 0 {
		spares := max(1, min(len(own), mostSpares, mostWorkers/subjects-1))
		ended = max(ended, all/time.Duration(spares))
	}
	return played + ended
}
