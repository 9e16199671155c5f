package mutants

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/virtual"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// looking is how often the progress of a batch is looked at. It is the most that a batch can end late.
const looking = 50 * time.Millisecond

// seed is that of all virtual nodes: traces can only be compared with those of the same seed.
const seed = 1

// bench builds and plays subjects. Tests replace it.
type bench interface {
	// discard deletes a program unless others use it.
	build(ctx context.Context, s kubelets.Subject, log io.Writer) (program, error)
	discard(p program) error
	// meet plays trials. The error is why the node could not be started.
	meet(ctx context.Context, m meeting) (met, error)
	// fuzz runs random scenarios. ran is called after each.
	fuzz(ctx context.Context, s kubelets.Subject, ran func(scenarios, kinds int)) mutationtest.Fuzz
}

type program struct {
	subject kubelets.Subject
	binary  builder.Binary
}

type host struct {
	root   string
	builds build
}

// build is [builder.Build] or [builder.BuildTogether].
type build func(ctx context.Context, s kubelets.Subject, o builder.Options) (builder.Binary, error)

// builds returns the build of some mutants. One program with all mutations took as long as 35 of their own for a
// virtual node (7 min), and as long as 9 for a kubelet (110 s).
func builds(lane run.Lane, mutants int) build {
	if mutants < 9 || lane == run.VirtualLane && mutants < 35 {
		return builder.Build
	}
	return builder.BuildTogether
}

func (h host) build(ctx context.Context, s kubelets.Subject, log io.Writer) (program, error) {
	binary, err := h.builds(ctx, s, builder.Options{Source: h.root, Log: log})
	return program{s, binary}, err
}

func (h host) discard(p program) error { return builder.Discard(p.binary) }

// meeting is the trials that a subject meets. The batches are played one after another, until the results are enough or
// the turn is over.
type meeting struct {
	program  program
	batches  [][]trial.Trial
	turn     time.Duration
	enough   func(met) bool
	progress func(done int)
}

// met is the result of a meeting: the run and the traces of its trials, and the number of batches that were played. It
// is cut if the turn ended before.
type met struct {
	run     run.Run
	traces  []trace.Trace
	batches int
	cut     bool
}

func (h host) meet(ctx context.Context, m meeting) (met, error) {
	overdue := fmt.Errorf("all its trials together took longer than %v", m.turn)
	ctx, cancel := context.WithTimeoutCause(ctx, m.turn, overdue)
	defer cancel()
	p := m.program
	node := virtual.Program{Name: p.subject.String(), Binary: p.binary.Path, Env: p.binary.Env}
	facts, configuration, err := virtual.Inspect(ctx, node)
	if err != nil {
		return met{}, fmt.Errorf("its node could not be started: %w", err)
	}
	if facts.Version != p.subject.Version && facts.Version != p.subject.Reports() {
		return met{}, fmt.Errorf("its node runs kubelet %s: it was built wrong", facts.Version)
	}
	var mu sync.Mutex
	var got met
	// The outcome has the reason of a node's death, so its log is not needed.
	lab, err := virtual.Open(ctx, virtual.Options{
		Programs: []virtual.Program{node}, Log: io.Discard, Seed: seed, Trace: func(t trace.Trace) {
			mu.Lock()
			defer mu.Unlock()
			got.traces = append(got.traces, t)
		},
	})
	if err != nil {
		return met{}, err
	}
	got.run.Subjects = []run.Subject{{
		Name: node.Name, Lane: run.VirtualLane, Node: wire.NodeName, Kubelet: facts, Mutation: p.subject.Mutation,
		Configuration: configuration,
	}}
	for _, batch := range m.batches {
		lab.Start(selections(batch, node.Name))
		awaitAll(ctx, lab, m.progress)
		got.run.Outcomes = lab.Outcomes()
		got.batches++
		if got.cut = ctx.Err() != nil; got.cut || m.enough(got) {
			break
		}
	}
	lab.Stop()
	got.run.Outcomes, got.run.Nodes = lab.Outcomes(), lab.Nodes()
	got.run.Check()
	return got, nil
}

func awaitAll(ctx context.Context, lab *virtual.Lab, progress func(done int)) {
	tick := time.NewTicker(looking)
	defer tick.Stop()
	for {
		done, states := 0, lab.States()
		for _, s := range states {
			if s.Phase == runner.Done {
				done++
			}
		}
		progress(done)
		if done == len(states) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
