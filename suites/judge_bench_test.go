package suites

import (
	"testing"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// BenchmarkJudge judges the evidence of every simulated trial on a correct kubelet. Target: a thousand trials per
// second.
func BenchmarkJudge(b *testing.B) {
	var catalogue []trial.Trial
	for _, id := range played {
		tr := byID[id]
		catalogue = append(catalogue, tr)
	}
	evidence := make([]timeline.Evidence, len(catalogue))
	record := longRun()
	for i, tr := range catalogue {
		evidence[i] = correct(ordinaryNode).play(tr)
	}
	judged := 0
	for b.Loop() {
		for i, tr := range catalogue {
			judge.Judge(tr, timeline.Build(evidence[i], record), record, newest)
			judged++
		}
	}
	b.ReportMetric(1000*b.Elapsed().Seconds()/float64(judged), "s/1000-trials")
}

// longRun is the delay record of a node over ten minutes: four samples a second, and a late tick every five seconds.
func longRun() delay.Record {
	var n delay.Record
	for at := time.Duration(0); at < 10*time.Minute; at += 250 * time.Millisecond {
		n.PSI = append(n.PSI, delay.Sample{At: int64(at), CPUNS: int64(at / 10)})
	}
	for at := time.Duration(0); at < 10*time.Minute; at += 5 * time.Second {
		n.LateTicks = append(n.LateTicks, delay.Span{From: int64(at), To: int64(at + 30*time.Millisecond)})
	}
	return n
}
