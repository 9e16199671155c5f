package session

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/reports/terminal"
)

// lookEvery is how often the progress display asks how far the trials have come.
const lookEvery = 500 * time.Millisecond

// relay passes what is logged on: through the progress display while there is one, so that lines do not
// overwrite each other.
type relay struct {
	mu sync.Mutex
	to io.Writer
}

func (r *relay) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to.Write(b)
}

// through makes another writer take what is logged, and returns the one before.
func (r *relay) through(w io.Writer) io.Writer {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.to
	r.to = w
	return before
}

// showProgress tells how far a lane's trials have come until stop is called.
func (s *Session) showProgress(l laboratory, lane kubelet.Lane) (stop func()) {
	display := terminal.StartProgress(os.Stderr, terminal.ScreenOf(os.Stderr))
	log := s.log.through(display)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer display.Stop()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for last := false; ; {
			for _, state := range l.States() {
				display.Update(progressState(state, lane))
			}
			if last {
				return
			}
			select {
			case <-tick.C:
			case <-quit:
				last = true // a look at the end: the virtual lane's may come between two
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
		s.log.through(log)
	}
}

// stopProgress ends what is shown, if anything is.
func (s *Session) stopProgress() {
	if s.endProgress != nil {
		s.endProgress()
		s.endProgress = nil
	}
}

var phases = map[stage.Phase]terminal.Phase{
	stage.Waiting:  terminal.Waiting,
	stage.Starting: terminal.Starting,
	stage.Running:  terminal.Running,
	stage.Done:     terminal.Done,
}

// progressState is what is shown of a trial. How long a trial takes in the virtual lane, nothing that it
// says of itself tells.
func progressState(s stage.State, lane kubelet.Lane) terminal.TrialState {
	shown := terminal.TrialState{
		ID: s.Trial.ID, Subject: s.Subject, Phase: phases[s.Phase], Started: s.Started, Expected: s.Trial.Lasts,
		Verdict: s.Verdict, Why: s.Why, Attempt: s.Attempt,
	}
	if lane == kubelet.LaneVirtual {
		shown.Expected = 0
	}
	return shown
}
