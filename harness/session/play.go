package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	// SettingUp bounds a run's set-up.
	SettingUp = 90 * time.Minute
	// Ending bounds saving a run and deleting its cluster.
	Ending = 5 * time.Minute
)

// New creates a run's folder. The configuration must be resolved.
func New(c Config, selected []runner.Selection, p Program) (*Session, error) {
	started := time.Now()
	var earlier run.Run
	dir, id, err := "", "", error(nil)
	var lock *os.File
	if c.Folder != "" {
		dir = c.Folder
		earlier, err = run.Unfinished(dir)
	} else if c.Continue {
		if lock, err = Reserve(c.Out); err == nil {
			earlier, dir, err = run.LoadUnfinished(c.Out)
		}
	}
	if dir == "" && err == nil {
		dir, id, err = run.NewFolder(c.Out, "", started)
	}
	if err != nil {
		return nil, err
	}
	s := newSession(c, dir, id, started, p)
	s.selected, s.lock = selected, lock
	s.resume(earlier)
	if len(c.idle) > 0 {
		_, _ = fmt.Fprintf(s.log, "no subject is in the node lane, so there is no cluster: %s has no effect\n",
			strings.Join(c.idle, ", "))
	}
	return s, nil
}

// newSession returns a session without trials. Its folder exists.
func newSession(c Config, dir, id string, started time.Time, p Program) *Session {
	s := &Session{
		config: c, program: p, log: &relay{to: p.Log}, dir: dir,
		env: envconf.New(), labs: map[run.Lane]laboratory{}, lost: map[string]error{},
	}
	s.steps = steps{engine: s.findEngine, nodes: s.openNodes, virtual: s.openVirtual}
	if c.External != nil {
		s.steps = steps{engine: func(context.Context) error { return nil }, nodes: s.openExisting}
	}
	s.run = run.Run{Schema: run.Schema, ID: id, Started: started, Profile: string(c.Profile), Promises: c.Promises}
	if c.Promises != nil {
		s.run.Profile = "" // that is a part of the catalogue
	}
	s.run.Environment = Environment(c.Settings())
	for _, subject := range c.subjects {
		s.run.Subjects = append(s.run.Subjects, run.Subject{
			Name: subject.String(), Lane: subject.Lane(), Mutation: subject.Mutation,
			Gates: subject.FeatureGates(), Path: subject.Source(), Commit: subject.Tree.Commit,
			Dirty:    subject.Tree.Dirty,
			Reported: subject.Reports(), Kubelet: formula.Kubelet{Version: subject.Version},
		})
	}
	return s
}

// SetUp sets up the lanes within a bound and starts the trials, which run until Finish or until life ends.
func (s *Session) SetUp(ctx, life context.Context, within time.Duration) error {
	if len(s.selected) == 0 { // everything was played before
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("the set-up took longer than %v", within))
	defer cancel()
	err := s.setUp(ctx, life)
	if err != nil {
		s.Problem(fmt.Sprintf("set-up failed: %v", err))
	}
	return err
}

// Finish stops the trials, saves the run, and closes the labs and the cluster. ctx must be alive, also after an
// interrupt.
func (s *Session) Finish(ctx context.Context) (run.Run, error) {
	s.stopShowing()
	if s.run.Reported.IsZero() {
		s.run.Reported = time.Now()
	}
	s.collect()
	err := s.save()
	for _, l := range s.labs {
		if closing := l.Close(ctx); closing != nil {
			_, _ = fmt.Fprintln(s.log, closing)
		}
	}
	if s.traces != nil {
		err = errors.Join(err, s.traces.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	if closing := s.closeCluster(ctx); closing != nil && err == nil {
		err = closing
	}
	return s.run, err
}

func (s *Session) save() error {
	save := s.program.Save
	if save == nil {
		save = func(dir string, r run.Run) error { return run.Save(dir, r, nil) }
	}
	err := save(s.dir, s.run)
	if err == nil && s.journal != nil {
		err = s.journal.End()
	}
	return errors.Join(err, run.Latest(s.config.Out, s.dir))
}

// During acts while trials run. await waits until each has its outcome.
type During func(ctx context.Context, s *Session, await func(context.Context) error) error

// Play sets up within a bound, plays all trials, and calls Finish, also after an interrupt. during may be nil.
// interrupted is why not every trial was judged; it is a problem of the run as well, unless during returned it. err is
// what went wrong at the end.
func (s *Session) Play(ctx context.Context, within time.Duration, during During) (r run.Run, interrupted, err error) {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errors.New("the run is over"))
	interrupted = s.judgeAll(ctx, life, within, during)
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), Ending)
	defer cancel()
	r, err = s.Finish(finishing)
	return r, interrupted, err
}

func (s *Session) judgeAll(ctx, life context.Context, within time.Duration, during During) error {
	if err := s.SetUp(ctx, life, within); err != nil {
		return err
	}
	await := func(ctx context.Context) error {
		for _, selection := range s.selected {
			if _, err := s.Await(ctx, selection.Trial.ID, selection.Subject); err != nil {
				s.Problem(err.Error())
				return err
			}
		}
		return nil
	}
	if during == nil {
		return await(ctx)
	}
	return during(ctx, s, await)
}
