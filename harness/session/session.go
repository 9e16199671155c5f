package session

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"

	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/virtual/trace"
)

// Program is what a session needs of its caller.
type Program struct {
	// Log receives slow steps and decisions.
	Log io.Writer
	// Show shows the progress of a lane. It may be nil.
	Show func(lane run.Lane) Display
	// Save writes a run's files, run.json first. If it is nil, there is only run.json.
	Save func(dir string, r run.Run) error
	// Colour is true if standard output shows colours. OneTerminal is true if the progress is on the same terminal.
	Colour, OneTerminal bool
	// TakeInterrupts makes interrupts end the run's context only. A suite calls it when its own handler listens.
	TakeInterrupts func()
}

// Suite plays the trials of a run as the specs of a test framework.
type Suite struct {
	// Choose returns the selected trials that the framework's own flags leave, or why its flags make no sense.
	Choose func(selected []runner.Selection) ([]runner.Selection, error)
	// Play plays them, and saves the run also after an interrupt. It plays nothing if a flag asks for that.
	Play func(ctx context.Context, c Config, selected []runner.Selection, p Program) (Played, error)
}

// Played is a run with its folder, which is empty if nothing was played.
type Played struct {
	Run    run.Run
	Folder string
}

// Display shows progress and log lines until Stop.
type Display interface {
	io.Writer
	// Update gets each new state of a trial. It must not block.
	Update(runner.State)
	Stop()
}

// Session is one run. It is played once, by Play, or by SetUp, Await and Finish.
type Session struct {
	config  Config
	program Program
	log     *relay
	run     run.Run
	dir     string
	steps   steps
	engine  *engine.Engine
	// env is what functions of e2e-framework share, cluster the one that they booted.
	env     *envconf.Config
	cluster *cluster.Cluster
	labs    map[run.Lane]laboratory
	// selected includes trials that never ran.
	selected []runner.Selection
	// lost has the errors of subjects that could not be put under test.
	lost   map[string]error
	losing sync.Mutex
	// troubles are the problems that concern all subjects.
	troubles []string
	display  Display
	// traces is nil without a virtual lane.
	traces *trace.Writer
	// journal is nil in a cluster of podclock's own.
	journal *run.Journal
	// lock reserves the folder of a run that may continue, else nil.
	lock *os.File
}

type laboratory interface {
	Start(selections []runner.Selection)
	Await(ctx context.Context, id, subject string) (trial.Outcome, error)
	States() []runner.State
	Outcomes() []trial.Outcome
	Nodes() []run.Node
	Err() error
	Stop()
	Close(ctx context.Context) error
}

type steps struct {
	engine         func(ctx context.Context) error
	virtual, nodes func(ctx, life context.Context) (laboratory, error)
}

// Dir returns the run's folder, which New created.
func (s *Session) Dir() string { return s.dir }

// Log returns the log of the run, which the display of its progress passes on.
func (s *Session) Log() io.Writer { return s.log }

// Cluster is nil before the node lane's cluster is up.
func (s *Session) Cluster() *cluster.Cluster { return s.cluster }

// Booted reports whether the session booted its cluster, rather than found a kept one.
func (s *Session) Booted() bool { return s.cluster != nil && !s.cluster.Adopted }

// Problem records what prevented judging.
func (s *Session) Problem(text string) {
	s.run.Problems = append(s.run.Problems, text)
	s.troubles = append(s.troubles, text)
}

// Disturb records what disturbs the nodes on purpose. The kubelet is not blamed for it.
func (s *Session) Disturb(name string) { s.run.Disturbance = name }

// Troubles returns the problems that concern all subjects, such as a lost cluster.
func (s *Session) Troubles() []string { return slices.Clone(s.troubles) }

func (s *Session) report(subject kubelets.Subject) *run.Subject {
	i := slices.IndexFunc(s.run.Subjects, func(r run.Subject) bool { return r.Name == subject.String() })
	return &s.run.Subjects[i]
}

func (s *Session) selectedIn(lane run.Lane) []runner.Selection {
	return slices.DeleteFunc(slices.Clone(s.selected),
		func(selection runner.Selection) bool { return s.config.laneOf(selection.Subject) != lane })
}

// relay passes log lines to the display while there is one, so that they do not overwrite each other.
type relay struct {
	mu sync.Mutex
	to io.Writer
}

func (r *relay) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Write(b)
}

func (r *relay) through(w io.Writer) io.Writer {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.to
	r.to = w
	return before
}

func (s *Session) show(lane run.Lane) {
	if s.program.Show == nil {
		return
	}
	s.display = s.program.Show(lane)
	s.log.through(s.display)
}

func (s *Session) observe(state runner.State) {
	if s.display != nil {
		s.display.Update(state)
	}
}

func (s *Session) stopShowing() {
	if s.display != nil {
		s.display.Stop()
		s.log.through(s.program.Log)
	}
}
