package record

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
)

func outages(r *Recorder) (all []mark.Record) {
	batch, _ := r.store.above(0, 1000)
	for _, record := range batch.Records {
		if record.Kind == mark.NoAnswer {
			all = append(all, record)
		}
	}
	return all
}

// Answers come twice a second. The recorder records a gap while it lasts, always from the last answer before it.
func TestAnOutageIsRecordedWhileItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		r := New(Options{})
		answers := make(chan bool)
		go r.listen(mark.Kubelet, answers)
		answer := func(n int, answered bool) {
			for range n {
				time.Sleep(askEvery)
				answers <- answered
			}
		}
		time.Sleep(10 * time.Second)
		g.Expect(outages(r)).To(BeEmpty(), "a program that never answered has no outage")
		answer(8, true)
		last := r.Now()
		g.Expect(outages(r)).To(BeEmpty())

		time.Sleep(2*time.Second - time.Millisecond)
		during := outages(r)
		g.Expect(len(during)).To(BeNumerically(">=", 2))
		time.Sleep(time.Second + time.Millisecond)
		answers <- true
		time.Sleep(10 * time.Millisecond)
		all := outages(r)
		for _, s := range all {
			g.Expect(s.Detail.NoAnswer.Of).To(Equal(mark.Kubelet))
			g.Expect(s.At-s.Detail.NoAnswer.NS).To(Equal(last), "each has the same beginning")
		}
		g.Expect(all[len(all)-1].Detail.NoAnswer.NS).To(Equal(int64(3*time.Second)), "the last one is the whole")
		answer(8, true)
		g.Expect(outages(r)).To(HaveLen(len(all)), "and it is over")

		answer(8, false)
		g.Expect(len(outages(r))).To(BeNumerically(">", len(all)), "a refused connection is no answer")
		close(answers)
	})
}

// A real server stops answering and continues.
func TestAskAServerThatPauses(t *testing.T) {
	g := NewWithT(t)
	var pause atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Duration(pause.Swap(0)))
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	r := New(Options{})
	go r.Ask(t.Context(), Asked{Of: mark.ContainerRuntime, URL: server.URL})
	time.Sleep(time.Second)
	pause.Store(int64(1500 * time.Millisecond))
	g.Eventually(func() time.Duration {
		longest := time.Duration(0)
		for _, s := range outages(r) {
			longest = max(longest, time.Duration(s.Detail.NoAnswer.NS))
		}
		return longest
	}, 20*time.Second).Should(BeNumerically(">=", 1400*time.Millisecond))
}
