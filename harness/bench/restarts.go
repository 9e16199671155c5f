package bench

import (
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/rules/formula"
)

// RestartResult is what became of the restarts that were due in a time.
type RestartResult struct {
	// Done is how many containers started again, PerSecond how many in each second.
	Done      int     `json:"done"`
	PerSecond float64 `json:"perSecond"`
	// Lateness is the time from the end of a back-off to the container's start. It has what the kubelet adds by design:
	// the formula allows for the jitter of the next sync and the start itself.
	Lateness Quantiles `json:"lateness"`
	// Early and Late are the restarts outside of the formula's window. Overdue are those that were beyond it at the
	// end, when the container had not started yet. They count in Late, and in Lateness with the time until then.
	Early   int `json:"early"`
	Late    int `json:"late"`
	Overdue int `json:"overdue"`
}

// livesOf returns the lives of a pod's only container in the order of their numbers. A start or death without a mark is
// 0. Times count from a base that lies before all marks.
func livesOf(records []mark.Record, base int64) (lives []formula.Life) {
	for _, r := range records {
		if r.Life < 1 || r.Role != mark.Run || r.Kind != mark.Started && r.Kind != mark.Gone {
			continue
		}
		for len(lives) < r.Life {
			lives = append(lives, formula.Life{})
		}
		l, at := &lives[r.Life-1], time.Duration(r.At-base)
		if r.Kind == mark.Started {
			l.Started = at
		} else {
			l.Gone = at
		}
	}
	return lives
}

// restartsOf compares the restarts of pods that began from one time to another with the formula.
func restartsOf(pods [][]formula.Life, k formula.Kubelet, from, to time.Duration) RestartResult {
	var result RestartResult
	var late []time.Duration
	for _, lives := range pods {
		for n := 2; n <= len(lives)+1; n++ {
			death, start := lives[n-2].Gone, time.Duration(0)
			if n <= len(lives) {
				start = lives[n-1].Started
			}
			if death == 0 || start == 0 && n <= len(lives) || start != 0 && (start < from || start > to) {
				continue
			}
			w := formula.RestartDelay.Implemented(formula.Input{Kubelet: k, Lives: lives, Life: n})
			took := start - death
			if start == 0 {
				if took = to - death; int64(took) <= w.Latest {
					continue // it may still come in its window
				}
				result.Overdue++
			} else {
				result.Done++
			}
			late = append(late, took-time.Duration(w.Earliest))
			switch miss := w.Miss(int64(took)); {
			case miss < 0:
				result.Early++
			case miss > 0:
				result.Late++
			}
		}
	}
	result.PerSecond = float64(result.Done) / (to - from).Seconds()
	result.Lateness = quantilesOf(late)
	return result
}
