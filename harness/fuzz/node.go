package fuzz

import (
	"context"
	"errors"
	"strings"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/virtual"
)

// Node runs trials on virtual nodes of one kubelet.
type Node virtual.Program

// Run returns an error if the virtual node fails, which the lab logs.
func (n Node) Run(ctx context.Context, t trial.Trial) (trial.Outcome, error) {
	var failure strings.Builder
	lab, err := virtual.Open(ctx, virtual.Options{Programs: []virtual.Program{virtual.Program(n)}, Log: &failure})
	if err != nil {
		return trial.Outcome{}, err
	}
	lab.Start([]runner.Selection{{Trial: t, Subject: n.Name}})
	o, err := lab.Await(ctx, t.ID, n.Name)
	err = errors.Join(err, lab.Close(ctx))
	if failure.Len() > 0 {
		err = errors.Join(err, errors.New(failure.String()))
	}
	return o, err
}
