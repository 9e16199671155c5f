// Package sensitivity proves that podclock can tell wrong code from right code: it puts every mutation of
// the catalogue under test, beside the released code, and keeps what caught it. The lanes are proved one
// after the other: each has a file of its own that runs the mutants, and judge.go judges for both.
package sensitivity

import (
	"context"
	"io"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/terminal"
)

// Options are what a proof is made of. [Request.Options] makes and checks them.
type Options struct {
	// Root is the folder of podclock's source, Out where proofs are saved, both absolute. A lane gets the
	// proof's own folder as Out.
	Root, Out string
	// Version is the Kubernetes version whose source is changed.
	Version string
	// Mutations are those to put under test; each lane leaves out those that it can't have, and says so.
	Mutations []mutation.Mutation
	// Lanes are the lanes to prove, the virtual one first.
	Lanes []kubelet.Lane
	// Profile and Trials are the trials that each mutant meets in the virtual lane. In the node lane it
	// meets those of them that are its witnesses, unless WholeProfile asks for all of them there, too.
	Profile      session.Profile
	Trials       []trial.Trial
	WholeProfile bool
	// AtLeast is the score that is asked for, from 0 to 1.
	AtLeast float64
	// Witnesses are those of a saved proof's virtual lane; nil for this proof's own.
	Witnesses Witnesses
	// Within bounds the node lane: mutants of all areas come first, and what there is no time for is left
	// out, by name. 0 is no bound.
	Within time.Duration
	// Environment are the variables of the environment, for those of a cluster.
	Environment map[string]string
	// Log takes lines about what takes time or is decided, and the display of what goes on, for which
	// Screen is what it is.
	Log    io.Writer
	Screen terminal.Screen
}

// Witnesses are the trials that caught a mutant in the virtual lane, by its name, the clearest first. Of a
// mutant that is not in it nobody knows what catches it.
type Witnesses map[string][]detection.Catch

// keep takes over how far a lane's proof has come, and saves it: an interrupted proof leaves what was
// found. A lane calls it after every mutant or wave.
type keep func(detection.LaneReport)

// prover proves one lane. What kept it from judging stands in the problems of the proof that it returns; a
// mutant that it did not come to is Undecided. It obeys ctx, and returns what it has when that ends.
type prover func(ctx context.Context, o Options, w Witnesses, k keep) detection.LaneReport
