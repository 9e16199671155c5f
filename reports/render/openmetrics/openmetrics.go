// Package openmetrics writes a run as OpenMetrics text. It judges nothing.
package openmetrics

import (
	"fmt"
	"io"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// Run writes the run as OpenMetrics text: its description, its verdicts, and the measurement, margin and
// windows of every claim. All metrics are gauges without a time, to be collected after the run. Times are in
// seconds. Other values have metrics of their own with the unit as a label, so that sums do not mix units.
func Run(w io.Writer, v view.Overview) error {
	for _, f := range slices.Concat(runMetrics(v.Run), verdictMetrics(v.Subjects), claimMetrics(v.Subjects)) {
		if len(f.Metric) == 0 {
			continue // a metric needs a value
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, f, expfmt.WithUnit()); err != nil {
			return fmt.Errorf("writing the metrics of run %s: %w", v.Run.ID, err)
		}
	}
	if _, err := expfmt.FinalizeOpenMetrics(w); err != nil {
		return fmt.Errorf("writing the metrics of run %s: %w", v.Run.ID, err)
	}
	return nil
}

// gauge returns a metric without values. A unit is part of its name.
func gauge(name, unit, help string) *dto.MetricFamily {
	f := &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum()}
	if unit != "" {
		f.Unit = &unit
	}
	return f
}

// addSample adds a value. labels are names and values in turn. A label without a value is omitted.
func addSample(f *dto.MetricFamily, value float64, labels ...string) {
	m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for i := 0; i+1 < len(labels); i += 2 {
		if labels[i+1] != "" {
			m.Label = append(m.Label, &dto.LabelPair{Name: &labels[i], Value: &labels[i+1]})
		}
	}
	f.Metric = append(f.Metric, m)
}

// runMetrics describe the run and its exit code.
func runMetrics(r run.Run) []*dto.MetricFamily {
	about := gauge("podclock_run_info", "", "The run, and what it ran on.")
	addSample(about, 1, "run", r.ID, "profile", r.Profile, "podclock", r.Environment.Podclock, "kernel",
		r.Environment.Kernel, "engine", r.Environment.Engine, "node_image", r.Environment.NodeImage)
	subjects := gauge("podclock_subject_info", "", "The kubelets under test.")
	for _, b := range view.ColumnsOf(r) {
		s := b.Subject
		addSample(subjects, 1, "subject", s.Name, "lane", string(s.RanIn()), "kubelet", s.Kubelet.Version, "mutation",
			s.Mutation)
	}
	started := gauge("podclock_run_start_timestamp_seconds", "seconds", "When the run began, in seconds since 1970.")
	if !r.Started.IsZero() {
		addSample(started, float64(r.Started.UnixMilli())/1000)
	}
	took := gauge("podclock_run_duration_seconds", "seconds",
		"How long it took from the begin of the run to its last verdict.")
	if !r.Reported.IsZero() {
		addSample(took, r.Reported.Sub(r.Started).Round(time.Millisecond).Seconds())
	}
	problems := gauge("podclock_run_problems", "", "How many problems kept the harness from judging.")
	addSample(problems, float64(len(r.Problems)))
	code := gauge("podclock_run_exit_code", "",
		"0: nothing deviates; 1: a trial deviates; 2: the harness could not judge.")
	addSample(code, float64(r.ExitCode()))
	return []*dto.MetricFamily{about, subjects, started, took, problems, code}
}

// verdictMetrics count verdicts by subject and area, zeros included, and name the verdict of every trial.
func verdictMetrics(columns []view.Column) []*dto.MetricFamily {
	counts := gauge("podclock_verdicts", "", "How many trials of an area have a verdict on a subject.")
	trials := gauge("podclock_trial_verdict", "", "1 for the verdict that a trial has on a subject.")
	took := gauge("podclock_trial_duration_seconds", "seconds",
		"How long a trial took on a subject, all its attempts together.")
	attempts := gauge("podclock_trial_attempts", "", "How often a trial ran on a subject.")
	for _, b := range columns {
		for _, part := range b.Areas() {
			for _, v := range view.Verdicts() {
				n := 0
				for _, o := range part.Outcomes {
					if view.KnownVerdict(o.Verdict) == v {
						n++
					}
				}
				addSample(counts, float64(n), "subject", b.Name, "area", view.AreaOf(part.Outcomes[0]), "verdict",
					string(v))
			}
		}
		for _, o := range b.Outcomes {
			labels := []string{"subject", o.Subject, "trial", o.Trial}
			addSample(trials, 1, append(labels, "verdict", string(view.KnownVerdict(o.Verdict)))...)
			addSample(attempts, float64(len(o.Attempts)), labels...)
			if len(o.Attempts) > 0 {
				addSample(took, o.Took().Seconds(), labels...)
			}
		}
	}
	return []*dto.MetricFamily{counts, trials, took, attempts}
}

// claimFamilies are the metrics of one kind of claims: of times, or of counts and readings.
type claimFamilies struct{ measured, margin, window *dto.MetricFamily }

// claimMetrics returns the numbers of every claim's last attempt.
func claimMetrics(columns []view.Column) []*dto.MetricFamily {
	times := claimFamilies{
		gauge("podclock_claim_measured_seconds", "seconds", "What was measured of a claim."),
		gauge("podclock_claim_margin_seconds", "seconds",
			"How far what was measured is inside the window that the code computes, below zero outside."),
		gauge("podclock_claim_window_seconds", "seconds",
			"An edge of the window that a claim is held to: what the code computes, what is documented."),
	}
	others := claimFamilies{
		gauge("podclock_claim_measured_number", "",
			"What was measured of a claim that is no time, such as a count or an exit code."),
		gauge("podclock_claim_margin_number", "",
			"How far a number that was measured is inside the window that the code computes, below zero outside."),
		gauge("podclock_claim_window_number", "", "An edge of the window that a claim is held to that is no time."),
	}
	for _, b := range columns {
		for _, o := range b.Outcomes {
			for _, f := range view.FindingsOf(o) {
				labels := []string{"subject", o.Subject, "trial", o.Trial, "claim", f.Claim}
				if u := f.Implemented.Unit; view.UnitName(u) == view.UnitName(formula.Seconds) {
					times.add(f, labels...)
				} else {
					others.add(f, append(labels, "unit", string(u))...)
				}
			}
		}
	}
	return []*dto.MetricFamily{times.measured, times.margin, times.window,
		others.measured, others.margin, others.window}
}

func (c claimFamilies) add(f trial.Finding, labels ...string) {
	u := f.Implemented.Unit
	if f.Measured != nil {
		addSample(c.measured, view.InBaseUnit(u, f.Measured.Value), labels...)
		addSample(c.margin, view.InBaseUnit(u, f.Implemented.Margin(f.Measured.Value)), labels...)
	}
	edges := func(w *formula.Window, oracle string) {
		if w != nil {
			addSample(c.window, view.InBaseUnit(u, w.Earliest),
				slices.Concat(labels, []string{"oracle", oracle, "edge", "earliest"})...)
			addSample(c.window, view.InBaseUnit(u, w.Latest),
				slices.Concat(labels, []string{"oracle", oracle, "edge", "latest"})...)
		}
	}
	edges(&f.Implemented, "implemented")
	edges(f.Documented, "documented")
}
