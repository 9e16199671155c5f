package bench

import (
	"math"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// ProbeResult is what became of the probes that were due in a time.
type ProbeResult struct {
	// Done is how many probes reached their pods, PerSecond how many in each second.
	Done      int     `json:"done"`
	PerSecond float64 `json:"perSecond"`
	// Lateness is the time between two probes of a pod, less the period. It is negative for one that follows a late
	// probe.
	Lateness Quantiles `json:"lateness"`
	// Late are the gaps between two probes that are longer than the formula allows. Lost are the ticks without a probe.
	// LatePods and LostPods are how many pods had some.
	Late     int `json:"late"`
	LatePods int `json:"latePods"`
	Lost     int `json:"lost"`
	LostPods int `json:"lostPods"`
	// Unsuccessful are the probes that the kubelet counted as failed or unknown (prober_probe_total).
	Unsuccessful int `json:"unsuccessful"`
}

// probePeriod is the period of all probes.
const probePeriod = time.Second

// gap returns the formula's window of the time between two probes of a container.
func gap(handler string) formula.Window {
	return formula.FailuresApart.Implemented(formula.Input{Life: 1, Probe: formula.Probe{
		Handler: handler, PeriodSeconds: int(probePeriod / time.Second), FailureThreshold: 2,
	}})
}

// probesOf compares the times of each pod's probes with their period, from one time to another. It needs no tick's
// time: so many periods as fit between the first and the last probe have a tick each, because a late probe does not
// move the ticks that follow (pkg/kubelet/prober/worker.go run). A whole period without a probe at an end is a lost
// tick as well.
func probesOf(pods [][]time.Duration, handler string, from, to time.Duration) ProbeResult {
	var result ProbeResult
	var late []time.Duration
	window := gap(handler)
	for _, all := range pods {
		probes := slices.DeleteFunc(slices.Clone(all), func(t time.Duration) bool { return t < from || t > to })
		slices.Sort(probes)
		result.Done += len(probes)
		lates, lost := 0, int((to-from)/probePeriod)
		if n := len(probes); n > 0 {
			between := math.Round(float64(probes[n-1]-probes[0]) / float64(probePeriod))
			lost = max(0, int(between)-(n-1)) + int((probes[0]-from)/probePeriod) + int((to-probes[n-1])/probePeriod)
		}
		for i := 1; i < len(probes); i++ {
			apart := probes[i] - probes[i-1]
			late = append(late, apart-probePeriod)
			if int64(apart) > window.Latest {
				lates++
			}
		}
		result.Late, result.Lost = result.Late+lates, result.Lost+lost
		if lates > 0 {
			result.LatePods++
		}
		if lost > 0 {
			result.LostPods++
		}
	}
	result.PerSecond = float64(result.Done) / (to - from).Seconds()
	result.Lateness = quantilesOf(late)
	return result
}
