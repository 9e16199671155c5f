package benchmark

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/bench"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

const ms = time.Millisecond

func row(subject, configuration string, pods int) bench.Row {
	return bench.Row{
		Subject: subject, Configuration: configuration, Pods: pods, Starting: 61 * time.Second,
		Idle: bench.Load{Lasted: 30 * time.Second, Kubelet: 0.02, APIServer: 0.03, Host: 0.2,
			Requests: map[string]float64{"PUT": 0.1}},
		Load: bench.Load{
			Lasted: time.Minute, Kubelet: 0.5, Runtime: 0.4, Shims: 0.3, APIServer: 0.2, Etcd: 0.1, Host: 1.9,
			KubeletMiB: 90, RuntimeMiB: 60, APIServerMiB: 300, Requests: map[string]float64{"PUT": 0.1, "PATCH": 40},
		},
	}
}

func restarting() Table {
	first, third := row("v1.37.2", bench.Unchanged, 110), row("v1.37.2", "maximum of 1 s", 110)
	first.Restarts = &bench.RestartResult{
		Done: 60, PerSecond: 1, Early: 1, Late: 2, Overdue: 1,
		Lateness: bench.Quantiles{Count: 61, P50: 400 * ms, P90: 4000 * ms, P99: 5000 * ms, Max: 9000 * ms},
	}
	third.Restarts = &bench.RestartResult{
		Done: 1200, PerSecond: 20,
		Lateness: bench.Quantiles{Count: 1200, P50: 700 * ms, P90: 1000 * ms, P99: 2000 * ms, Max: 3000 * ms},
	}
	third.RecorderLate, third.Unanswered = 120*ms, map[string]time.Duration{mark.Kubelet: 700 * ms}
	return Table{
		Kind: bench.Restarts, Asked: 3, ControlPlane: "v1.37.2",
		Environment: run.Environment{Podclock: "0123", CPUs: 2},
		Rows: []bench.Row{first, {Subject: "v1.32.13", Configuration: "reduced series", Pods: 110,
			Lacks: "kubelet v1.32.13 lacks it"}, third},
	}
}

func probing() Table {
	few, many := row("v1.37.2", bench.Unchanged, 10), row("v1.37.2", bench.Unchanged, 110)
	few.Probes = &bench.ProbeResult{Done: 600, PerSecond: 10, Lateness: bench.Quantiles{Count: 590, Max: 20 * ms}}
	many.Probes = &bench.ProbeResult{
		Done: 6500, PerSecond: 108, Late: 3, LatePods: 2, Lost: 100, LostPods: 20, Unsuccessful: 7,
		Lateness: bench.Quantiles{Count: 6390, P50: ms, P90: 50 * ms, P99: 300 * ms, Max: 2 * time.Second},
	}
	return Table{Kind: bench.Probes, Handler: "http", Asked: 2, Rows: []bench.Row{few, many}}
}

// text is all of a report.
func text(r view.Report) string {
	var b strings.Builder
	b.WriteString(r.Title + "\n" + r.Size + "\n")
	for _, s := range r.Sections {
		b.WriteString("\n" + s.Title + "\n" + s.Note + "\n" + strings.Join(s.Header, " | ") + "\n")
		for _, row := range s.Rows {
			b.WriteString(strings.Join(row, " | ") + "\n")
		}
		for _, l := range s.Lines {
			b.WriteString("- " + l.Text + "\n")
		}
	}
	return b.String()
}

func TestReports(t *testing.T) {
	for name, table := range map[string]Table{"restarts": restarting(), "probes": probing()} {
		g, path := NewWithT(t), "testdata/"+name+".txt.golden"
		got := text(table.Report())
		if *update {
			g.Expect(os.WriteFile(path, []byte(got), 0o644)).To(Succeed())
		}
		want, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(Equal(string(want)))
	}
}

// A table that lacks something says so, and has another exit code.
func TestIncomplete(t *testing.T) {
	g := NewWithT(t)
	whole := probing()
	g.Expect(whole.ExitCode()).To(Equal(run.ExitConforms))
	for want, change := range map[string]func(*Table){
		"Incomplete recording: v1.37.2, 10 pods: records 3 to 9 lost: the recorder's memory was full.": func(t *Table) {
			t.Rows[0].Losses = []string{"records 3 to 9 lost: the recorder's memory was full"}
		},
		"Not measured: v1.37.2, 10 pods: the node is too slow.": func(t *Table) {
			t.Rows[0] = row("v1.37.2", bench.Unchanged, 10)
			t.Rows[0].Problem = "the node is too slow"
		},
		"There are only 1 of 2 rows so far.": func(t *Table) { t.Rows = t.Rows[:1] },
		"Interrupted after 1 of 2 rows.": func(t *Table) {
			t.Rows, t.Ended = t.Rows[:1], "interrupted after 1 of 2 rows"
		},
	} {
		table := probing()
		change(&table)
		g.Expect(table.ExitCode()).To(Equal(run.ExitUnjudged))
		g.Expect(table.ExitReason()).To(Equal(want))
		g.Expect(text(table.Report())).To(ContainSubstring("Exit code 2"), want)
	}
	lossy := probing()
	lossy.Rows[0].Losses = []string{"records 3 to 9 lost"}
	g.Expect(text(lossy.Report())).To(ContainSubstring("incomplete recording, so the numbers of probes"))
	g.Expect(Table{Kind: bench.Probes}.Report().Title).To(Equal("Probes each second: nothing was measured"))
}
