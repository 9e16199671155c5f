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
	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestSensitivityGolden(t *testing.T) {
	g := NewWithT(t)
	dir, p := t.TempDir(), fixture.Sensitivity()
	g.Expect(WriteSensitivity(dir, p)).To(Succeed())
	for _, file := range []string{detection.ReportFile, detection.MarkdownFile, run.JUnitFile} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		g.Expect(err).NotTo(HaveOccurred())
		fixture.Golden(t, "sensitivity-"+file, text)
	}
	fixture.Golden(t, "sensitivity-terminal", []byte(sensitivityText(t, p)))

	p.Schema = detection.Schema
	loaded, err := detection.Load(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(loaded).To(Equal(p), "what is saved is all there is")
}

func sensitivityText(t *testing.T, p detection.Report) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(terminal.Sensitivity(&b, p, terminal.Options{Folder: "out/" + p.ID})).To(Succeed())
	return b.String()
}

func TestAnInterruptedSensitivityRunWithAFalseAlarm(t *testing.T) {
	g := NewWithT(t)
	p := fixture.Sensitivity()
	p.Lanes[0].References[0].FalseAlarms = p.Lanes[0].Mutants[1].Catches
	p.Lanes[0].Ended, p.Ended = time.Time{}, time.Time{}
	p.Lanes[0].Problems, p.Problems = []string{"the node died"}, []string{"interrupted"}
	var md, xml bytes.Buffer
	g.Expect(markdown.Sensitivity(&md, p)).To(Succeed())
	for _, text := range []string{sensitivityText(t, p), md.String()} {
		g.Expect(text).To(And(
			ContainSubstring("Problem: interrupted"), ContainSubstring("Problem: the node died"),
			MatchRegexp(`(?i)false alarm\W+on virtual:v1\.36\.3: .*probes/three-lives`),
		))
	}
	g.Expect(junit.Sensitivity(&xml, p)).To(Succeed())
	g.Expect(xml.String()).
		To(ContainSubstring(`<failure message="false alarm: 1 trial deviates on virtual:v1.36.3, ` +
			`probes/three-lives liveness-failing-probes-2: 2, 1 below 3"`))
}

func TestSensitivityExitCodes(t *testing.T) {
	lane := func(change func(l *detection.LaneReport)) detection.Report {
		p := fixture.PassedSensitivity()
		change(&p.Lanes[0])
		return p
	}
	survivor, open := fixture.Sensitivity().Lanes[0].Mutants[3], fixture.Sensitivity().Lanes[0].Mutants[4]
	misfiled, caughtOne := fixture.Sensitivity().Lanes[0].Mutants[8], fixture.Sensitivity().Lanes[0].Mutants[0]
	many := func(l *detection.LaneReport, n int, with detection.Mutant) {
		l.Mutants = []detection.Mutant{with}
		for range n - 1 {
			l.Mutants = append(l.Mutants, caughtOne)
		}
	}
	for name, tt := range map[string]struct {
		p    detection.Report
		code int
		why  string
	}{
		"all caught": {fixture.PassedSensitivity(), run.ExitConforms, "required score"},
		"19 of 20 " +
			"are 95 %": {lane(func(l *detection.LaneReport) { many(l, 20, survivor) }), run.ExitConforms,
			"required score"},
		"18 of 19 " +
			"are not": {lane(func(l *detection.LaneReport) { many(l, 19, survivor) }), run.ExitDeviates,
			"18 of 19 mutants caught (94.7 %), 95 % required"},
		"one of 19 " +
			"is open": {lane(func(l *detection.LaneReport) { many(l, 19, open) }), run.ExitUnjudged, "could decide it"},
		"one of 99 has the same traces": {lane(func(l *detection.LaneReport) {
			many(l, 99, caughtOne)
			l.Mutants[0].Comparison = &detection.Comparison{Trials: 160}
		}), run.ExitDeviates, "98 of 99 compared mutants differ from the reference (98.9 %), 99 % required"},
		"one of 100 has the same traces": {lane(func(l *detection.LaneReport) {
			many(l, 100, caughtOne)
			l.Mutants[0].Comparison = &detection.Comparison{Trials: 160}
		}), run.ExitConforms, "required score"},
		"nothing is compared": {lane(func(l *detection.LaneReport) {
			for i := range l.Mutants {
				l.Mutants[i].Comparison = nil
			}
		}), run.ExitUnjudged, "no mutant has traces to compare"},
		"the reference has other traces": {lane(func(l *detection.LaneReport) {
			l.References[1].Comparison = &detection.Comparison{Trials: 160, Different: 1}
		}), run.ExitDeviates, "differ from those of the same kubelet before"},
		"a false alarm": {lane(func(l *detection.LaneReport) {
			l.References[1].FalseAlarms = survivor.Catches[:0:0]
			l.References[1].FalseAlarms = caughtOne.Catches
		}), run.ExitDeviates, "2 trials deviate on the reference"},
		"one that no observer " +
			"should see": {lane(func(l *detection.LaneReport) { l.Mutants = append(l.Mutants, misfiled) }),
			run.ExitDeviates, "1 mutant was caught"},
		"a false alarm outweighs an " +
			"interrupt": {func() detection.Report { p := fixture.Sensitivity(); p.Problems = []string{"interrupted"}; return p }(), run.ExitDeviates, "1 mutant was caught"},
		"no reference": {lane(func(l *detection.LaneReport) { l.References = nil }), run.ExitUnjudged,
			"no reference was judged"},
		"no mutant " +
			"that counts": {lane(func(l *detection.LaneReport) { l.Mutants = l.Mutants[3:] }), run.ExitUnjudged,
			"no mutant that counts"},
		"not at its end": {lane(func(l *detection.LaneReport) { l.Ended = time.Time{} }), run.ExitUnjudged,
			"did not end"},
		"a problem of " +
			"the lane": {lane(func(l *detection.LaneReport) { l.Problems = []string{"no memory"} }),
			run.ExitUnjudged, "no memory"},
		"a problem of the report": {func() detection.Report {
			p := fixture.PassedSensitivity()
			p.Problems = []string{"interrupted"}
			return p
		}(), run.ExitUnjudged, "interrupted"},
		"no lane": {detection.Report{}, run.ExitUnjudged, "no lane"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.p.ExitCode()).To(Equal(tt.code), tt.p.ExitReason())
			g.Expect(tt.p.ExitReason()).To(ContainSubstring(tt.why))
			var text bytes.Buffer
			g.Expect(junit.Sensitivity(&text, tt.p)).To(Succeed())
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

func TestTheClearestCatch(t *testing.T) {
	second := int64(time.Second)
	// 4 widths
	far := detection.Catch{
		Trial:    "a",
		Measured: fixture.Number64(10 * second),
		Window:   fixture.Within(0, 2*time.Second),
		Miss:     8 * second,
	}
	// 10 widths
	narrow := detection.Catch{
		Trial:    "b",
		Measured: fixture.Number64(2 * second),
		Window:   fixture.Within(0, time.Second/10),
		Miss:     second,
	}
	// 5 times one
	exact := detection.Catch{
		Trial:    "c",
		Measured: fixture.Number64(5),
		Window:   formula.Window{Unit: formula.Count},
		Miss:     5,
	}
	// unknown, because it never came
	never := detection.Catch{Trial: "d", Window: fixture.Within(0, time.Second)}
	// 1 width
	own := detection.Catch{
		Trial:    "e",
		Own:      true,
		Measured: fixture.Number64(second),
		Window:   fixture.Within(0, time.Second/2),
		Miss:     second / 2,
	}
	empty := detection.Catch{
		Trial:    "a",
		Own:      true,
		Measured: fixture.Number64(9 * second),
		Window:   fixture.Within(2*time.Second, time.Second),
		Miss:     8 * second,
	}
	for name, tt := range map[string]struct{ clearer, other detection.Catch }{
		"an empty window last of all":   {never, empty},
		"widths, not seconds":           {narrow, far},
		"a count has a width of one":    {exact, far},
		"what never came has no figure": {far, never},
		"its own formula first":         {own, narrow},
		"else by name": {detection.Catch{Trial: "a", Claim: "x"}, detection.Catch{Trial: "a",
			Claim: "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.clearer.Clearer(tt.other)).To(BeNumerically("<", 0))
			g.Expect(tt.other.Clearer(tt.clearer)).To(BeNumerically(">", 0))
		})
	}
}

func TestLoadingNoSensitivityReport(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ content, says string }{
		"nothing":        {"", "no saved sensitivity report"},
		"no JSON":        {"proof", "is not a saved sensitivity report"},
		"a run":          {`{"schema":"podclock.run/v2"}`, `has the schema "podclock.run/v2"`},
		"another schema": {`{"schema":"podclock.proof/v0"}`, `has the schema "podclock.proof/v0"`},
		"a wrong type":   {`{"schema":"` + detection.Schema + `","lanes":1}`, "does not fit it"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(dir, "proof.json")
			g.Expect(os.RemoveAll(file)).To(Succeed())
			if tt.content != "" {
				g.Expect(os.WriteFile(file, []byte(tt.content), 0o644)).To(Succeed())
			}
			_, err := detection.Load(dir)
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(errors.Is(err, os.ErrNotExist)).To(Equal(tt.content == ""))
		})
	}
}

func TestScoresAreNotRoundedUp(t *testing.T) {
	g := NewWithT(t)
	for share, says := range map[float64]string{1: "100 %", 0.9496: "94.9 %", 0.95: "95 %", 0: "0 %",
		104.0 / 105: "99 %", 2.0 / 3: "66.6 %"} {
		g.Expect(detection.ScorePercent(share)).To(Equal(says))
	}
}

// TestEachLaneHasItsRow expects a row for each lane. In the node lane no trial meets all mutants.
func TestEachLaneHasItsRow(t *testing.T) {
	g := NewWithT(t)
	p := fixture.PassedSensitivity()
	node := p.Lanes[0]
	node.Lane, node.Trials, node.Ended = run.NodeLane, 40, time.Time{}
	p.Lanes = append(p.Lanes, node)
	var text strings.Builder
	g.Expect(markdown.Sensitivity(&text, p)).To(Succeed())
	g.Expect(text.String()).
		To(HavePrefix("# Sensitivity\n\n**Not judged**: the node lane: "))
	g.Expect(text.String()).
		To(ContainSubstring("\n| virtual | 3 | 3 | 100 % | 100 % | 0 | 1 | 1m30s | 23s | hook-not-subtracted 15s |\n" +
			"| node | 3 | 3 | 100 % | 100 % | 0 | 1 | not ended | - | hook-not-subtracted 15s |\n"))
	g.Expect(text.String()).
		To(ContainSubstring("40 trials were offered to the mutants of v1.36.3. Each mutant met those that are " +
			"chosen for it."))
	g.Expect(strings.Count(text.String(), "to every mutant")).To(Equal(1))
}
