package delivery

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
)

// Show adds the progress for Sonobuoy to a display. total is the number of trials.
func (o Options) Show(
	show func(run.Lane) session.Display, total int,
) func(run.Lane) session.Display {
	if o.How != Sonobuoy {
		return show
	}
	url := fmt.Sprintf("http://localhost:%s/progress", cmp.Or(os.Getenv("SONOBUOY_PROGRESS_PORT"), "8099"))
	return func(lane run.Lane) session.Display {
		p := &progress{Display: show(lane), url: url, ended: map[string]trial.Verdict{}, end: make(chan struct{})}
		p.update.Total = total
		p.posting.Go(p.post)
		return p
	}
}

// progress posts how far a run is to Sonobuoy's worker, at most once a second.
type progress struct {
	session.Display
	url     string
	posting sync.WaitGroup
	end     chan struct{}

	mu     sync.Mutex
	ended  map[string]trial.Verdict
	update update
	stale  bool
}

// update is Sonobuoy's ProgressUpdate (pkg/plugin/interface.go), whose other fields the aggregator sets. Completed does
// not include Failures.
type update struct {
	Message   string   `json:"msg"`
	Total     int      `json:"total"`
	Completed int      `json:"completed"`
	Failures  []string `json:"failures,omitempty"`
}

func (p *progress) Update(s runner.State) {
	p.Display.Update(s)
	name := s.Trial.ID + " on " + s.Subject
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, before := p.ended[name]; before || s.Phase != runner.Done {
		return
	}
	p.ended[name], p.stale = s.Verdict, true
	p.update.Message = fmt.Sprintf("%s: %s", name, s.Verdict)
	if s.Verdict == trial.Deviates || s.Verdict == trial.Inconclusive { // as in the JUnit report
		p.update.Failures = append(p.update.Failures, name)
	} else {
		p.update.Completed++
	}
}

func (p *progress) Stop() {
	p.Display.Stop()
	close(p.end)
	p.posting.Wait()
}

func (p *progress) post() {
	for more := true; more; {
		select {
		case <-time.After(time.Second):
		case <-p.end:
			more = false
		}
		p.mu.Lock()
		stale, text := p.stale, []byte(nil)
		if stale {
			text, _ = json.Marshal(p.update)
		}
		p.stale = false
		p.mu.Unlock()
		if !stale {
			continue
		}
		client := http.Client{Timeout: 5 * time.Second}
		if answer, err := client.Post(p.url, "application/json", bytes.NewReader(text)); err == nil {
			_ = answer.Body.Close() // the results have everything, so a lost update does no harm
		}
	}
}
