package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

func number64(n int64) *int64 { return &n }

func seconds64(d time.Duration) *int64 { return number64(int64(d)) }

func within(earliest, latest time.Duration) formula.Window {
	return formula.Window{Unit: formula.Nanoseconds, Earliest: int64(earliest), Latest: int64(latest)}
}

// theProof has a mutant of every kind: caught by its own formula and by another, one that mends, survivors,
// what could not be judged or built, what nobody can see and somebody saw.
func theProof() Proof {
	late := Catch{
		Trial:   "termination/hook",
		Claim:   "sigterm-to-death",
		Formula: "termination/remainder",
		Own:     true,
		Verdict: trial.Deviates,
		Claims:  2,
		Measured: seconds64(
			10001 * time.Millisecond,
		),
		Usual:     seconds64(2001 * time.Millisecond),
		Window:    within(1900*time.Millisecond, 2300*time.Millisecond),
		Miss:      int64(7701 * time.Millisecond),
		Why:       "10.001 s, 7.701 s above [1.900 s, 2.300 s]",
		Diagnosis: &trial.Diagnosis{Name: "the hook's time is not subtracted", Reference: "kubernetes#115817"},
	}
	never := Catch{
		Trial:   "termination/kill",
		Claim:   "sigterm-to-death",
		Formula: "termination/kill-length",
		Verdict: trial.Deviates,
		Claims:  1,
		Usual:   seconds64(2 * time.Second),
		Window:  within(2*time.Second, 3*time.Second),
		Why:     "the end did not come",
	}
	fewer := Catch{
		Trial:   "probes/three-lives",
		Claim:   "liveness-failing-probes-2",
		Formula: "probes/failing-probes",
		Verdict: trial.Deviates,
		Claims:  4,
		Measured: number64(
			2,
		),
		Usual:  number64(3),
		Window: formula.Window{Unit: formula.Count, Earliest: 3, Latest: 3},
		Miss:   -1,
		Why:    "2, 1 below 3",
	}
	mended := Catch{
		Trial:   "probes/streak",
		Claim:   "liveness-failing-probes-2",
		Formula: "probes/failing-probes",
		Own:     true,
		Verdict: trial.Conforms,
		Mended:  true,
		Claims:  1,
		Measured: number64(
			3,
		),
		Usual:  number64(1),
		Window: formula.Window{Unit: formula.Count, Earliest: 3, Latest: 3},
		Miss:   -2,
		Why:    "3, as documented, where the released code has 1",
	}
	kubelet := func(m Mutant, build, run time.Duration) Mutant {
		m.Component, m.Version, m.Trials, m.Claims, m.Build, m.Run = "kubelet", "v1.36.3", 160, 1200, build, run
		return m
	}
	return Proof{
		ID:        "sensitivity-20260302-100000",
		Started:   began,
		Ended:     began.Add(90 * time.Second),
		Version:   "v1.36.3",
		Profile:   "full",
		Catalogue: 12,
		AtLeast:   0.95,
		Environment: Environment{
			Podclock: "0123abc",
			Settings: map[string]string{"MUTANTS": "hook-not-subtracted,count-kept"},
		},
		Lanes: []LaneProof{{
			Lane: VirtualLane, Started: began, Ended: began.Add(90 * time.Second), Trials: 160,
			Mutants: []Mutant{
				kubelet(
					Mutant{
						Name:      "hook-not-subtracted",
						Breaks:    "The whole grace period begins again.",
						Formula:   "termination/remainder",
						Reference: "kubernetes#115817",
						Verdict:   Caught,
						Catches:   []Catch{late, never},
					},
					7*time.Second,
					8*time.Second,
				),
				kubelet(
					Mutant{
						Name:    "count-kept",
						Breaks:  "The count outlives a kill.",
						Formula: "probes/no-kill",
						Verdict: Caught,
						Catches: []Catch{fewer},
					},
					6*time.Second,
					9*time.Second,
				),
				kubelet(
					Mutant{
						Name:      "count-per-container",
						Breaks:    "A new container has a count of its own.",
						Formula:   "probes/failing-probes",
						Mends:     true,
						Reference: "kubernetes#101064",
						Verdict:   Caught,
						Catches:   []Catch{mended},
					},
					6*time.Second,
					8*time.Second,
				),
				kubelet(
					Mutant{
						Name:    "timeout-swapped",
						Breaks:  "A time-out is another's.",
						Formula: "probes/cadence",
						Verdict: Survived,
						Why:     "nothing tells it from the released code in 160 trials with 1200 claims, 12 of which measure probes/cadence",
					},
					6*time.Second,
					8*time.Second,
				),
				kubelet(
					Mutant{
						Name:    "period-doubled",
						Breaks:  "A probe is half as often.",
						Verdict: Undecided,
						Why:     "nothing tells it, and 1 of its trials could not be judged",
						Open:    []Open{{"probes/slow", "the virtual node died"}},
					},
					6*time.Second,
					30*time.Second,
				),
				{
					Name:      "no-go",
					Component: "kubelet",
					Version:   "v1.36.3",
					Breaks:    "Nothing, as it is no Go.",
					Verdict:   Failed,
					Why:       "compiling: exit status 1",
					Build:     time.Second,
				},
				{
					Name:      "half-deleted",
					Component: "kube-controller-manager",
					Version:   "v1.36.3",
					Breaks:    "A taint deletes every second pod.",
					Verdict:   Caught,
					Catches:   []Catch{never},
					Trials:    160,
					Claims:    1200,
					Build:     5 * time.Second,
					Run:       7 * time.Second,
				},
				kubelet(
					Mutant{
						Name:    "metric-renamed",
						Breaks:  "A metric has another name.",
						Unseen:  "No trial reads it.",
						Verdict: Survived,
					},
					6*time.Second,
					8*time.Second,
				),
				kubelet(
					Mutant{
						Name:    "jitter-gone",
						Breaks:  "An idle pod is looked at on the minute.",
						Unseen:  "Nothing comes of it.",
						Verdict: Caught,
						Catches: []Catch{fewer},
					},
					6*time.Second,
					8*time.Second,
				),
			},
			Controls: []Control{
				{Subject: "virtual:v1.36.3", Trials: 160, Claims: 1200, Divergent: 50, Unsupported: 3},
				{
					Subject:     "virtual:v1.36.3",
					Trials:      159,
					Claims:      1190,
					Divergent:   50,
					Unsupported: 3,
					Open:        []Open{{"probes/slow", "the virtual node died"}},
				},
			},
			LeftOut: []LeftOut{{"grace-of-thirty", "only a real node can have it"}},
		}},
	}
}

// good is the proof without what is wrong with it.
func good() Proof {
	p := theProof()
	l := &p.Lanes[0]
	l.Mutants = append(append([]Mutant{}, l.Mutants[:3]...), l.Mutants[7])
	return p
}

func TestProofGolden(t *testing.T) {
	alarmed := theProof()
	alarmed.Lanes[0].Controls[0].FalseAlarms = theProof().Lanes[0].Mutants[1].Catches
	alarmed.Lanes[0].Ended, alarmed.Ended = time.Time{}, time.Time{}
	alarmed.Lanes[0].Problems, alarmed.Problems = []string{
		"the released code could not be put under test again",
	}, []string{
		"interrupted",
	}
	for name, p := range map[string]Proof{"proof": theProof(), "proof-good": good(), "proof-alarmed": alarmed} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			g.Expect(WriteProof(dir, p)).To(Succeed())
			for _, file := range []string{ProofFile, ProofMarkdownFile, JUnitFile} {
				text, err := os.ReadFile(filepath.Join(dir, file))
				g.Expect(err).NotTo(HaveOccurred())
				golden(t, name+"-"+file, text)
			}
			var text bytes.Buffer
			g.Expect(ProofSummary(&text, p, SummaryOptions{Folder: "out/" + p.ID})).To(Succeed())
			golden(t, name+"-summary", text.Bytes())

			p.Schema = ProofSchema
			loaded, err := LoadProof(dir)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(loaded).To(Equal(p), "what is saved is all there is")
		})
	}
}

func TestProofExitCodes(t *testing.T) {
	lane := func(change func(l *LaneProof)) Proof {
		p := good()
		change(&p.Lanes[0])
		return p
	}
	survivor, open := theProof().Lanes[0].Mutants[3], theProof().Lanes[0].Mutants[4]
	misfiled, caughtOne := theProof().Lanes[0].Mutants[8], theProof().Lanes[0].Mutants[0]
	many := func(l *LaneProof, n int, with Mutant) {
		l.Mutants = []Mutant{with}
		for range n - 1 {
			l.Mutants = append(l.Mutants, caughtOne)
		}
	}
	for name, tt := range map[string]struct {
		p    Proof
		code int
		why  string
	}{
		"all caught":        {good(), ExitConforms, "what was asked for"},
		"19 of 20 are 95 %": {lane(func(l *LaneProof) { many(l, 20, survivor) }), ExitConforms, "what was asked for"},
		"18 of 19 are not":  {lane(func(l *LaneProof) { many(l, 19, survivor) }), ExitDeviates, "18 of 19 mutants caught (94.7 %), 95 % asked for"},
		"one of 19 is open": {lane(func(l *LaneProof) { many(l, 19, open) }), ExitUnjudged, "can't be told"},
		"a false alarm": {lane(func(l *LaneProof) {
			l.Controls[1].FalseAlarms = survivor.Catches[:0:0]
			l.Controls[1].FalseAlarms = caughtOne.Catches
		}), ExitDeviates, "2 trials deviate on the released code"},
		"one that no trial should measure":     {lane(func(l *LaneProof) { l.Mutants[0].Unmeasured = "No trial does that." }), ExitDeviates, "1 mutant was caught that"},
		"one that nobody should see":           {lane(func(l *LaneProof) { l.Mutants = append(l.Mutants, misfiled) }), ExitDeviates, "1 mutant was caught"},
		"a false alarm outweighs an interrupt": {func() Proof { p := theProof(); p.Problems = []string{"interrupted"}; return p }(), ExitDeviates, "1 mutant was caught"},
		"no control":                           {lane(func(l *LaneProof) { l.Controls = nil }), ExitUnjudged, "no control was judged"},
		"no mutant that counts":                {lane(func(l *LaneProof) { l.Mutants = l.Mutants[3:] }), ExitUnjudged, "no mutant that counts"},
		"not at its end":                       {lane(func(l *LaneProof) { l.Ended = time.Time{} }), ExitUnjudged, "did not come to its end"},
		"a problem of the lane":                {lane(func(l *LaneProof) { l.Problems = []string{"no memory"} }), ExitUnjudged, "no memory"},
		"a problem of the proof":               {func() Proof { p := good(); p.Problems = []string{"interrupted"}; return p }(), ExitUnjudged, "interrupted"},
		"no lane":                              {Proof{}, ExitUnjudged, "no lane"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.p.ExitCode()).To(Equal(tt.code), tt.p.ExitReason())
			g.Expect(tt.p.ExitReason()).To(ContainSubstring(tt.why))
			var text bytes.Buffer
			g.Expect(ProofJUnit(&text, tt.p)).To(Succeed())
			var read struct {
				Failures int `xml:"failures,attr"`
				Errors   int `xml:"errors,attr"`
			}
			g.Expect(xml.Unmarshal(text.Bytes(), &read)).To(Succeed())
			g.Expect(read.Failures+read.Errors > 0).
				To(Equal(tt.code != ExitConforms), "JUnit is green where the exit code is 0: %+v", read)
		})
	}
}

func TestTheClearestCatch(t *testing.T) {
	second := int64(time.Second)
	// 4 widths
	far := Catch{Trial: "a", Measured: number64(10 * second), Window: within(0, 2*time.Second), Miss: 8 * second}
	// 10 widths
	narrow := Catch{Trial: "b", Measured: number64(2 * second), Window: within(0, time.Second/10), Miss: second}
	// 5 times one
	exact := Catch{Trial: "c", Measured: number64(5), Window: formula.Window{Unit: formula.Count}, Miss: 5}
	// nobody knows
	never := Catch{Trial: "d", Window: within(0, time.Second)}
	// 1 width
	own := Catch{Trial: "e", Own: true, Measured: number64(second), Window: within(0, time.Second/2), Miss: second / 2}
	empty := Catch{
		Trial:    "a",
		Own:      true,
		Measured: number64(9 * second),
		Window:   within(2*time.Second, time.Second),
		Miss:     8 * second,
	}
	for name, tt := range map[string]struct{ clearer, other Catch }{
		"an empty window last of all":   {never, empty},
		"widths, not seconds":           {narrow, far},
		"a count has a width of one":    {exact, far},
		"what never came has no figure": {far, never},
		"its own formula first":         {own, narrow},
		"else by name":                  {Catch{Trial: "a", Claim: "x"}, Catch{Trial: "a", Claim: "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.clearer.Clearer(tt.other)).To(BeNumerically("<", 0))
			g.Expect(tt.other.Clearer(tt.clearer)).To(BeNumerically(">", 0))
		})
	}
}

func TestLoadingNoProof(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ content, says string }{
		"nothing":        {"", "no saved proof"},
		"no JSON":        {"proof", "is not a saved proof"},
		"a run":          {`{"schema":"podclock.run/v2"}`, `has the schema "podclock.run/v2"`},
		"another schema": {`{"schema":"podclock.proof/v0"}`, `has the schema "podclock.proof/v0"`},
		"a wrong type":   {`{"schema":"` + ProofSchema + `","lanes":1}`, "does not fit it"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(dir, "proof.json")
			g.Expect(os.RemoveAll(file)).To(Succeed())
			if tt.content != "" {
				g.Expect(os.WriteFile(file, []byte(tt.content), 0o644)).To(Succeed())
			}
			_, err := LoadProof(dir)
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(errors.Is(err, os.ErrNotExist)).To(Equal(tt.content == ""))
		})
	}
}

func TestScoresAreNotRoundedUp(t *testing.T) {
	g := NewWithT(t)
	for share, says := range map[float64]string{1: "100 %", 0.9496: "94.9 %", 0.95: "95 %", 0: "0 %", 104.0 / 105: "99 %", 2.0 / 3: "66.6 %"} {
		g.Expect(scorePercent(share)).To(Equal(says))
	}
}
