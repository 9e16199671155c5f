package sensitivity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// nodeProof proves the node lane, wave by wave.
type nodeProof struct {
	options Options
	keep    keep
	// build, run and discard are what a wave consists of; tests have others.
	build   func(context.Context, kubelet.Subject) (builder.Binary, error)
	run     func(context.Context, task) result
	discard func(builder.Binary) error
	lane    detection.LaneReport
	// met is what came of each mutation by its name, clean what all controls say.
	met        map[string]*record
	references references
	// failures are the waves that were kept from their trials.
	failures []failure
}

// task is one wave as it is run.
type task struct {
	wave
	// clean is the control's name, empty where there is none, mutants the others', in the order of the candidates.
	reference string
	mutants   []string
	// kubelets are the paths of the mutants' kubelets by their names, workers is how many workers the cluster gets.
	kubelets map[string]string
	workers  int
}

// result is what came of a wave.
type result struct {
	outcomes []trial.Outcome
	// lost are the subjects that could not be put under test, by name.
	lost map[string]error
	// trouble is what kept the wave from its trials, nil where nothing did.
	trouble error
	// boot is the time until the cluster had all its kubelets.
	boot time.Duration
}

// playNodeLane proves the node lane: many mutants at a time in one cluster, a worker each, beside a clean control.
func playNodeLane(ctx context.Context, o Options, w Witnesses, k keep) detection.LaneReport {
	p := &nodeProof{options: o, keep: k, build: buildMutant(o), run: runWave(o), discard: builder.Discard}
	r, err := roomHere()
	if err != nil {
		return detection.LaneReport{Lane: run.NodeLane, Started: time.Now(), Problems: []string{err.Error()}}
	}
	return p.prove(ctx, w, r)
}

func (p *nodeProof) prove(ctx context.Context, w Witnesses, r room) detection.LaneReport {
	p.lane = detection.LaneReport{Lane: run.NodeLane, Started: time.Now()}
	p.met, p.references, p.failures = map[string]*record{}, references{}, nil
	chosen := p.inTime(p.candidates(w), r)
	p.lane.Trials = offered(chosen)
	p.waves(ctx, "wave %d of %d", plan(chosen, r), r)
	if again := p.undecided(); len(again) > 0 && ctx.Err() == nil {
		p.waves(ctx, "wave %d of %d of those that could not be judged before", plan(again, r), r)
	}
	p.judge()
	p.settleFailures()
	p.lane.Ended = time.Now()
	return p.lane
}

// waves runs waves, one after the other.
func (p *nodeProof) waves(ctx context.Context, name string, waves []wave, r room) {
	ahead := describePlan(waves, r)
	p.lane.Notes = append(p.lane.Notes, ahead)
	p.say("%s", ahead)
	for i, w := range waves {
		if ctx.Err() != nil {
			p.lane.Problems = append(p.lane.Problems,
				fmt.Sprintf("interrupted after %d of %d waves: %v", i, len(waves), context.Cause(ctx)))
			return
		}
		if called := fmt.Sprintf(name, i+1, len(waves)); p.late(w) {
			p.skip(called, w)
		} else {
			p.put(ctx, called, w)
		}
		p.judge()
		p.keep(p.lane)
	}
}

// candidates decides which trials each mutant meets.
func (p *nodeProof) candidates(w Witnesses) []candidate {
	var candidates []candidate
	for _, m := range p.options.Mutations {
		if why := p.options.whyNot(m); why != "" {
			p.lane.LeftOut = append(p.lane.LeftOut, detection.LeftOut{Name: m.Name, Why: why})
			continue
		}
		trials := p.options.Trials
		if !p.options.WholeProfile {
			trials = choose(m, w, p.options.Trials, mostWitnesses)
		}
		candidates = append(candidates, candidate{m, trials})
		p.met[m.Name] = &record{mutation: m, trials: trials}
	}
	return candidates
}

// offered is how many trials mutants are to meet, each counted once.
func offered(candidates []candidate) int {
	var all []trial.Trial
	for _, c := range candidates {
		all = append(all, c.trials...)
	}
	return len(byID(all))
}

// whyNot says why the node lane can't have a mutation, empty where it can.
func (o Options) whyNot(m mutation.Mutation) string {
	newest := kubelet.Versions()[0]
	switch {
	case !m.Versions.Contains(o.Version):
		return fmt.Sprintf("it is for kubelets %s", m.Versions)
	case m.Component != mutation.Kubelet && o.Version != newest:
		return fmt.Sprintf("it changes the %s, and a cluster has that of %s", m.Component, newest)
	}
	return ""
}

// put runs one wave. A mutant that can't be built, or whose kubelet does not come up, leaves the others to go on.
func (p *nodeProof) put(ctx context.Context, name string, w wave) {
	p.say("%s: %s", name, w.describe())
	t := task{wave: wave{control: w.control}, kubelets: map[string]string{}}
	for _, c := range w.candidates {
		if ctx.Err() != nil {
			return
		}
		if binary, err := p.make(ctx, c.mutation, &t); err == nil {
			t.candidates = append(t.candidates, c)
			defer p.throwAway(binary)
		}
	}
	if ctx.Err() != nil || len(t.candidates) == 0 && len(w.candidates) > 0 && !p.needed(w.control) {
		return
	}
	if len(w.control) > 0 {
		t.reference = p.options.Version
	}
	t.workers = t.wave.workers()
	began := time.Now()
	r := p.run(ctx, t)
	p.take(name, t, r, time.Since(began))
}

// make builds a mutant beforehand, so that one that can't be built costs no wave. Nothing is built while
// trials run: they would feel it.
func (p *nodeProof) make(ctx context.Context, m mutation.Mutation, t *task) (builder.Binary, error) {
	subject := kubelet.Subject{Version: p.options.Version, Mutation: m.Name}
	began := time.Now()
	binary, err := p.build(ctx, subject)
	if err != nil {
		if ctx.Err() == nil {
			p.met[m.Name].broken = err
		}
		return binary, err
	}
	p.met[m.Name].build += time.Since(began)
	t.mutants = append(t.mutants, subject.String())
	if m.Component == mutation.Kubelet {
		t.kubelets[subject.String()] = binary.Path
	}
	return binary, nil
}

// throwAway makes room for the next mutants: a kubelet is 80 MB.
func (p *nodeProof) throwAway(b builder.Binary) {
	if err := p.discard(b); err != nil {
		p.say("%v", err)
	}
}

// needed says whether a control's trials are another's, too, so that they are worth a wave without mutants.
func (p *nodeProof) needed(trials []trial.Trial) bool {
	return slices.ContainsFunc(trials, func(t trial.Trial) bool { return !p.references.judges(t.ID) })
}

// take files what came of a wave.
func (p *nodeProof) take(name string, t task, r result, took time.Duration) {
	beside := references{}
	if t.reference != "" {
		outcomes := of(t.reference, r.outcomes)
		control := judgeControl(fmt.Sprintf("%s, %s", t.reference, name), outcomes)
		control.Run = took
		p.lane.References = append(p.lane.References, control)
		p.references.add(outcomes)
		beside.add(outcomes)
	}
	var mutants []string
	for i, subject := range t.mutants {
		e := p.met[t.candidates[i].mutation.Name]
		e.take(of(subject, r.outcomes), beside)
		e.broken, e.trouble, e.run = r.lost[subject], r.trouble, e.run+took
		mutants = append(mutants, e.mutation.Name)
	}
	if r.trouble != nil {
		f := failure{fmt.Sprintf("%s: %v", name, r.trouble), mutants, t.control}
		p.failures = append(p.failures, f)
		p.lane.Problems = append(p.lane.Problems, f.what)
	}
	p.say("%s took %v, %v of that until its %d workers had their kubelets", name, took.Round(time.Second),
		r.boot.Round(time.Second), t.workers)
}

// of are the outcomes of a subject.
func of(subject string, outcomes []trial.Outcome) []trial.Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o trial.Outcome) bool { return o.Subject != subject })
}

// judge says of every mutant what is known by now: each wave's control adds to what is known of the released code.
func (p *nodeProof) judge() {
	p.lane.Mutants = nil
	for _, m := range p.options.Mutations {
		if e := p.met[m.Name]; e != nil {
			p.lane.Mutants = append(p.lane.Mutants, e.judge(p.options.Version, p.references))
		}
	}
}

func buildMutant(o Options) func(context.Context, kubelet.Subject) (builder.Binary, error) {
	return func(ctx context.Context, s kubelet.Subject) (builder.Binary, error) {
		return builder.Build(ctx, s, builder.Options{Source: o.Root, Log: o.Log})
	}
}

func (p *nodeProof) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.options.Log, "sensitivity, node lane: "+format+"\n", args...)
}
