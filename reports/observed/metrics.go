package observed

import (
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	"github.com/podclock/podclock/harness/observe"
)

// Metrics collects what Prometheus reads of an observation: podclock_termination_seconds, the time from the beginning
// of a kill to the death, as a histogram with native and classic buckets.
type Metrics struct {
	all   *prometheus.Registry
	kills *prometheus.HistogramVec
}

// NewMetrics returns metrics of nothing.
func NewMetrics() Metrics {
	m := Metrics{all: prometheus.NewRegistry(), kills: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "podclock_termination_seconds",
		Help: "The time from the delete request, or from the beginning of another kill, to the death of a container's " +
			"process.",
		// Grace periods are whole seconds, most of them 30.
		Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 32.5, 45, 60, 120, 300, 600},
		// Each native bucket is at most 10 % wider than the one below.
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160,
	}, []string{"namespace", "workload", "cause", "outcome"})}
	m.all.MustRegister(m.kills)
	return m
}

// Add counts the death of a process that something asked to end.
func (m Metrics) Add(f observe.Fact) {
	d, is := f.(observe.Death)
	if !is {
		return
	}
	if took, asked := d.Took(); asked {
		m.kills.WithLabelValues(d.Namespace, d.Workload, string(d.Cause), string(d.Outcome)).
			Observe(took.Probably.Seconds())
	}
}

// Write writes the classic buckets as OpenMetrics text, which has no native ones.
func (m Metrics) Write(w io.Writer) error {
	families, err := m.all.Gather()
	if err != nil {
		return fmt.Errorf("write the metrics: %w", err)
	}
	for _, f := range families {
		f.Unit = new("seconds")
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, f, expfmt.WithUnit()); err != nil {
			return fmt.Errorf("write the metrics: %w", err)
		}
	}
	_, err = expfmt.FinalizeOpenMetrics(w)
	return err
}

// Handler serves the metrics, with native buckets to a client that asks for Prometheus' protocol buffers.
func (m Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.all, promhttp.HandlerOpts{EnableOpenMetrics: true})
}
