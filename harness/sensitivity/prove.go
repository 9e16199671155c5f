package sensitivity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/folder"
)

// Proof is a proof under way.
type Proof struct {
	options Options
	dir     string
	proof   detection.Report
	unsaved error
	provers map[kubelet.Lane]prover
}

// New begins a proof: its folder and its clock.
func New(o Options) (*Proof, error) {
	started := time.Now()
	dir, id, err := detection.NewFolder(o.Out, started)
	if err != nil {
		return nil, err
	}
	p := &Proof{
		options: o,
		dir:     dir,
		provers: map[kubelet.Lane]prover{kubelet.LaneVirtual: proveVirtually, kubelet.LaneNode: proveNodes},
	}
	p.options.Out = dir
	p.proof = detection.Report{
		ID:          id,
		Started:     started,
		Environment: session.Environment(o.Root, o.settings()),
		Version:     o.Version,
		Profile:     string(o.Profile),
		Catalogue:   seen(o.Version),
		AtLeast:     o.AtLeast,
	}
	return p, detection.Latest(o.Out, dir)
}

// Dir is the proof's folder.
func (p *Proof) Dir() string { return p.dir }

// Run proves one lane after the other. The proof that it returns is saved, after an interrupt, too. The
// error is the first thing that went wrong on the way.
func (p *Proof) Run(ctx context.Context) (detection.Report, error) {
	witnesses := p.options.Witnesses
	for _, lane := range p.options.Lanes {
		if ctx.Err() != nil {
			break
		}
		i := len(p.proof.Lanes)
		p.proof.Lanes = append(p.proof.Lanes, detection.LaneReport{Lane: run.Lane(lane), Started: time.Now()})
		save := func(l detection.LaneReport) {
			p.proof.Lanes[i] = l
			p.save()
		}
		proved := p.provers[lane](ctx, p.options, witnesses, save)
		if ctx.Err() != nil {
			proved.Ended = time.Time{} // what was interrupted has no end
		}
		save(proved)
		if lane == kubelet.LaneVirtual {
			witnesses = witnessesOf(p.proof)
		}
	}
	if ctx.Err() != nil {
		p.proof.Problems = append(p.proof.Problems, fmt.Sprintf("interrupted: %v", context.Cause(ctx)))
	}
	if ctx.Err() == nil &&
		!slices.ContainsFunc(p.proof.Lanes, func(l detection.LaneReport) bool { return l.Ended.IsZero() }) {
		p.proof.Ended = time.Now()
	}
	p.save()
	return p.proof, p.unsaved
}

// save writes what there is. A failure is told at the end: the next save may succeed, and what was found is
// still in memory.
func (p *Proof) save() { p.unsaved = folder.WriteSensitivity(p.dir, p.proof) }

// settings are what decides what a proof does, for its report.
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
	if o.WholeProfile {
		s["WHOLE_PROFILE"] = "1"
	}
	if o.Within > 0 {
		s["WITHIN"] = o.Within.String()
	}
	if len(names) < len(written(o.Version)) {
		s["MUTANTS"] = strings.Join(names, ",")
	}
	return s
}

// written are all mutations of a version.
func written(version string) []mutation.Mutation {
	return slices.DeleteFunc(mutation.All(), func(m mutation.Mutation) bool { return !m.Versions.Contains(version) })
}

// seen is how many of them somebody outside the process could see.
func seen(version string) (n int) {
	for _, m := range written(version) {
		if m.Unseen == "" {
			n++
		}
	}
	return n
}
