// Package sensitivity measures how well podclock distinguishes wrong code from released code. A sensitivity
// run puts mutants of Kubernetes under test beside the unchanged kubelet, the reference. A mutant is caught
// if a trial shows what no reference shows. Each lane has a file that plays the mutants; judge.go judges
// the outcomes of both lanes.
package sensitivity

import (
	"context"
	"io"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
)

// Options describe a sensitivity run. [Request.Options] makes and checks them.
type Options struct {
	// Root is the folder of podclock's source, Out the folder of sensitivity runs. Both are absolute.
	Root, Out string
	// Version is the Kubernetes version whose source is mutated.
	Version string
	// Mutations are the mutations to test. Each lane leaves out those that it can't have, and lists them.
	Mutations []mutation.Mutation
	// Lanes are the lanes to run, the virtual lane first.
	Lanes []kubelet.Lane
	// Profile and Trials are the trials that each mutant meets in the virtual lane. In the node lane it meets only its
	// witnesses among them, unless WholeProfile is set.
	Profile      session.Profile
	Trials       []trial.Trial
	WholeProfile bool
	// AtLeast is the required score, from 0 to 1.
	AtLeast float64
	// Witnesses are those of a saved virtual lane. If nil, the node lane uses those of this run's virtual lane.
	Witnesses Witnesses
	// Within bounds the node lane. Mutants of all areas come first; mutants without time left are left out and listed.
	// 0 is no bound.
	Within time.Duration
	// Cluster has the flags of the node lane's cluster.
	Cluster session.Config
	Program
}

// Program is what a sensitivity run needs of the program around it.
type Program struct {
	// Log receives lines about steps that take time, and about decisions.
	Log io.Writer
	// Show begins to show the progress of a lane with this many mutants.
	Show func(lane run.Lane, mutants int) Display
	// Save writes the files of the report into its folder.
	Save func(dir string, report detection.Report) error
	// Session plays the waves of the node lane.
	Session session.Program
}

// Display shows the progress of a lane. Log lines go through it until Stop.
type Display interface {
	io.Writer
	// Building shows what is being built, empty for nothing.
	Building(name string)
	// Testing shows what is under test and how many of its trials are done. An empty name is nothing.
	Testing(name string, done, trials int)
	// Judged shows the result of one more mutant.
	Judged(detection.Mutant)
	// Alarmed shows the false alarms of a reference.
	Alarmed(detection.Reference)
	Stop()
}

// Witnesses are the trials that caught a mutant in the virtual lane, by its name, the clearest first.
type Witnesses map[string][]detection.Catch

// keep saves the present state of a lane, so that an interrupted run keeps its results. A lane calls it
// after every mutant or wave.
type keep func(detection.LaneReport)

// lane plays one lane and returns its report. The report's problems are what prevented it from judging. A
// mutant that it did not reach is Undecided. If ctx ends, it returns what it has.
type lane func(ctx context.Context, o Options, w Witnesses, k keep) detection.LaneReport
