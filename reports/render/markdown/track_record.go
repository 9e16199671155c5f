package markdown

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/mutants"
)

// TrackRecord writes every real bug of Kubernetes that podclock reproduces. The bugs of a released version are
// a saved run's divergences with an issue. The others are mutants of a saved mutation report that put a bug
// back. Each bug has its trial, the measurement, and the command that reproduces it.
func TrackRecord(w io.Writer, r run.Run, p mutationtest.Report, trials view.Catalogue, missing []string) error {
	released := reproductions(r, trials)
	put := reported(p, trials, func(m mutationtest.Mutant) bool {
		return !m.Repairs && reproducedInSomeLane(p, m.Name)
	})
	fixed := reported(p, trials, func(m mutationtest.Mutant) bool {
		return m.Repairs && reproducedInSomeLane(p, m.Name)
	})
	unnamed := reported(p, trials, func(m mutationtest.Mutant) bool { return !reproducedInSomeLane(p, m.Name) })
	d := &Document{}
	d.Line("# Track record\n")
	if len(missing) > 0 {
		d.Line("**Not complete**: %s.\n", Escape(strings.Join(missing, "; ")))
	}
	d.Line("podclock reproduces these bugs of Kubernetes and of its documentation. `make track-record "+
		"RUN=… PROOF=…` "+
		"generated this file from run %s of podclock %s and mutation report %s of podclock %s. "+
		"Run again instead of editing it.\n",
		r.ID, cmp.Or(r.Environment.Podclock, "unknown"), p.ID, cmp.Or(p.Environment.Podclock, "unknown"))
	d.Line("%s: %d shown by a released version, %d by putting the bug back into %s, %d by a fix that removes it.",
		run.Plural(len(bugs(released, put, fixed)), "report"), len(bugs(released)), len(bugs(put)), p.Version,
		len(bugs(fixed)))
	for _, table := range []view.Section{
		recordOf(released, "seen on", "By a released version", "The version does it, unchanged, and the trial "+
			"measures it. The command succeeds and its report says divergent, because what is known is no regression."),
		recordOf(put, "mutant", "By putting the bug back", "One change of the source of "+p.Version+" does what "+
			"the bug did. The command fails if the bug is reproduced: the reference conforms and the mutant deviates."),
		recordOf(fixed, "mutant", "By a fix", "The reference still has the bug. One change of its source does what is "+
			"documented, and the divergence is gone."),
		recordOf(unnamed, "mutant", "Killed, not by name", "Trials distinguish these mutants from the reference, but "+
			"not by a claim of the formula that they break, and no diagnosis names the bug. They do not count above."),
	} {
		if len(table.Rows) > 0 {
			d.Sections(2, table)
		}
	}
	return view.WriteAll(w, fmt.Sprintf("the track record of run %s and report %s", r.ID, p.ID), &d.b)
}

// reproduction is one bug and what reproduces it.
type reproduction struct {
	bug, wrong, on, trial, measured, command string
}

func recordOf(all []reproduction, on, title, about string) view.Section {
	p := view.Section{Title: title, Note: about, Code: []int{3, 5},
		Header: []string{"bug", "what goes wrong", on, "trial", "measured", "reproduce"}}
	for _, one := range all {
		p.AddRow(one.bug, one.wrong, one.on, one.trial, one.measured, one.command)
	}
	return p
}

// reproductions returns the run's divergences that have an issue.
func reproductions(r run.Run, trials view.Catalogue) []reproduction {
	var all []reproduction
	for _, d := range view.KnownDivergences(asReleased(r), trials) {
		var measured []string
		documented := d.Shortest.Documented
		for _, on := range d.Shortest.On {
			if on.Broken && documented == "" {
				on.Measured += " (documented " + on.Documented + ")"
			}
			if on.Broken {
				measured = append(measured, on.Measured)
			}
		}
		if documented != "" {
			documented = ", documented " + documented
		}
		all = append(all, reproduction{
			bug: strings.Join(d.Issues, "; "), wrong: view.Capital(d.Description), on: strings.Join(d.Subjects, ", "),
			trial: d.Shortest.Trial, command: d.Reproduce,
			measured: d.Shortest.Claim + ": " + strings.Join(slices.Compact(measured), ", ") + documented,
		})
	}
	slices.SortStableFunc(all, byNumber)
	return all
}

// asReleased returns the run without mutants and users' binaries.
func asReleased(r run.Run) run.Run {
	changed := func(s run.Subject) bool { return s.Mutation != "" || s.Path != "" }
	subjects := r.Subjects
	r.Subjects = slices.DeleteFunc(slices.Clone(r.Subjects), changed)
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o run.Outcome) bool {
		return slices.ContainsFunc(subjects, func(s run.Subject) bool { return s.Name == o.Subject && changed(s) })
	})
	return r
}

// byNumber orders reproductions by the number of the first issue or pull request, the oldest first.
func byNumber(x, y reproduction) int {
	number := func(one reproduction) int {
		n := 0
		if parts := mutationtest.IssuePattern.FindStringSubmatch(one.bug); parts != nil {
			n, _ = strconv.Atoi(parts[3])
		}
		return n
	}
	return cmp.Or(cmp.Compare(number(x), number(y)), cmp.Compare(x.on, y.on))
}

// reproducedInSomeLane reports whether a mutant shows its bug in at least one lane.
func reproducedInSomeLane(p mutationtest.Report, name string) bool {
	return slices.ContainsFunc(p.Lanes, func(l mutationtest.LaneReport) bool {
		return slices.ContainsFunc(l.Mutants, func(m mutationtest.Mutant) bool {
			return m.Name == name &&
				reproduced(m)
		})
	})
}

// reproduced reports whether a mutant was killed by the bug itself: by a claim of the formula that it breaks,
// or by a diagnosis that names the bug's report.
func reproduced(m mutationtest.Mutant) bool {
	return m.Verdict == mutationtest.Killed && (m.Own() || m.Named())
}

// reported returns the chosen mutants that were killed and have a reported bug, each from one lane. A lane that
// shows the bug comes first, then the node lane.
func reported(p mutationtest.Report, trials view.Catalogue, chosen func(mutationtest.Mutant) bool) []reproduction {
	var all []reproduction
	done := map[string]bool{}
	lanes := slices.Clone(p.Lanes)
	slices.SortStableFunc(lanes, func(x, y mutationtest.LaneReport) int { return cmp.Compare(x.Lane, y.Lane) })
	for _, l := range lanes {
		for _, m := range l.Mutants {
			if !m.Known() || m.Verdict != mutationtest.Killed || done[m.Name] || !chosen(m) ||
				reproducedInSomeLane(p, m.Name) && !reproduced(m) {
				continue
			}
			done[m.Name] = true
			all = append(all, reproductionOf(l, m, trials))
		}
	}
	slices.SortStableFunc(all, byNumber)
	return all
}

// reproductionOf describes a mutant by the clearest kill that names the bug, or else by the clearest kill.
func reproductionOf(l mutationtest.LaneReport, m mutationtest.Mutant, trials view.Catalogue) reproduction {
	c, named := m.Kills[0], ""
	if i := slices.IndexFunc(m.Kills, m.Names); i >= 0 {
		c, named = m.Kills[i], "; the report names the bug"
	}
	command := fmt.Sprintf("FOCUS=%s SUBJECTS=%s,%s+%s", view.Focus(c.Trial), m.Version, m.Version, m.Name)
	if l.Lane == run.VirtualLane {
		command = "make rehearse " + command
	} else {
		command = trials.Command("make e2e "+command, c.Trial)
	}
	measured := fmt.Sprintf("%s: %s, %s%s", c.Claim, mutants.Measured(c), mutants.Allowed(c), named)
	return reproduction{
		bug: m.Reference, wrong: m.Breaks, on: m.Name, trial: c.Trial, measured: measured, command: command,
	}
}

// bugs returns the issues and pull requests of the reproductions, each once.
func bugs(lists ...[]reproduction) []string {
	var all []string
	for _, one := range slices.Concat(lists...) {
		all = append(all, mutationtest.IssuePattern.FindAllString(one.bug, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
