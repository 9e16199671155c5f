package observed

import (
	"fmt"
	"io"
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/podclock/podclock/harness/observe"
)

// Metrics collects what Prometheus reads of an observation.
type Metrics struct{ by map[labels]*histogram }

type labels struct{ namespace, workload, cause, outcome string }

type histogram struct {
	count   uint64
	sum     float64
	buckets []uint64
}

// bounds are the upper bounds of the buckets in seconds. Grace periods are whole seconds, most of them 30.
var bounds = []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 32.5, 45, 60, 120, 300, 600}

// Add counts the death of a process that something asked to end.
func (m *Metrics) Add(f observe.Fact) {
	d, is := f.(observe.Death)
	if !is {
		return
	}
	took, asked := d.Took()
	if !asked {
		return
	}
	if m.by == nil {
		m.by = map[labels]*histogram{}
	}
	of := labels{d.Namespace, d.Workload, string(d.Cause), string(d.Outcome)}
	h := m.by[of]
	if h == nil {
		h = &histogram{buckets: make([]uint64, len(bounds))}
		m.by[of] = h
	}
	seconds := max(0, took.Probably.Seconds())
	h.count, h.sum = h.count+1, h.sum+seconds
	for i, most := range bounds {
		if seconds <= most {
			h.buckets[i]++
		}
	}
}

// Write writes the time from the beginning of a kill to the death as a histogram, in OpenMetrics text.
func (m *Metrics) Write(w io.Writer) error {
	name, help, unit := "podclock_termination_seconds", "The time from the delete request, or from the beginning of "+
		"another kill, to the death of a container's process.", "seconds"
	f := &dto.MetricFamily{Name: &name, Help: &help, Unit: &unit, Type: dto.MetricType_HISTOGRAM.Enum()}
	for _, of := range slices.SortedFunc(maps.Keys(m.by), func(a, b labels) int {
		return slices.Compare(a.values(), b.values())
	}) {
		h := m.by[of]
		one := &dto.Metric{Histogram: &dto.Histogram{SampleCount: &h.count, SampleSum: &h.sum}}
		for i := range bounds {
			one.Histogram.Bucket = append(one.Histogram.Bucket,
				&dto.Bucket{UpperBound: &bounds[i], CumulativeCount: &h.buckets[i]})
		}
		values := of.values()
		for i, name := range []string{"namespace", "workload", "cause", "outcome"} {
			one.Label = append(one.Label, &dto.LabelPair{Name: new(name), Value: &values[i]})
		}
		f.Metric = append(f.Metric, one)
	}
	if len(f.Metric) > 0 { // a metric needs a value
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, f, expfmt.WithUnit()); err != nil {
			return fmt.Errorf("write the metrics: %w", err)
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(w)
	return err
}

func (l labels) values() []string { return []string{l.namespace, l.workload, l.cause, l.outcome} }
