package mutants

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
)

// What a wave takes beside its trials, measured on two cores: the boot with 2 and with 24 workers, a mutant's own times
// with 64 of them on a pool of five, where system calls were slow.
const (
	// putKubelet is the time until a worker has another kubelet, putComponent that until a mutated control plane is
	// Ready.
	putKubelet, putComponent = 15 * time.Second, 75 * time.Second
	bootBase, bootPerWorker  = 15 * time.Second, 3200 * time.Millisecond
	// startEvery is between the starts of two trials. againPerMutant is for trials that run again or time out.
	startEvery, againPerMutant = 1200 * time.Millisecond, 55 * time.Second
)

func (w wave) expected() time.Duration {
	inTurn := time.Duration(0)
	for _, c := range w.candidates {
		put := putKubelet
		if c.mutation.Component != mutation.Kubelet {
			put = putComponent
		}
		inTurn += (put + lasts(c.trials) + againPerMutant) / time.Duration(max(1, w.pool))
	}
	return bootBase + time.Duration(w.workers())*bootPerWorker + max(inTurn, w.lasts(),
		time.Duration(w.trials())*startEvery)
}

func (w wave) describe() string {
	beside := "beside a reference"
	if len(w.beside) == 0 {
		beside = "alone"
	}
	return fmt.Sprintf("%s %s, %s, %s, the longest %v: some %v until its verdicts, and longer where one waits for "+
		"what a mutant never does", run.Plural(len(w.candidates), "mutant"), beside, run.Plural(w.workers(), "worker"),
		run.Plural(w.trials(), "trial"), w.lasts(), w.expected().Round(time.Minute/2))
}

func describePlan(waves []wave, r room) string {
	all, total := 0, time.Duration(0)
	for _, w := range waves {
		all, total = all+len(w.candidates), total+w.expected()
	}
	return fmt.Sprintf("%s in %s of at most %s, some %v", run.Plural(all, "mutant"), run.Plural(len(waves), "wave"),
		run.Plural(r.workers, "worker"), total.Round(time.Minute))
}
