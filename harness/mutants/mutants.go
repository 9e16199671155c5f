// Package mutants measures how well podclock distinguishes mutants of Kubernetes from the unchanged kubelet, the
// reference. A mutant is killed if a trial shows what no reference shows. Each lane has a file that plays the mutants;
// judge.go judges the outcomes of both.
package mutants

import (
	"context"
	"io"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/session"
)

// Options describe a mutation test. [Request.Options] makes them.
type Options struct {
	// Root is podclock's source, Out the folder of mutation tests. Both are absolute.
	Root, Out string
	Version   string
	// Mutations are those to test. A lane lists those that it can't have.
	Mutations []mutation.Mutation
	Lanes     []run.Lane
	// Profile and Trials are what a mutant can meet: in the virtual lane until it is killed, in the node lane its
	// killers among them.
	Profile trial.Profile
	Trials  []trial.Trial
	// AtLeast is the required score, 0 to 1.
	AtLeast float64
	// Record keeps the verdicts, nil without one.
	Record *Record
	// Within bounds the node lane, 0 without a bound. Mutants of all areas come first; those without time left are
	// listed.
	Within  time.Duration
	Cluster session.Config
	Program
}

// Program is what a mutation test needs of its caller.
type Program struct {
	// Log receives slow steps and decisions.
	Log  io.Writer
	Show func(lane run.Lane, mutants int) Display
	Save func(dir string, report mutationtest.Report) error
	// Keep saves a record, see [Record].
	Keep    func(dir string, report mutationtest.Report) error
	Session session.Program
}

// Display shows a lane's progress and log lines until Stop.
type Display interface {
	io.Writer
	// Building shows what is being built, "" for nothing.
	Building(name string)
	// Testing shows what is under test and how many of its trials are done, "" for nothing.
	Testing(name string, done, trials int)
	Judged(mutationtest.Mutant)
	Alarmed(mutationtest.Reference)
	Stop()
}

// Killers are the trials that killed a mutant in the virtual lane by its name, the clearest first.
type Killers map[string][]mutationtest.Kill

// keep saves the state of a lane after every mutant or wave, so that an interrupted run keeps its results.
type keep func(mutationtest.LaneReport)

// player plays one lane. The report's problems are what prevented it from judging. A mutant that it did not reach is
// Undecided. If ctx ends, it returns what it has.
type player func(ctx context.Context, o Options, w Killers, k keep) mutationtest.LaneReport
