package session

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// Program is what a session needs of the program that plays it.
type Program struct {
	// Log receives lines about steps that take time, and about decisions.
	Log io.Writer
	// Show begins to show the progress of a lane's trials. If it is nil, nothing is shown.
	Show func(lane run.Lane) Display
	// Save writes the files of a run into its folder, run.json first. If it is nil, only run.json is written.
	Save func(dir string, r run.Run) error
}

// Display shows the progress of trials. The session writes its log through it until Stop.
type Display interface {
	io.Writer
	// Update gets each new state of a trial. It must not block.
	Update(stage.State)
	Stop()
}

// Session plays one run.
type Session struct {
	config  Config
	program Program
	log     *relay
	run     run.Run
	dir     string
	steps   steps
	engine  *engine.Engine
	cluster *cluster.Cluster
	// labs are the open labs by lane.
	labs map[kubelet.Lane]laboratory
	// selected are all selected trials, including those that never ran.
	selected []stage.Selection
	// lost are the errors of subjects in the node lane that could not be put under test, by their names.
	lost   map[string]error
	losing sync.Mutex
	// troubles are the problems of the run that concern all subjects.
	troubles []string
	display  Display
}

// laboratory is what the session uses of a lane's lab.
type laboratory interface {
	Start(selections []stage.Selection)
	Await(ctx context.Context, id, subject string) (trial.Outcome, error)
	States() []stage.State
	Outcomes() []trial.Outcome
	Nodes() []stage.NodeReport
	Err() error
	Stop()
	Close(ctx context.Context) error
}

// steps are the steps of a set-up.
type steps struct {
	engine         func(ctx context.Context) error
	virtual, nodes func(ctx, life context.Context) (laboratory, error)
}

// Dir returns the run's folder.
func (s *Session) Dir() string { return s.dir }

// Cluster returns the node lane's cluster, nil before it is up.
func (s *Session) Cluster() *cluster.Cluster { return s.cluster }

// Booted reports whether the session booted its cluster, rather than found one that an earlier run kept.
func (s *Session) Booted() bool { return s.cluster != nil && !s.cluster.Adopted }

// Problem records what prevented the harness from judging.
func (s *Session) Problem(text string) {
	s.run.Problems = append(s.run.Problems, text)
	s.troubles = append(s.troubles, text)
}

// Troubles returns the problems that concern all subjects, such as a cluster that went away.
func (s *Session) Troubles() []string { return slices.Clone(s.troubles) }

// report returns the run's entry of a subject.
func (s *Session) report(subject kubelet.Subject) *run.Subject {
	i := slices.IndexFunc(s.run.Subjects, func(r run.Subject) bool { return r.Name == subject.String() })
	return &s.run.Subjects[i]
}

// selectedIn returns the selected trials of one lane.
func (s *Session) selectedIn(lane kubelet.Lane) []stage.Selection {
	return slices.DeleteFunc(slices.Clone(s.selected),
		func(selection stage.Selection) bool { return s.config.laneOf(selection.Subject) != lane })
}

// relay passes log lines to the display while there is one, so that lines do not overwrite each other.
type relay struct {
	mu sync.Mutex
	to io.Writer
}

func (r *relay) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Write(b)
}

// through replaces the writer and returns the one before.
func (r *relay) through(w io.Writer) io.Writer {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.to
	r.to = w
	return before
}

// show shows the trials of a lane until stopShowing.
func (s *Session) show(lane kubelet.Lane) {
	if s.program.Show == nil {
		return
	}
	s.display = s.program.Show(run.Lane(lane))
	s.log.through(s.display)
}

// observe passes a trial's new state to the display.
func (s *Session) observe(state stage.State) {
	if s.display != nil {
		s.display.Update(state)
	}
}

// stopShowing stops the display. Later log lines go directly to the program's log.
func (s *Session) stopShowing() {
	if s.display != nil {
		s.display.Stop()
		s.log.through(s.program.Log)
	}
}
