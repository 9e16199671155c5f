package mutants

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

type nodeLane struct {
	options    Options
	keep       keep
	build      func(context.Context, kubelets.Subject) (builder.Binary, error)
	run        func(context.Context, task) result
	discard    func(builder.Binary) error
	lane       mutationtest.LaneReport
	met        map[string]*record
	references references
}

// playNodeLane plays many mutants in one cluster, beside a reference.
func playNodeLane(ctx context.Context, o Options, w Killers, k keep) mutationtest.LaneReport {
	p := &nodeLane{options: o, keep: k, build: buildMutant(o), run: runWave(o), discard: builder.Discard}
	r, err := roomHere()
	if err != nil {
		return mutationtest.LaneReport{Lane: run.NodeLane, Started: time.Now(), Problems: []string{err.Error()}}
	}
	report := p.play(ctx, w, r)
	if report.Trials == 0 {
		return report
	}
	if err := takeDown(ctx, o); err != nil {
		report.Problems = append(report.Problems, err.Error())
	}
	return report
}

func (p *nodeLane) play(ctx context.Context, w Killers, r room) mutationtest.LaneReport {
	p.lane = mutationtest.LaneReport{Lane: run.NodeLane, Started: time.Now()}
	p.met, p.references = map[string]*record{}, references{}
	chosen := p.candidates(w)
	p.waves(ctx, "wave %d of %d", plan(chosen, r), r)
	if again := p.undecided(); len(again) > 0 && ctx.Err() == nil {
		r = r.calmer()
		p.waves(ctx, "wave %d of %d of those that could not be judged before", plan(again, r), r)
	}
	p.judge()
	for _, m := range p.lane.Mutants {
		if why := p.met[m.Name].trouble; why != nil && m.Verdict == mutationtest.Undecided {
			p.lane.Problems = append(p.lane.Problems, fmt.Sprintf("%s was not judged: %v", m.Name, why))
		}
	}
	p.lane.Ended = time.Now()
	return p.lane
}

func (p *nodeLane) waves(ctx context.Context, name string, waves []wave, r room) {
	p.note(describePlan(waves, r))
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

func (p *nodeLane) candidates(w Killers) []candidate {
	var candidates []candidate
	var all []trial.Trial
	for _, m := range p.options.Mutations {
		if why := p.options.whyNot(m); why != "" {
			p.leaveOut(m.Name, why)
			continue
		}
		trials := slices.DeleteFunc(slices.Clone(p.options.Trials), trial.Trial.VirtualOnly)
		trials = choose(m, w, trials, mostKillers)
		if len(trials) == 0 && len(measuring(m.Formula, p.options.Trials)) > 0 {
			const why = "only trials of the virtual lane measure what it breaks"
			p.leaveOut(m.Name, why)
			continue
		}
		candidates = append(candidates, candidate{m, trials})
		p.met[m.Name] = &record{mutation: m, trials: trials}
		all = append(all, trials...)
	}
	p.lane.Trials = len(byID(all))
	return candidates
}

// whyNot returns why the node lane can't have a mutation, or "".
func (o Options) whyNot(m mutation.Mutation) string {
	newest := formula.Versions()[0]
	switch {
	case !m.Versions.Contains(o.Version):
		return fmt.Sprintf("it is for kubelets %s", m.Versions)
	case m.Component != mutation.Kubelet && o.Version != newest:
		return fmt.Sprintf("it changes the %s, and a cluster has that of %s", m.Component, newest)
	}
	return ""
}

func (p *nodeLane) put(ctx context.Context, name string, w wave) {
	p.say("%s: %s", name, w.describe())
	t := task{wave: wave{beside: w.beside, pool: w.pool}, built: map[string]builder.Binary{}}
	for _, c := range w.candidates {
		if ctx.Err() != nil {
			return
		}
		if binary, err := p.make(ctx, c.mutation, &t); err == nil {
			t.candidates = append(t.candidates, c)
			defer func() {
				if err := p.discard(binary); err != nil {
					p.say("%v", err)
				}
			}()
		}
	}
	if ctx.Err() != nil || len(t.candidates) == 0 && len(w.candidates) > 0 && !p.needed(w.beside) {
		return
	}
	if len(w.beside) > 0 {
		t.reference = p.options.Version
	}
	t.workers = t.wave.workers()
	began := time.Now()
	r := p.run(ctx, t)
	p.take(name, t, r, time.Since(began))
}

// make builds a mutant before its wave: a build during trials would delay them.
func (p *nodeLane) make(ctx context.Context, m mutation.Mutation, t *task) (builder.Binary, error) {
	subject := kubelets.Subject{Version: p.options.Version, Mutation: m.Name}
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
	t.built[subject.String()] = binary
	return binary, nil
}

// needed reports whether no reference judged one of the trials yet.
func (p *nodeLane) needed(trials []trial.Trial) bool {
	return slices.ContainsFunc(trials, func(t trial.Trial) bool { return !p.references.judges(t.ID) })
}

func (p *nodeLane) take(name string, t task, r result, took time.Duration) {
	beside := references{}
	if t.reference != "" {
		outcomes := of(t.reference, r.outcomes)
		reference := judgeReference(fmt.Sprintf("%s, %s", t.reference, name), outcomes)
		reference.Run = took
		p.lane.References = append(p.lane.References, reference)
		p.references.add(outcomes)
		beside.add(outcomes)
	}
	for i, subject := range t.mutants {
		e := p.met[t.candidates[i].mutation.Name]
		e.take(of(subject, r.outcomes), beside)
		e.broken, e.trouble, e.run = r.lost[subject], r.trouble, e.run+spent(of(subject, r.outcomes))
	}
	if r.trouble != nil {
		what := fmt.Sprintf("%s: %v", name, r.trouble)
		p.note(what)
		if len(t.mutants) == 0 {
			p.lane.Problems = append(p.lane.Problems, what)
		}
	}
	p.say("%s took %v, %v of that until its %d workers had their kubelets", name, took.Round(time.Second),
		r.boot.Round(time.Second), t.workers)
}

// spent returns the time from the first attempt's start to the last one's end.
func spent(outcomes []trial.Outcome) time.Duration {
	var from, to time.Time
	for _, o := range outcomes {
		for _, a := range o.Attempts {
			if from.IsZero() || a.Started.Before(from) {
				from = a.Started
			}
			if end := a.Started.Add(a.Took); end.After(to) {
				to = end
			}
		}
	}
	return to.Sub(from)
}

func (p *nodeLane) judge() {
	p.lane.Mutants = nil
	for _, m := range p.options.Mutations {
		if e := p.met[m.Name]; e != nil {
			p.lane.Mutants = append(p.lane.Mutants, e.judge(p.options.Version, p.references))
		}
	}
}

func buildMutant(o Options) func(context.Context, kubelets.Subject) (builder.Binary, error) {
	mutants := map[mutation.Component]int{}
	for _, m := range o.Mutations {
		mutants[m.Component]++
	}
	return func(ctx context.Context, s kubelets.Subject) (builder.Binary, error) {
		build := builds(run.NodeLane, mutants[s.Component()])
		return build(ctx, s, builder.Options{Source: o.Root, Log: o.Log})
	}
}

func (p *nodeLane) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.options.Log, "mutants, node lane: "+format+"\n", args...)
}

func (p *nodeLane) note(text string) {
	p.lane.Notes = append(p.lane.Notes, text)
	p.say("%s", text)
}

func (p *nodeLane) leaveOut(mutant, why string) {
	p.lane.LeftOut = append(p.lane.LeftOut, mutationtest.LeftOut{Name: mutant, Why: why})
	delete(p.met, mutant)
}

func (p *nodeLane) late(w wave) bool {
	return p.options.Within > 0 && time.Since(p.lane.Started)+w.expected() > p.options.Within
}

// skip leaves out a wave that would end too late. Judged mutants keep their verdicts.
func (p *nodeLane) skip(name string, w wave) {
	p.note(fmt.Sprintf("%s: not run, as it would have ended after %v", name, p.options.Within))
	for _, c := range w.candidates {
		if e := p.met[c.mutation.Name]; e != nil && len(e.outcomes) == 0 && e.broken == nil && e.trouble == nil {
			p.leaveOut(c.mutation.Name, fmt.Sprintf("its wave would have ended after %v", p.options.Within))
		}
	}
}

// undecided returns the mutants without a verdict, with the trials that another wave may decide.
func (p *nodeLane) undecided() (again []candidate) {
	for _, m := range p.lane.Mutants {
		r := p.met[m.Name]
		if trials := r.again(p.references); m.Verdict == mutationtest.Undecided && len(trials) > 0 {
			again = append(again, candidate{r.mutation, trials})
		}
	}
	return again
}
