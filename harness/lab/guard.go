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
func (l *site) guard(ctx context.Context) {
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
func (l *site) askAPI(ctx context.Context, answers chan<- answer) {
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
func (l *site) noteSilence(from, to time.Time) {
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
