package sketch

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/bench"
	"github.com/podclock/podclock/reports/drawing/chart"
	"github.com/podclock/podclock/reports/view/benchmark"
)

// Benchmark draws a benchmark: a bar of CPU time and the quantiles of the lateness for each row.
func Benchmark(t benchmark.Table) chart.Chart {
	c := chart.Chart{
		Title: "Crash loops: load of one node, and lateness of restarts after their back-off", Bars: "CPU time in cores",
		Ranges: "lateness", Parts: []string{"kubelet", "container runtime", "shims and OCI runtime", "API server"},
		Before: "without these pods", Points: []string{"p50", "p90", "p99", "max"},
	}
	if t.Kind == bench.Probes {
		c.Title = "Probes each second by " + t.Handler + ": load of one node, and gaps between probes less the period"
	}
	for _, r := range t.Rows {
		row := chart.Row{Name: fmt.Sprintf("%s, %d pods", benchmark.Name(r), r.Pods)}
		if !r.Measured() {
			row.Note = benchmark.Unmeasured(r)
			c.Rows = append(c.Rows, row)
			continue
		}
		row.Parts = []float64{r.Load.Kubelet, r.Load.Runtime, r.Load.Shims, r.Load.APIServer}
		row.Before = r.Idle.CPU()
		var q bench.Quantiles
		if r.Restarts != nil {
			q = r.Restarts.Lateness
		} else if r.Probes != nil {
			q = r.Probes.Lateness
		}
		if q.Count > 0 {
			row.Points = []time.Duration{q.P50, q.P90, q.P99, q.Max}
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}
