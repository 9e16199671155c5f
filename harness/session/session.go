package session

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/stage"
)

// Session is one run.
type Session struct {
	config  Config
	log     *relay
	run     run.Run
	dir     string
	steps   steps
	engine  *engine.Engine
	cluster *cluster.Cluster
	// labs are those that were opened, one for each lane.
	labs map[kubelet.Lane]laboratory
	// unfinished is what each lab had not come to the end of when the run ended.
	unfinished map[kubelet.Lane]unfinished
	// selected is what was asked for, whether it ever ran or not.
	selected []stage.Selection
	// lost are the subjects of the node lane that could not be put under test, by name, and why.
	lost        map[string]error
	losing      sync.Mutex
	endProgress func()
}

// New begins a run: its folder and its clock.
func New(c Config, selected []stage.Selection, log io.Writer) (*Session, error) {
	started := time.Now()
	dir, id, err := run.Folder(c.Out, started)
	if err != nil {
		return nil, err
	}
	s := &Session{
		config:   c,
		log:      &relay{to: log},
		dir:      dir,
		selected: selected,
		labs:     map[kubelet.Lane]laboratory{},
		lost:     map[string]error{},
	}
	s.unfinished = map[kubelet.Lane]unfinished{}
	s.steps = steps{engine: s.findEngine, nodes: s.openNodes, virtual: s.openVirtual}
	s.run = run.Run{Schema: run.Schema, ID: id, Started: started, Environment: environment(c)}
	s.run.Profile = string(c.Profile)
	for _, subject := range c.subjects {
		s.run.Subjects = append(s.run.Subjects, run.Subject{
			Name:     subject.String(),
			Lane:     run.Lane(subject.Lane()),
			Mutation: subject.Mutation,
			Path:     subject.Path,
			Reported: subject.Reports(),
			Kubelet:  formula.Kubelet{Version: subject.Version},
		})
	}
	if len(c.idle) > 0 {
		_, _ = fmt.Fprintf(s.log, "no subject is in the node lane, so there is no cluster, and nothing comes of %s\n",
			strings.Join(c.idle, ", "))
	}
	return s, nil
}

// SetUp goes from a bare host to trials that run. Steps obey ctx; the trials then live until Finish or until life ends.
func (s *Session) SetUp(ctx, life context.Context) error {
	err := s.setUp(ctx, life)
	if err != nil {
		s.Problem(fmt.Sprintf("set-up failed: %v", err))
	}
	return err
}

// report is what the run says of a subject.
func (s *Session) report(subject kubelet.Subject) *run.Subject {
	i := slices.IndexFunc(s.run.Subjects, func(r run.Subject) bool { return r.Name == subject.String() })
	return &s.run.Subjects[i]
}

// Problem notes what kept the harness from judging.
func (s *Session) Problem(text string) { s.run.Problems = append(s.run.Problems, text) }

// Finish collects what was measured and saves it, then ends the lab and the cluster. It works after an
// interrupt, too. What it returns is the run, and the first thing that went wrong on the way.
func (s *Session) Finish(ctx context.Context) (run.Run, error) {
	s.stopProgress()
	s.run.Reported = time.Now()
	for lane, l := range s.labs {
		s.unfinished[lane] = unfinishedOf(l)
		l.Stop()
	}
	s.collect()
	err := s.save()
	for _, l := range s.labs {
		if closing := l.Close(ctx); closing != nil {
			_, _ = fmt.Fprintln(s.log, closing)
		}
	}
	if s.cluster != nil {
		if closing := s.cluster.Close(ctx); closing != nil && err == nil {
			err = closing
		}
	}
	return s.run, err
}

// Dir is the run's folder.
func (s *Session) Dir() string { return s.dir }
