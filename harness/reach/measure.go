package reach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/virtual"
)

// Options say what to measure.
type Options struct {
	// Root is podclock's source.
	Root    string
	Version string
	Trials  []trial.Trial
	Parts   []Part
	// Seed is that of the virtual nodes.
	Seed uint64
	// Log receives slow steps.
	Log io.Writer
	// Observe is the observer of [runner.NewSelections]. It may be nil.
	Observe func(runner.State)
}

// Measure plays each trial once on a virtual node whose lifecycle code counts its executions. A trial that does not run
// in the virtual lane is left out.
func Measure(ctx context.Context, o Options) (Map, error) {
	subject := kubelets.Subject{Virtual: true, Version: o.Version}
	binary, err := builder.Build(ctx, subject, builder.Options{Source: o.Root, Log: o.Log, Cover: Packages(o.Parts)})
	if err != nil {
		return Map{}, err
	}
	folder, err := os.MkdirTemp("", "podclock-reach-")
	if err != nil {
		return Map{}, fmt.Errorf("making a folder for the coverage: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	played, err := o.play(ctx, virtual.Program{Name: subject.String(), Binary: binary.Path}, folder)
	if err != nil {
		return Map{}, err
	}
	m := Map{Version: o.Version}
	source := Sources(ctx, o.Version)
	for _, id := range played {
		profiles, err := readProfile(ctx, filepath.Join(folder, filepath.FromSlash(id)))
		if err == nil {
			err = m.add(id, profiles, o.Parts, source)
		}
		if err != nil {
			return Map{}, err
		}
	}
	m.sort()
	return m, nil
}

// play returns the IDs of the trials that were played.
func (o Options) play(ctx context.Context, p virtual.Program, folder string) (played []string, err error) {
	lab, err := virtual.Open(ctx, virtual.Options{
		Programs: []virtual.Program{p}, Log: o.Log, Seed: o.Seed, Coverage: folder, Observe: o.Observe,
	})
	if err != nil {
		return nil, err
	}
	var selections []runner.Selection
	for _, t := range o.Trials {
		selections = append(selections, runner.Selection{Trial: t, Subject: p.Name})
	}
	lab.Start(selections)
	lab.Wait()
	defer lab.Stop()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, outcome := range lab.Outcomes() {
		switch outcome.Verdict {
		case trial.Unsupported:
		case trial.Inconclusive:
			return nil, fmt.Errorf("%s was not played to its end: %s", outcome.Trial, outcome.Why)
		default:
			played = append(played, outcome.Trial)
		}
	}
	if len(played) == 0 {
		return nil, errors.New("no trial was played")
	}
	return played, nil
}
