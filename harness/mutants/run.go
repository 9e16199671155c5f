package mutants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/session"
)

// Run is a mutation test.
type Run struct {
	options Options
	dir     string
	report  mutationtest.Report
	unsaved error
	lanes   map[run.Lane]player
}

// New creates the folder of a mutation test.
func New(o Options) (*Run, error) {
	started := time.Now()
	dir, id, err := mutationtest.NewFolder(o.Out, started)
	if err != nil {
		return nil, err
	}
	r := &Run{
		options: o, dir: dir,
		lanes: map[run.Lane]player{run.VirtualLane: playVirtualLane, run.NodeLane: playNodeLane},
	}
	r.options.Out = dir
	r.report = mutationtest.Report{
		ID: id, Started: started, Environment: session.Environment(o.settings()), Version: o.Version,
		Profile: string(o.Profile), Catalogue: visible(o.Version), AtLeast: o.AtLeast,
	}
	return r, mutationtest.Latest(o.Out, dir)
}

// Dir returns the run's folder, which New created.
func (r *Run) Dir() string { return r.dir }

// Play plays the lanes one after another and returns the saved report, also after an interrupt. The error is why it
// could not be saved.
func (r *Run) Play(ctx context.Context) (mutationtest.Report, error) {
	for _, lane := range r.options.Lanes {
		if ctx.Err() != nil {
			break
		}
		i := len(r.report.Lanes)
		r.report.Lanes = append(r.report.Lanes, mutationtest.LaneReport{Lane: lane, Started: time.Now()})
		keep := func(l mutationtest.LaneReport) {
			r.report.Lanes[i] = l
			r.save()
		}
		played := r.lanes[lane](ctx, r.options, r.killers(), keep)
		if ctx.Err() != nil {
			played.Ended = time.Time{} // an interrupted lane has no end
		}
		keep(played)
	}
	open := func(l mutationtest.LaneReport) bool { return l.Ended.IsZero() }
	switch {
	case ctx.Err() != nil:
		r.report.Problems = append(r.report.Problems, fmt.Sprintf("interrupted: %v", context.Cause(ctx)))
	case !slices.ContainsFunc(r.report.Lanes, open):
		r.report.Ended = time.Now()
	}
	r.save()
	return r.report, r.unsaved
}

// killers are those of this run's virtual lane, else those of the record.
func (r *Run) killers() Killers {
	if w := killersOf(r.report); len(w) > 0 || r.options.Record == nil {
		return w
	}
	return killersOf(r.options.Record.report)
}

// save saves the whole report, so only the last error counts.
func (r *Run) save() {
	r.unsaved = r.options.Save(r.dir, r.report)
	if r.options.Record != nil {
		r.unsaved = errors.Join(r.unsaved, r.options.Record.Add(r.report, r.options.Keep))
	}
}

func (o Options) settings() map[string]string {
	var names, lanes []string
	for _, m := range o.Mutations {
		names = append(names, m.Name)
	}
	for _, l := range o.Lanes {
		lanes = append(lanes, string(l))
	}
	s := map[string]string{
		"VERSION":  o.Version,
		"LANE":     strings.Join(lanes, ","),
		"PROFILE":  string(o.Profile),
		"AT_LEAST": fmt.Sprint(100 * o.AtLeast),
	}
	if o.Record != nil && o.Record.unmet {
		s["UNMET"] = "1"
	}
	if o.Within > 0 {
		s["WITHIN"] = o.Within.String()
	}
	if len(names) < len(mutationsOf(o.Version)) {
		s["MUTANTS"] = strings.Join(names, ",")
	}
	return s
}

func mutationsOf(version string) []mutation.Mutation {
	return slices.DeleteFunc(mutation.All(), func(m mutation.Mutation) bool { return !m.Versions.Contains(version) })
}

// visible counts the mutations of a version that an observer outside the process could see.
func visible(version string) (n int) {
	for _, m := range mutationsOf(version) {
		if m.Equivalent == "" {
			n++
		}
	}
	return n
}
