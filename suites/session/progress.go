package session

import (
	"os"
	"time"

	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/reports"
)

// lookEvery is how often the progress display asks how far the trials have come.
const lookEvery = 500 * time.Millisecond

// showProgress tells how far the trials have come until stop is called. What is logged meanwhile goes through the display, so that lines
// do not overwrite each other.
func (s *Session) showProgress() (stop func()) {
	display := reports.StartProgress(os.Stderr, reports.ScreenOf(os.Stderr))
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer display.Stop()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			for _, state := range s.lab.States() {
				display.Update(progressState(state))
			}
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}

var phases = map[lab.Phase]reports.Phase{
	lab.Waiting: reports.Waiting, lab.Starting: reports.Starting, lab.Running: reports.Running, lab.Done: reports.Done,
}

func progressState(s lab.State) reports.TrialState {
	return reports.TrialState{
		ID: s.Trial.ID, Subject: s.Subject, Phase: phases[s.Phase], Started: s.Started, Expected: s.Trial.Lasts,
		Verdict: s.Verdict, Why: s.Why, Attempt: s.Attempt,
	}
}
