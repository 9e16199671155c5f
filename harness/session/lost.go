package session

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// lose takes a subject out of the run whose kubelet does not come up, or is not what it should be. The
// others go on without it. It is said at once and is a problem of the run, as are the verdicts that nobody
// will give. What it returns is the error of who was interrupted.
func (s *Session) lose(ctx context.Context, subject kubelet.Subject, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.losing.Lock()
	defer s.losing.Unlock()
	if s.lost[subject.String()] == nil {
		s.lost[subject.String()] = err
		s.Problem(loss(subject.String(), err))
		_, _ = fmt.Fprintf(s.log, "%s can't be put under test: %v\n", subject, err)
	}
	return nil
}

// loss is a lost subject as a problem of the run.
func loss(subject string, err error) string {
	return fmt.Sprintf("%s could not be put under test: %v", subject, err)
}

// Troubles are what kept all subjects from being judged, such as a cluster that went away: the run's
// problems but for the subjects that were lost.
func (s *Session) Troubles() []string {
	return slices.DeleteFunc(slices.Clone(s.run.Problems), func(problem string) bool {
		for subject, err := range s.lost {
			if problem == loss(subject, err) {
				return true
			}
		}
		return false
	})
}

// allLost is the error of a run without any subject left in the node lane: that of its first one.
func (s *Session) allLost() error {
	subjects := s.config.in(kubelet.LaneNode)
	if len(s.lost) < len(subjects) {
		return nil
	}
	return s.lost[subjects[0].String()]
}

// Lost are the subjects that could not be put under test, and why.
func (s *Session) Lost() map[string]error { return maps.Clone(s.lost) }

// runnable leaves out the trials on lost subjects.
func (s *Session) runnable(selections []stage.Selection) []stage.Selection {
	return slices.DeleteFunc(slices.Clone(selections),
		func(selection stage.Selection) bool { return s.lost[selection.Subject] != nil })
}

// neverRan is the outcome of a trial whose lane was never opened. Why that is, is one problem of the run,
// not one of each trial. On a subject that was lost it is the subject's.
func (s *Session) neverRan(selection stage.Selection) trial.Outcome {
	why := "it never ran"
	if err := s.lost[selection.Subject]; err != nil {
		why = err.Error()
	}
	return trial.Outcome{
		Trial:   selection.Trial.ID,
		About:   selection.Trial.About,
		Subject: selection.Subject,
		Verdict: trial.Inconclusive,
		Why:     why,
	}
}
