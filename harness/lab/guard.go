package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/mark"
)

const (
	// askAPIEvery is how often the API server is asked whether it answers, whether or not it has answered
	// the question before, and askAPIBound bounds one.
	askAPIEvery = 500 * time.Millisecond
	askAPIBound = longestAway / 6
)

// answer is what became of a question to the API server.
type answer struct {
	asked time.Time
	err   error
}

// guard notes when the API server was silent, away or hanging, and ends the lab when that is for too long.
// One that is slow was not: on a busy host an answer may take seconds, but those to the other questions
// come meanwhile.
func (l *Lab) guard(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	answers := make(chan answer)
	ticker := time.NewTicker(askAPIEvery)
	defer ticker.Stop()
	last, looked := time.Now(), time.Now() // the last answer, and the last look at whether there is one
	for {
		var a answer
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			asking.Go(func() { l.askAPI(ctx, answers) })
		case a = <-answers:
		}
		now := time.Now()
		// While the harness itself stood still it could hear no answer.
		last = last.Add(max(0, now.Sub(looked)-askAPIEvery))
		looked = now
		away := now.Sub(last)
		if away > noticeable {
			l.noteSilence(last, now)
		}
		switch {
		case a.asked.IsZero():
		case a.err == nil:
			last = now
			l.api.answered(a.asked)
		case away > longestAway:
			l.stop(fmt.Errorf("the API server has been away for %v: %w", away.Round(time.Second), a.err))
			return
		}
	}
}

// askAPI asks the API server once.
func (l *Lab) askAPI(ctx context.Context, answers chan<- answer) {
	asked := time.Now()
	bounded, cancel := context.WithTimeout(ctx, askAPIBound)
	defer cancel()
	_, err := l.client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(bounded)
	select {
	case answers <- answer{asked, err}:
	case <-ctx.Done():
	}
}

// noteSilence notes on every node that the API server has not answered between two instants of the harness' clock.
func (l *Lab) noteSilence(from, to time.Time) {
	for _, n := range l.nodes {
		if n.reader == nil {
			continue
		}
		first, last := n.place(from, from), n.place(to, to)
		n.mu.Lock()
		n.delayed.AddOutage(delay.Outage{Component: mark.APIServer, From: first.At, To: last.At})
		n.announce()
		n.mu.Unlock()
	}
}

// apiAnswers is when the newest question was asked that the API server has answered.
type apiAnswers struct {
	mu    sync.Mutex
	asked time.Time
	// changed is closed and replaced with every answer.
	changed chan struct{}
}

func newAPIAnswers() *apiAnswers { return &apiAnswers{changed: make(chan struct{})} }

// answered notes the answer to a question that was asked at a time.
func (a *apiAnswers) answered(asked time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if asked.After(a.asked) {
		a.asked = asked
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// since waits until a question is answered that was asked after an instant: every silence that began before
// it is noted then, so that a verdict is the same when the saved run is judged again.
func (a *apiAnswers) since(ctx context.Context, instant time.Time) error {
	for {
		a.mu.Lock()
		asked, changed := a.asked, a.changed
		a.mu.Unlock()
		if asked.After(instant) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the %s to answer: %w", mark.APIServer, ctx.Err())
		}
	}
}
