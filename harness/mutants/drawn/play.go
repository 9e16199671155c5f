package drawn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/virtual"
	"github.com/podclock/podclock/harness/virtual/trace"
)

const (
	// seed is that of all virtual nodes: only traces of one seed can be compared.
	seed = 1
	// mostTrials bounds the trials that a mutant meets.
	mostTrials = 100
	// turn bounds the real time of one mutant. A node that hangs ends it sooner.
	turn = 10 * time.Minute
	// answers bounds the real time of one answer of a mutant's node.
	answers = 10 * time.Second
)

// batches are how many trials a mutant meets before its result is looked at.
var batches = []int{2, 6, 12, 20, mostTrials}

// played is what trials showed on one program.
type played struct {
	outcomes map[string]trial.Outcome
	traces   map[string]trace.Trace
	exits    []string
}

func (o Options) play(ctx context.Context, b builder.Binary, mutants []Mutant) error {
	program := virtual.Program{Name: o.Reach.Version, Binary: b.Path}
	reference, err := o.meet(ctx, program, o.Trials, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if reference.exits != nil {
		return fmt.Errorf("the unchanged kubelet ended: %v", reference.exits)
	}
	rank := o.ranks(func(id string) int { return len(reference.traces[id].Entries) })
	trials := map[string]trial.Trial{}
	for _, t := range o.Trials {
		trials[t.ID] = t
	}
	var mu sync.Mutex
	done := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range mutants {
		m := &mutants[i]
		if m.Status != "" {
			done++
			continue
		}
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			began := time.Now()
			err := o.judge(ctx, b, m, reference, trials, rank)
			m.Took = time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			done++
			if o.Judged != nil {
				o.Judged(done, len(mutants), *m)
			}
			return err
		})
	}
	return g.Wait()
}

// judge plays the trials that execute a mutant until it is killed, or until they are at their end with
// [Options.Locate].
func (o Options) judge(
	ctx context.Context, b builder.Binary, m *Mutant, reference played, trials map[string]trial.Trial,
	rank map[string]int,
) error {
	var ids []string
	for _, i := range m.trials {
		if id := o.Reach.Trials[i]; trials[id].ID != "" && run.Conclusive(reference.outcomes[id].Verdict) {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(rank[x], rank[y]) })
	ids = o.inOrder(ids, *m)
	executing, met := ids, map[string]trial.Outcome{}
	ids = ids[:min(len(ids), mostTrials)]
	program := virtual.Program{Name: o.Reach.Version, Binary: b.Path, Env: []string{mutation.Variable + "=" + m.name}}
	late := errors.New("its trials took too long")
	ctx, cancel := context.WithTimeoutCause(ctx, turn, late)
	defer cancel()
	m.Status = Survived
	for _, n := range batches {
		var batch []trial.Trial
		for _, id := range ids[:min(n, len(ids))] {
			batch = append(batch, trials[id])
		}
		ids = ids[len(batch):]
		got, err := o.meet(ctx, program, batch, 1)
		if err != nil {
			if errors.Is(err, late) && m.Status == Killed {
				break
			} else if errors.Is(err, late) {
				m.end(late.Error())
				return nil
			}
			return err
		}
		m.Played += len(batch)
		maps.Copy(met, got.outcomes)
		if m.Status != Killed {
			m.compare(batch, got, reference)
		}
		if m.Status == Killed && (m.Ended || !o.Locate) || len(ids) == 0 {
			break
		}
	}
	if m.Status == Killed && !m.Ended && o.Locate {
		m.locate(met, reference.outcomes, executing, reach.Saved())
	}
	if m.Status == Survived {
		if why := equivalent(*m); why != "" {
			m.Status, m.Because = Equivalent, why
		}
	}
	return nil
}

// compare looks for the first difference and for the first claim that deviates.
func (m *Mutant) compare(batch []trial.Trial, got, reference played) {
	for _, t := range batch {
		o := got.outcomes[t.ID]
		is, traced := got.traces[t.ID]
		if !traced {
			m.end(t.ID + " has no verdict: " + o.Why)
			return
		}
		if m.Difference == "" {
			if d := trace.First(reference.traces[t.ID], is); d != nil {
				m.Status = Different
				m.Difference = fmt.Sprintf("%s: %s %s %s", t.ID, d.Change, d.Entry.Kind, d.Entry.What)
			}
		}
		if o.Verdict != trial.Deviates || reference.outcomes[t.ID].Verdict == trial.Deviates {
			continue
		}
		for _, f := range o.Last().Result.Findings {
			if f.Verdict == trial.Deviates {
				m.Status, m.Kill = Killed, fmt.Sprintf("%s %s: %s", t.ID, f.Claim, f.Why)
				return
			}
		}
	}
	if len(got.exits) > 0 {
		m.end("the kubelet ended " + got.exits[0])
	}
}

// end kills a mutant that needs no claim: its kubelet does not start, ends or hangs, so podclock has no verdict.
func (m *Mutant) end(how string) {
	m.Status, m.Kill, m.Ended = Killed, how, true
	m.Difference = cmp.Or(m.Difference, how)
}

// meet plays trials on one program.
func (o Options) meet(
	ctx context.Context,
	p virtual.Program,
	trials []trial.Trial,
	atOnce int,
) (got played, err error) {
	got = played{map[string]trial.Outcome{}, map[string]trace.Trace{}, nil}
	var mu sync.Mutex
	lab, err := virtual.Open(ctx, virtual.Options{
		Programs: []virtual.Program{p}, AtOnce: atOnce, Seed: seed, Log: io.Discard, ReplyTimeout: answers,
		Trace: func(t trace.Trace) {
			mu.Lock()
			defer mu.Unlock()
			got.traces[t.Trial] = t
		},
	})
	if err != nil {
		return got, err
	}
	var selections []runner.Selection
	for _, t := range trials {
		selections = append(selections, runner.Selection{Trial: t, Subject: p.Name})
	}
	lab.Start(selections)
	lab.Wait()
	for _, outcome := range lab.Outcomes() {
		got.outcomes[outcome.Trial] = outcome
	}
	for _, n := range lab.Nodes() {
		got.exits = append(got.exits, n.Exits...)
	}
	lab.Stop()
	if ctx.Err() != nil {
		return got, context.Cause(ctx)
	}
	return got, nil
}
