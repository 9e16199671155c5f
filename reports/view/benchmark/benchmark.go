// Package benchmark puts a benchmark of one node's load into words and tables. It must not know a format.
package benchmark

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/bench"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

// The files of a benchmark, for people, for programs and as a picture.
const (
	MarkdownFile = "bench.md"
	JSONFile     = "bench.json"
	PictureFile  = "bench.svg"
	// Prefix begins the folder's name.
	Prefix = "bench-"
)

// Table is a benchmark for its readers.
type Table bench.Report

// ExitCode is 0 if all rows were measured from whole recordings, else 2.
func (t Table) ExitCode() int {
	if t.incomplete() == "" {
		return run.ExitConforms
	}
	return run.ExitUnjudged
}

// ExitReason is the meaning of the exit code in one sentence.
func (t Table) ExitReason() string {
	if why := t.incomplete(); why != "" {
		return view.Capital(why) + "."
	}
	return "All rows were measured."
}

// incomplete returns what the table lacks, or "".
func (t Table) incomplete() string {
	for _, r := range t.Rows {
		switch {
		case r.Problem != "":
			return fmt.Sprintf("not measured: %s, %s: %s", Name(r), run.Plural(r.Pods, "pod"), r.Problem)
		case len(r.Losses) > 0:
			return fmt.Sprintf("incomplete recording: %s, %s: %s", Name(r), run.Plural(r.Pods, "pod"), r.Losses[0])
		}
	}
	switch {
	case t.Ended != "":
		return t.Ended
	case len(t.Rows) < t.Asked:
		return fmt.Sprintf("there are only %d of %s so far", len(t.Rows), run.Plural(t.Asked, "row"))
	}
	return ""
}

// Name returns a row's subject and, if it is changed, its configuration.
func Name(r bench.Row) string {
	if r.Configuration == bench.Unchanged {
		return r.Subject
	}
	return r.Subject + ", " + r.Configuration
}

// Report returns the answer first, then the tables, then how it was measured.
func (t Table) Report() view.Report {
	report := view.Report{Title: t.title()}
	report.Size = fmt.Sprintf("%s; the control plane is %s for all subjects. Exit code %d: %s",
		view.MadeBy(t.Environment.Podclock, t.Environment.CPUs, ""), cmp.Or(t.ControlPlane, "unknown"),
		t.ExitCode(), t.ExitReason())
	answer := view.Section{ID: "answer", Title: "From which number on"}
	of, one := "restarts", "restart"
	late := view.Section{
		ID: "lateness", Title: "Restarts against the back-off",
		Note: "Lateness is the time from the end of the back-off to the container's start. The kubelet's own " +
			"polls and jitter, up to half of a long wait, are in it and in the formula's window. Late and early " +
			"restarts are outside of it. Overdue ones are late and had not come at the end.",
		Header: []string{"subject", "configuration", "pods", "restarts", "per second", "p50", "p90", "p99", "max",
			"late", "overdue", "early"},
	}
	if t.Kind == bench.Probes {
		of, one = "probes", "probe"
		late.Title = "Probes against their period"
		late.Note = "Lateness is the time between two probes of a pod, less the period of one second. A late " +
			"probe is beyond the formula's window. A lost one is a tick without a probe."
		late.Header = []string{"subject", "configuration", "pods", "probes", "p50", "p90", "p99", "max", "late", "lost",
			"unsuccessful"}
		for _, line := range t.thresholds() {
			answer.AddLine(line)
		}
	}
	load := view.Section{
		ID: "load", Title: "Load in cores",
		Note: "In brackets, the same node without these pods. Shims are those of the container runtime, with the " +
			"OCI runtime (crun or runc). The last two columns are what these pods add, for each " + one + ".",
		Header: []string{"subject", "configuration", "pods", "kubelet", "runtime", "shims", "API server", "requests/s",
			"requests/" + one, "CPU/" + one},
	}
	facts := view.Section{
		ID: "facts", Title: "Further facts",
		Note: "Host cores are all of the host's load, also of other programs. A mark's time may be late by " +
			"as much as the recorder was.",
		Header: []string{"subject", "configuration", "pods", "all started in", "kubelet MiB", "runtime MiB",
			"API server MiB", "etcd cores", "host cores", "recorder late by", "longest without an answer"},
	}
	notes := view.Section{ID: "how", Title: "How it was measured"}
	for _, r := range t.Rows {
		first := []any{r.Subject, r.Configuration, r.Pods}
		if !r.Measured() {
			notes.AddLine(fmt.Sprintf("%s, %s: %s", Name(r), run.Plural(r.Pods, "pod"), Unmeasured(r)))
			continue
		}
		perSecond := 0.0
		if s := r.Restarts; s != nil {
			perSecond = s.PerSecond
			late.AddRow(slices.Concat(first, []any{s.Done, view.Number(fmt.Sprintf("%.2f", s.PerSecond))},
				quantiles(s.Lateness), []any{s.Late, s.Overdue, s.Early})...)
		}
		if s := r.Probes; s != nil {
			perSecond = s.PerSecond
			late.AddRow(slices.Concat(first, []any{s.Done}, quantiles(s.Lateness),
				[]any{s.Late, s.Lost, s.Unsuccessful})...)
		}
		load.AddRow(slices.Concat(first, loads(r, perSecond))...)
		facts.AddRow(slices.Concat(first, details(r))...)
		for _, loss := range r.Losses {
			notes.AddLine(fmt.Sprintf("%s, %s: incomplete recording, so the numbers of %s are too low: %s", Name(r),
				run.Plural(r.Pods, "pod"), of, loss))
		}
	}
	for _, line := range t.method() {
		notes.AddLine(line)
	}
	report.Sections = view.Shown(answer, late, load, facts, notes)
	return report
}

// Unmeasured returns why a row has no numbers, or "".
func Unmeasured(r bench.Row) string {
	switch {
	case r.Lacks != "":
		return "left out: " + r.Lacks
	case r.Problem != "":
		return "not measured: " + r.Problem
	}
	return ""
}

// title is the answer in one line.
func (t Table) title() string {
	if t.Kind == bench.Restarts {
		var best *bench.Row
		outside := 0
		for i, r := range t.Rows {
			if r.Restarts == nil {
				continue
			}
			outside += r.Restarts.Late + r.Restarts.Early
			if best == nil || r.Restarts.PerSecond > best.Restarts.PerSecond {
				best = &t.Rows[i]
			}
		}
		if best == nil {
			return "Crash loops: nothing was measured"
		}
		l := best.Load
		const format = "Crash loops of %s: at most %.1f restarts/s (%s), which take %.2f cores of kubelet, runtime " +
			"and API server; %s outside of the formula's window in all rows"
		return fmt.Sprintf(format, run.Plural(best.Pods, "pod"), best.Restarts.PerSecond, Name(*best),
			l.CPU(), run.Plural(outside, "restart"))
	}
	first := t.thresholds()
	if len(first) == 0 {
		return "Probes each second: nothing was measured"
	}
	return "Probes each second by " + t.Handler + ": " + strings.Join(first, "; ")
}

// thresholds returns for each subject from which number of pods on probes are late or lost.
func (t Table) thresholds() (lines []string) {
	for _, subject := range t.subjects() {
		late, lost, most := 0, 0, 0
		for _, r := range t.Rows {
			if r.Subject != subject || r.Probes == nil {
				continue
			}
			most = max(most, r.Pods)
			if r.Probes.Late > 0 && late == 0 {
				late = r.Pods
			}
			if r.Probes.Lost > 0 && lost == 0 {
				lost = r.Pods
			}
		}
		from := func(what string, pods int) string {
			if pods == 0 {
				return "none " + what
			}
			return fmt.Sprintf("%s from %s on", what, run.Plural(pods, "pod"))
		}
		if most > 0 {
			lines = append(lines, fmt.Sprintf("%s up to %s: %s, %s", subject, run.Plural(most, "pod"),
				from("late", late), from("lost", lost)))
		}
	}
	return lines
}

func (t Table) subjects() (names []string) {
	for _, r := range t.Rows {
		if !slices.Contains(names, r.Subject) {
			names = append(names, r.Subject)
		}
	}
	return names
}

func quantiles(q bench.Quantiles) (cells []any) {
	for _, d := range []time.Duration{q.P50, q.P90, q.P99, q.Max} {
		text := fmt.Sprintf("%.3f s", d.Round(time.Millisecond).Seconds())
		if q.Count == 0 {
			text = "–"
		}
		cells = append(cells, view.Number(text))
	}
	return cells
}

func loads(r bench.Row, perSecond float64) (cells []any) {
	both := func(format string, of func(bench.Load) float64) {
		cells = append(cells, view.Number(fmt.Sprintf(format+" ("+format+")", of(r.Load), of(r.Idle))))
	}
	both("%.3f", func(l bench.Load) float64 { return l.Kubelet })
	both("%.3f", func(l bench.Load) float64 { return l.Runtime })
	both("%.3f", func(l bench.Load) float64 { return l.Shims })
	both("%.3f", func(l bench.Load) float64 { return l.APIServer })
	both("%.1f", bench.Load.Total)
	if perSecond == 0 {
		return append(cells, view.Number("–"), view.Number("–"))
	}
	return append(cells, view.Number(fmt.Sprintf("%.1f", (r.Load.Total()-r.Idle.Total())/perSecond)),
		view.Number(fmt.Sprintf("%.1f ms", 1000*(r.Load.CPU()-r.Idle.CPU())/perSecond)))
}

func details(r bench.Row) []any {
	var silent []string
	for _, of := range slices.Sorted(maps.Keys(r.Unanswered)) {
		silent = append(silent, of+" "+view.FormatDuration(r.Unanswered[of]))
	}
	mib := func(n float64) view.Number { return view.Number(fmt.Sprintf("%.0f", n)) }
	return []any{
		view.FormatDuration(r.Starting), mib(r.Load.KubeletMiB), mib(r.Load.RuntimeMiB), mib(r.Load.APIServerMiB),
		view.Number(fmt.Sprintf("%.3f (%.3f)", r.Load.Etcd, r.Idle.Etcd)),
		view.Number(fmt.Sprintf("%.2f (%.2f)", r.Load.Host, r.Idle.Host)),
		view.Number(fmt.Sprintf("%.3f s", r.RecorderLate.Seconds())), cmp.Or(strings.Join(silent, ", "), "–"),
	}
}

// method returns how the rows were measured.
func (t Table) method() (lines []string) {
	for _, r := range t.Rows {
		if r.Measured() {
			const format = "Each row was measured for %s, after all its pods had started, and the idle node for %s " +
				"before them."
			lines = append(lines,
				fmt.Sprintf(format, view.FormatDuration(r.Load.Lasted), view.FormatDuration(r.Idle.Lasted)))
			break
		}
	}
	what := "Each pod's container exits with 1 as soon as it has started."
	if t.Kind == bench.Probes {
		what = "Each pod has a readiness probe each second (" + t.Handler + ", timeoutSeconds 1). Pods are added " +
			"from row to row."
	}
	return append(lines, what,
		"Rows were measured one after another, because they share the host's cores and the API server. Each subject has "+
			"a worker of its own, on which its configurations follow each other. The other workers were idle.",
		"CPU times are those of the processes. The runtime's unit counts what it starts, until a process joins its pod.",
		"Requests are rest_client_requests_total of the kubelet, so only those of the measured node.")
}
