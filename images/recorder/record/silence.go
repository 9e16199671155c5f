package record

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

const (
	// askEvery is how often a program is asked whether it stands still, and silentAfter how long after its
	// last answer it counts as silent: one question that was not answered, and what a busy node may be late
	// with one.
	askEvery    = 500 * time.Millisecond
	silentAfter = 750 * time.Millisecond
	// askBound bounds one question; a program that still does not answer is asked again.
	askBound = 30 * time.Second
)

// Asked is a program of the node that answers HTTP while it does not stand still.
type Asked struct {
	// Of is what a Silence calls it.
	Of string
	// URL is what it is asked for. Any answer will do.
	URL string
}

// Programs are the programs of a node that every trial on it depends on.
func Programs() []Asked {
	return []Asked{
		{Of: mark.Kubelet, URL: "http://" + mark.KubeletAddress + mark.KubeletPath},
		{Of: mark.ContainerRuntime, URL: "http://" + mark.RuntimeAddress + mark.RuntimePath},
	}
}

// Ask asks a program again and again until the context ends, and records while it is silent. One that has
// never answered is none: it may not be there, or listen elsewhere.
func (r *Recorder) Ask(ctx context.Context, program Asked) {
	// A transport of its own, so that one program's silence keeps no other waiting.
	transport := &http.Transport{MaxIdleConns: 1, DisableCompression: true, Proxy: nil}
	defer transport.CloseIdleConnections()
	client := &http.Client{
		Transport:     transport,
		Timeout:       askBound,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answers := make(chan bool)
	go func() {
		defer close(answers)
		for ctx.Err() == nil {
			answered := ask(ctx, client, program.URL)
			select {
			case answers <- answered:
			case <-ctx.Done():
			}
			select {
			case <-time.After(askEvery):
			case <-ctx.Done():
			}
		}
	}()
	r.listen(program.Of, answers)
}

// ask asks once, and says whether there was an answer.
func ask(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Body.Close() == nil
}

// listen records a program's silences until its answers end.
func (r *Recorder) listen(of string, answers <-chan bool) {
	last, heard := time.Now(), false // the last answer, and whether there was one
	looked := time.Now()
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		answered := false
		select {
		case a, more := <-answers:
			if !more {
				return
			}
			answered = a
		case <-ticker.C:
		}
		now := time.Now()
		// While the recorder itself stood still it could hear no answer; its ticks tell of that.
		last = last.Add(max(0, now.Sub(looked)-askEvery))
		looked = now
		if silent := now.Sub(last); heard && silent > silentAfter {
			r.store.add(
				mark.Record{
					At:     r.clock.at(now),
					Kind:   mark.NoAnswer,
					Detail: mark.Detail{NoAnswer: &mark.NoAnswerDetail{Of: of, NS: int64(silent)}},
				},
			)
		}
		if answered {
			last, heard = now, true
		}
	}
}
