package record

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

const (
	// askEvery is the time between two questions to a program. outageAfter is the time without an answer that
	// counts as an outage: one lost question, and the delay of a busy node.
	askEvery    = 500 * time.Millisecond
	outageAfter = 750 * time.Millisecond
	// askBound bounds one question.
	askBound = 30 * time.Second
)

// Asked is a program of the node that answers HTTP requests.
type Asked struct {
	// Of is its name in a NoAnswer mark.
	Of  string
	URL string
}

// URLs of the programs of a node that every trial on it depends on, in the host's network.
const (
	KubeletURL = "http://" + mark.KubeletAddress + mark.KubeletPath
	RuntimeURL = "http://" + mark.RuntimeAddress + mark.RuntimePath
)

// Ask asks a program until the context ends, and records its outages. A program that has never answered has none:
// it may not exist, or listen elsewhere.
func (r *Recorder) Ask(ctx context.Context, program Asked) {
	// Any answer will do, also that of a certificate which only the API server knows, or a refusal.
	unverified := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // nothing is sent, and the answer is not read
	transport := &http.Transport{MaxIdleConns: 1, DisableCompression: true, Proxy: nil, TLSClientConfig: unverified}
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

// listen records a program's outages until its answers end.
func (r *Recorder) listen(of string, answers <-chan bool) {
	last, heard := time.Now(), false // the time of the last answer, and whether there was one
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
		// A late recorder could receive no answer; its late ticks record that.
		last = last.Add(max(0, now.Sub(looked)-askEvery))
		looked = now
		if since := now.Sub(last); heard && since > outageAfter {
			detail := mark.Detail{NoAnswer: &mark.NoAnswerDetail{Of: of, NS: int64(since)}}
			r.store.add(mark.Record{At: r.clock.at(now), Kind: mark.NoAnswer, Detail: detail})
		}
		if answered {
			last, heard = now, true
		}
	}
}
