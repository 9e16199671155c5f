package suites

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/judge/sample"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// quickValues returns what the quick trials measured in the recorded evidence. Values of these formulas are later.
func quickValues(t *testing.T, late time.Duration, formulas ...string) []sample.Value {
	var values []sample.Value
	all := readEvidence(t)
	for _, tr := range Catalogue() {
		if !trial.Quick.Holds(tr) {
			continue
		}
		r := all[tr.ID]
		result := judge.Judge(tr, timeline.Build(r.Evidence, delay.Record{}), delay.Record{}, r.Kubelet)
		for _, f := range result.Findings {
			if f.Measured != nil && slices.Contains(formulas, f.Formula) {
				f.Measured.Value += int64(late)
			}
			values = append(values, sample.Value{Attempt: tr.ID, Finding: f})
		}
	}
	return values
}

func lateClaims(findings []trial.Finding) []string {
	var claims []string
	for _, f := range findings {
		if f.Verdict == trial.Deviates {
			claims = append(claims, f.Claim)
		}
	}
	return claims
}

// A quick run has enough values to notice each step that is 500 ms late, although each value stays in its window.
func TestQuickRunNoticesALateStep(t *testing.T) {
	NewWithT(t).Expect(lateClaims(sample.Judge(quickValues(t, 0)))).To(BeEmpty())
	for want, formulas := range map[string][]string{
		"termination-kill-start-late":    {"termination/kill-start", "termination/kill-length"},
		"probes-last-probe-to-kill-late": {"probes/last-probe-to-kill"},
		"restarts-after-probe-kill-late": {"restarts/after-probe-kill"},
	} {
		got := lateClaims(sample.Judge(quickValues(t, 500*time.Millisecond, formulas...)))
		NewWithT(t).Expect(got).To(ContainElement(want))
	}
}

var usualOf = flag.String("usual", "", "the folders of saved runs whose values are printed, separated by commas")

// TestUsual prints how the values of saved runs lie, the source of the usual values in package formula:
// go test ./suites -run TestUsual -v -args -usual=../out/latest. It fails if values of a reference deviate.
func TestUsual(t *testing.T) {
	if *usualOf == "" {
		t.Skip("no saved run is named: -args -usual=FOLDER,FOLDER")
	}
	g := NewWithT(t)
	catalogue := Catalogue()
	late := map[string]map[string][]int64{} // by subject and formula
	for folder := range strings.SplitSeq(*usualOf, ",") {
		saved, err := run.Load(folder)
		g.Expect(err).NotTo(HaveOccurred())
		judged, _ := run.Rejudge(saved, func(id string) (trial.Trial, bool) {
			i := slices.IndexFunc(catalogue, func(tr trial.Trial) bool { return tr.ID == id })
			return catalogue[max(i, 0)], i >= 0
		})
		for _, s := range judged.Subjects {
			if late[s.Name] == nil {
				late[s.Name] = map[string][]int64{}
			}
			for id, values := range sample.Lateness(run.Values(judged, s)) {
				late[s.Name][id] = append(late[s.Name][id], values...)
			}
		}
		for _, o := range judged.Outcomes {
			if o.Trial == "kubelet/values" {
				for _, f := range o.Last().Result.Findings {
					t.Log(o.Subject, f.Verdict, f.Claim, f.Measured.Value, f.Implemented.Explain(), f.Why)
					mutant := judged.Subject(o.Subject).Mutation != ""
					g.Expect(mutant || f.Verdict == trial.Conforms).To(BeTrue(), "%s: %s", o.Subject, f.Why)
				}
			}
		}
	}
	for subject, values := range late {
		t.Log(subject + "\n" + quantilesOf(values))
	}
}

// quantilesOf lists, for each formula, its values after the earliest one, less the wait for the disk.
func quantilesOf(late map[string][]int64) string {
	var lines []string
	for id, all := range late {
		slices.Sort(all)
		line := fmt.Sprintf("%-34s %4d values", id, len(all))
		for _, q := range []float64{0.5, 0.9, 0.99, 1} {
			line += fmt.Sprintf(", %g at most %s", q, formula.Nanoseconds.Format(all[int(q*float64(len(all)-1))]))
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
