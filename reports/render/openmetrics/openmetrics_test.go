package openmetrics

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestOpenMetricsGolden(t *testing.T) {
	var b bytes.Buffer
	NewWithT(t).Expect(Run(&b, view.OverviewOf(fixture.Small(), nil))).To(Succeed())
	fixture.Golden(t, "run", b.Bytes())
}

func TestOpenMetricsOfNothing(t *testing.T) {
	g := NewWithT(t)
	families, text := scraped(t, run.Run{ID: "20260302-095800", Started: fixture.Began})
	g.Expect(text).To(HaveSuffix("\n# EOF\n"))
	g.Expect(families).
		To(And(HaveLen(4), HaveKey("podclock_run_info"), HaveKey("podclock_run_start_timestamp_seconds")))
	g.Expect(valuesOf(t, families["podclock_run_exit_code"])).To(Equal(map[string]float64{"": 2}))
	g.Expect(valuesOf(t, families["podclock_run_problems"])).To(Equal(map[string]float64{"": 0}))
}

// scraped parses a run's metrics. Its parser is for the older text format, which has the same gauges and
// comments.
func scraped(t *testing.T, r run.Run) (families map[string]*dto.MetricFamily, text string) {
	t.Helper()
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(Run(&b, view.OverviewOf(r, nil))).To(Succeed())
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(b.Bytes()))
	g.Expect(err).NotTo(HaveOccurred())
	return families, b.String()
}

// labelsOf returns the labels of a metric as one text.
func labelsOf(m *dto.Metric) string {
	all := map[string]string{}
	for _, l := range m.Label {
		all[l.GetName()] = l.GetValue()
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+"="+all[name])
	}
	return strings.Join(parts, " ")
}

// valuesOf returns the values of a metric by their labels. It fails if labels occur twice.
func valuesOf(t *testing.T, f *dto.MetricFamily) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, m := range f.GetMetric() {
		NewWithT(t).Expect(all).NotTo(HaveKey(labelsOf(m)), f.GetName())
		all[labelsOf(m)] = m.GetGauge().GetValue()
	}
	return all
}

func TestOpenMetricsHasEveryNumber(t *testing.T) {
	for name, r := range map[string]run.Run{"node": fixture.Fixture(), "lanes": fixture.BothLanes(),
		"setup": fixture.FailedSetUp()} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			families, _ := scraped(t, r)
			read := map[string]map[string]float64{}
			for name, f := range families {
				g.Expect(f.GetType()).To(Equal(dto.MetricType_GAUGE), name)
				g.Expect(f.GetHelp()).NotTo(BeEmpty(), name)
				read[name] = valuesOf(t, f)
			}
			counted := map[trial.Verdict]int{}
			for key, n := range read["podclock_verdicts"] {
				_, verdict, _ := strings.Cut(key, "verdict=")
				counted[trial.Verdict(verdict)] += int(n)
			}
			for _, v := range view.Verdicts() {
				g.Expect(counted).To(HaveKeyWithValue(v, r.Count(v)))
			}
			g.Expect(read["podclock_trial_verdict"]).To(HaveLen(len(r.Outcomes)))
			g.Expect(read["podclock_run_exit_code"]).To(HaveKeyWithValue("", float64(r.ExitCode())))
			windows := 0
			for _, o := range r.Outcomes {
				for _, f := range view.FindingsOf(o) {
					kind, key := "_number", "claim="+f.Claim+" subject="+o.Subject+" trial="+o.Trial+" unit="+string(
						f.Implemented.Unit,
					)
					if f.Implemented.Unit == formula.Nanoseconds {
						kind, key = "_seconds", "claim="+f.Claim+" subject="+o.Subject+" trial="+o.Trial
					}
					windows += 2
					if f.Documented != nil {
						windows += 2
					}
					if f.Measured == nil {
						g.Expect(read["podclock_claim_measured"+kind]).NotTo(HaveKey(key))
						continue
					}
					g.Expect(read["podclock_claim_measured"+kind]).
						To(HaveKeyWithValue(key, view.InBaseUnit(f.Measured.Unit, f.Measured.Value)))
					g.Expect(read["podclock_claim_margin"+kind][key] < 0).
						To(Equal(f.Implemented.Miss(f.Measured.Value) != 0), key)
				}
			}
			g.Expect(len(read["podclock_claim_window_seconds"]) + len(read["podclock_claim_window_number"])).
				To(Equal(windows))
		})
	}
}

// TestOpenMetricsIsWhole checks what OpenMetrics requires beyond the older format: an end, names that end with
// the unit, and metrics in blocks with their metadata first.
func TestOpenMetricsIsWhole(t *testing.T) {
	g := NewWithT(t)
	_, text := scraped(t, fixture.Fixture())
	text, ended := strings.CutSuffix(text, "\n# EOF\n")
	g.Expect(ended).To(BeTrue())
	units, told := map[string]string{}, map[string]bool{}
	current := ""
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "# ") {
			g.Expect(line[:strings.IndexAny(line, "{ ")]).To(Equal(current), line)
			told[current] = true
			continue
		}
		parts := strings.SplitN(line, " ", 4)
		kind, name, value := parts[1], parts[2], parts[3]
		g.Expect(kind).To(BeElementOf("HELP", "TYPE", "UNIT"), line)
		g.Expect(told).NotTo(HaveKey(name), line)
		if kind == "HELP" {
			current = name
		}
		g.Expect(name).To(Equal(current), line)
		if kind == "UNIT" {
			g.Expect(name).To(HaveSuffix("_"+value), line)
			units[name] = value
		}
	}
	g.Expect(units).To(And(HaveLen(6), HaveEach("seconds")))
}

// TestOpenMetricsKeepsUnitsApart has whole seconds of the API, which are times, and an exit code, which is not.
func TestOpenMetricsKeepsUnitsApart(t *testing.T) {
	g := NewWithT(t)
	claim := func(name string, u formula.Unit) trial.Finding {
		w := formula.Window{Unit: u, Earliest: 2, Latest: 3}
		return trial.Finding{
			Claim:       name,
			Verdict:     trial.Conforms,
			Implemented: w,
			Measured:    &trial.Measured{Unit: u, Value: 2},
		}
	}
	r := run.Run{Outcomes: []run.Outcome{{Trial: "a/b", Subject: "s", Verdict: trial.Conforms, Attempts: []run.Attempt{
		{
			Result: trial.Result{
				Findings: []trial.Finding{
					claim("time", formula.Nanoseconds),
					claim("api", formula.Seconds),
					claim("code", formula.ExitCode),
				},
			},
		},
	}}}}
	families, _ := scraped(t, r)
	g.Expect(valuesOf(t, families["podclock_claim_measured_seconds"])).To(Equal(map[string]float64{
		"claim=time subject=s trial=a/b": 2e-9, "claim=api subject=s trial=a/b": 2,
	}))
	g.Expect(valuesOf(t, families["podclock_claim_measured_number"])).
		To(Equal(map[string]float64{"claim=code subject=s trial=a/b unit=exit code": 2}))
}

// TestOpenMetricsCanHoldAnyName has a subject that is named after a path.
func TestOpenMetricsCanHoldAnyName(t *testing.T) {
	g := NewWithT(t)
	name := "v1.36.3@./a \"b\"\\c\nd}"
	families, _ := scraped(t, run.Run{ID: "x", Subjects: []run.Subject{{Name: name}}})
	g.Expect(valuesOf(t, families["podclock_subject_info"])).To(HaveKey("lane=node subject=" + name))
}

func TestOpenMetricsReportsAWriteError(t *testing.T) {
	NewWithT(
		t,
	).Expect(Run(fixture.BrokenWriter{}, view.OverviewOf(fixture.Fixture(), nil))).
		To(MatchError(And(ContainSubstring("disk full"), ContainSubstring("20260302-095800"))))
}
