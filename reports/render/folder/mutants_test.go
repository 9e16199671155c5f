package folder

import (
	"bytes"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestMutantsGolden(t *testing.T) {
	g := NewWithT(t)
	dir, p := t.TempDir(), fixture.Mutants()
	g.Expect(WriteMutants(dir, p)).To(Succeed())
	for _, file := range []string{mutationtest.MarkdownFile, run.JUnitFile} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		g.Expect(err).NotTo(HaveOccurred())
		fixture.Golden(t, "mutants-"+file, text)
	}
	text, err := os.ReadFile(filepath.Join(dir, mutationtest.ReportFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(Equal(string(fixture.MutantsJSON)))
	fixture.Golden(t, "mutants-terminal", []byte(mutantsText(t, p)))

	loaded, err := mutationtest.Load(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(loaded).To(Equal(p), "what is saved is all there is")
}

func mutantsText(t *testing.T, p mutationtest.Report) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(terminal.Mutants(&b, p, terminal.Options{Folder: "out/" + p.ID})).To(Succeed())
	return b.String()
}

func TestAnInterruptedMutantsRunWithAFalseAlarm(t *testing.T) {
	g := NewWithT(t)
	p := fixture.Mutants()
	p.Lanes[0].References[0].FalseAlarms = p.Lanes[0].Mutants[1].Kills
	p.Lanes[0].Ended, p.Ended = time.Time{}, time.Time{}
	p.Lanes[0].Problems, p.Problems = []string{"the node died"}, []string{"interrupted"}
	var md, xml bytes.Buffer
	g.Expect(markdown.Mutants(&md, p)).To(Succeed())
	for _, text := range []string{mutantsText(t, p), md.String()} {
		g.Expect(text).To(And(
			ContainSubstring("Problem: interrupted"), ContainSubstring("Problem: the node died"),
			MatchRegexp(`(?i)false alarm\W+on virtual:v1\.36\.3: .*probes/three-lives`),
		))
	}
	g.Expect(junit.Mutants(&xml, p)).To(Succeed())
	g.Expect(xml.String()).
		To(ContainSubstring(`<failure message="false alarm: 1 trial deviates on virtual:v1.36.3, ` +
			`probes/three-lives liveness-failing-probes-2: 2, 1 below 3"`))
}

func TestMutantsExitCodes(t *testing.T) {
	lane := func(change func(l *mutationtest.LaneReport)) mutationtest.Report {
		p := fixture.PassedMutants()
		change(&p.Lanes[0])
		return p
	}
	survivor, open := fixture.Mutants().Lanes[0].Mutants[3], fixture.Mutants().Lanes[0].Mutants[4]
	misclassified, killedOne := fixture.Mutants().Lanes[0].Mutants[8], fixture.Mutants().Lanes[0].Mutants[0]
	many := func(l *mutationtest.LaneReport, n int, with mutationtest.Mutant) {
		l.Mutants = []mutationtest.Mutant{with}
		for range n - 1 {
			l.Mutants = append(l.Mutants, killedOne)
		}
	}
	for name, tt := range map[string]struct {
		p    mutationtest.Report
		code int
		why  string
	}{
		"all killed": {fixture.PassedMutants(), run.ExitConforms, "required score"},
		"19 of 20 " +
			"are 95 %": {lane(func(l *mutationtest.LaneReport) { many(l, 20, survivor) }), run.ExitConforms,
			"required score"},
		"18 of 19 " +
			"are not": {lane(func(l *mutationtest.LaneReport) { many(l, 19, survivor) }), run.ExitDeviates,
			"18 of 19 mutants killed (94.7 %), 95 % required"},
		"one of 19 " +
			"is open": {lane(func(l *mutationtest.LaneReport) { many(l, 19, open) }), run.ExitUnjudged, "could decide it"},
		"one of 99 has the same traces": {lane(func(l *mutationtest.LaneReport) {
			many(l, 99, killedOne)
			l.Mutants[0].Comparison = &mutationtest.Comparison{Trials: 160}
		}), run.ExitDeviates, "98 of 99 compared mutants differ from the reference (98.9 %), 99 % required"},
		"one of 100 has the same traces": {lane(func(l *mutationtest.LaneReport) {
			many(l, 100, killedOne)
			l.Mutants[0].Comparison = &mutationtest.Comparison{Trials: 160}
		}), run.ExitConforms, "required score"},
		"nothing is compared": {lane(func(l *mutationtest.LaneReport) {
			for i := range l.Mutants {
				l.Mutants[i].Comparison = nil
			}
		}), run.ExitUnjudged, "no mutant has traces to compare"},
		"the reference has other traces": {lane(func(l *mutationtest.LaneReport) {
			l.References[1].Comparison = &mutationtest.Comparison{Trials: 160, Different: 1}
		}), run.ExitDeviates, "differ from those of the same kubelet before"},
		"a false alarm": {lane(func(l *mutationtest.LaneReport) {
			l.References[1].FalseAlarms = survivor.Kills[:0:0]
			l.References[1].FalseAlarms = killedOne.Kills
		}), run.ExitDeviates, "2 trials deviate on the reference"},
		"one that no observer " +
			"should see": {lane(func(l *mutationtest.LaneReport) { l.Mutants = append(l.Mutants, misclassified) }),
			run.ExitDeviates, "1 mutant was killed"},
		"a false alarm outweighs an " +
			"interrupt": {func() mutationtest.Report { p := fixture.Mutants(); p.Problems = []string{"interrupted"}; return p }(), run.ExitDeviates, "1 mutant was killed"},
		"no reference": {lane(func(l *mutationtest.LaneReport) { l.References = nil }), run.ExitUnjudged,
			"no reference was judged"},
		"no mutant " +
			"that counts": {lane(func(l *mutationtest.LaneReport) { l.Mutants = l.Mutants[3:] }), run.ExitUnjudged,
			"no mutant that counts"},
		"not at its end": {lane(func(l *mutationtest.LaneReport) { l.Ended = time.Time{} }), run.ExitUnjudged,
			"did not end"},
		"a problem of " +
			"the lane": {lane(func(l *mutationtest.LaneReport) { l.Problems = []string{"no memory"} }),
			run.ExitUnjudged, "no memory"},
		"a problem of the report": {func() mutationtest.Report {
			p := fixture.PassedMutants()
			p.Problems = []string{"interrupted"}
			return p
		}(), run.ExitUnjudged, "interrupted"},
		"no lane": {mutationtest.Report{}, run.ExitUnjudged, "no lane"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.p.ExitCode()).To(Equal(tt.code), tt.p.ExitReason())
			g.Expect(tt.p.ExitReason()).To(ContainSubstring(tt.why))
			var text bytes.Buffer
			g.Expect(junit.Mutants(&text, tt.p)).To(Succeed())
			var read struct {
				Failures int `xml:"failures,attr"`
				Errors   int `xml:"errors,attr"`
			}
			g.Expect(xml.Unmarshal(text.Bytes(), &read)).To(Succeed())
			g.Expect(read.Failures+read.Errors > 0).
				To(Equal(tt.code != run.ExitConforms), "JUnit is green where the exit code is 0: %+v", read)
		})
	}
}

func TestTheClearestKill(t *testing.T) {
	second := int64(time.Second)
	// 4 widths
	far := mutationtest.Kill{
		Trial:    "a",
		Measured: new(10 * second),
		Window:   fixture.Within(0, 2*time.Second),
		Miss:     8 * second,
	}
	// 10 widths
	narrow := mutationtest.Kill{
		Trial:    "b",
		Measured: new(2 * second),
		Window:   fixture.Within(0, time.Second/10),
		Miss:     second,
	}
	// 5 times one
	exact := mutationtest.Kill{
		Trial:    "c",
		Measured: new(int64(5)),
		Window:   formula.Window{Unit: formula.Count},
		Miss:     5,
	}
	// unknown, because it never came
	never := mutationtest.Kill{Trial: "d", Window: fixture.Within(0, time.Second)}
	// 1 width
	own := mutationtest.Kill{
		Trial:    "e",
		Own:      true,
		Measured: new(second),
		Window:   fixture.Within(0, time.Second/2),
		Miss:     second / 2,
	}
	empty := mutationtest.Kill{
		Trial:    "a",
		Own:      true,
		Measured: new(9 * second),
		Window:   fixture.Within(2*time.Second, time.Second),
		Miss:     8 * second,
	}
	for name, tt := range map[string]struct{ clearer, other mutationtest.Kill }{
		"an empty window last of all":   {never, empty},
		"widths, not seconds":           {narrow, far},
		"a count has a width of one":    {exact, far},
		"what never came has no figure": {far, never},
		"its own formula first":         {own, narrow},
		"else by name": {mutationtest.Kill{Trial: "a", Claim: "x"}, mutationtest.Kill{Trial: "a",
			Claim: "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.clearer.Clearer(tt.other)).To(BeNumerically("<", 0))
			g.Expect(tt.other.Clearer(tt.clearer)).To(BeNumerically(">", 0))
		})
	}
}

func TestLoadingNoMutantsReport(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ content, says string }{
		"nothing":        {"", "no saved mutation report"},
		"no JSON":        {"proof", "is not a saved mutation report"},
		"a run":          {`{"schema":"podclock.run/v2"}`, `has the schema "podclock.run/v2"`},
		"another schema": {`{"schema":"podclock.proof/v0"}`, `has the schema "podclock.proof/v0"`},
		"a wrong type":   {`{"schema":"` + mutationtest.Schema + `","lanes":1}`, "does not fit it"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(dir, "proof.json")
			g.Expect(os.RemoveAll(file)).To(Succeed())
			if tt.content != "" {
				g.Expect(os.WriteFile(file, []byte(tt.content), 0o644)).To(Succeed())
			}
			_, err := mutationtest.Load(dir)
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(errors.Is(err, os.ErrNotExist)).To(Equal(tt.content == ""))
		})
	}
}

func TestScoresAreNotRoundedUp(t *testing.T) {
	g := NewWithT(t)
	for share, says := range map[float64]string{1: "100 %", 0.9496: "94.9 %", 0.95: "95 %", 0: "0 %",
		104.0 / 105: "99 %", 2.0 / 3: "66.6 %"} {
		g.Expect(mutationtest.ScorePercent(share)).To(Equal(says))
	}
}

// TestEachLaneHasItsRow expects a row for each lane. In the node lane no trial meets all mutants.
func TestEachLaneHasItsRow(t *testing.T) {
	g := NewWithT(t)
	p := fixture.PassedMutants()
	node := p.Lanes[0]
	node.Lane, node.Trials, node.Ended = run.NodeLane, 40, time.Time{}
	p.Lanes = append(p.Lanes, node)
	var text strings.Builder
	g.Expect(markdown.Mutants(&text, p)).To(Succeed())
	g.Expect(text.String()).
		To(HavePrefix("# Mutation testing\n\n**Not judged**: the node lane: "))
	g.Expect(text.String()).
		To(ContainSubstring("\n| virtual | 3 | 3 | 100 % | 100 % | 0 | 1 | 1m30s | 23s | hook-not-subtracted 15s |\n" +
			"| node | 3 | 3 | 100 % | 100 % | 0 | 1 | not ended | - | hook-not-subtracted 15s |\n"))
	g.Expect(text.String()).
		To(ContainSubstring("40 trials were offered to the mutants of v1.36.3. Each mutant met those that are " +
			"chosen for it."))
	g.Expect(strings.Count(text.String(), "to every mutant")).To(Equal(1))
}
