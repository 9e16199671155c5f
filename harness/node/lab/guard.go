package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

const (
	askAPIEvery = 500 * time.Millisecond
	askAPIBound = longestAway / 6
)

type answer struct {
	asked time.Time
	err   error
}

// guard notes the API server's outages, and ends the lab after a long one. A slow answer is no outage: other questions
// are answered meanwhile. It also abandons the nodes that have lost their recorder.
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
			l.abandonEvicted()
			asking.Go(func() { l.askAPI(ctx, answers) })
		case a = <-answers:
		}
		now := time.Now()
		// While the harness itself did not run, it could receive no answer.
		last = last.Add(max(0, now.Sub(looked)-askAPIEvery))
		looked = now
		away := now.Sub(last)
		if away > noticeable {
			l.addAPIOutage(last, now)
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

func (l *site) askAPI(ctx context.Context, answers chan<- answer) {
	asked := time.Now()
	bounded, cancel := context.WithTimeout(ctx, askAPIBound)
	defer cancel()
	_, err := l.server.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(bounded)
	select {
	case answers <- answer{asked, err}:
	case <-ctx.Done():
	}
}

func (l *site) addAPIOutage(from, to time.Time) {
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
