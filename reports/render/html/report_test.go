package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestPage(t *testing.T) {
	g := NewWithT(t)
	p, err := newContents(overview(small(t), catalogued), catalogued)
	g.Expect(err).NotTo(HaveOccurred())
	p.Policy, p.Style, p.Shapes, p.Key, p.Script, p.Data = "", "", "", "", "", ""
	p.Nearest = p.Nearest[:1]
	var b bytes.Buffer
	g.Expect(tree.ExecuteTemplate(&b, "page.tmpl", p)).To(Succeed())
	fixture.Golden(t, "page.html", regexp.MustCompile(`\n\s*`).ReplaceAll(b.Bytes(), []byte("\n")))
}

func TestSameRunSameBytes(t *testing.T) {
	NewWithT(t).Expect(rendered(t, saved(t), catalogued)).To(Equal(rendered(t, saved(t), catalogued)))
}

func TestNothingRan(t *testing.T) {
	g := NewWithT(t)
	r := saved(t)
	r.Outcomes, r.Problems = nil, []string{"booting the cluster: node podclock-worker was not Ready within 3m0s"}
	text := string(rendered(t, r, nil))
	g.Expect(text).To(ContainSubstring("The harness could not judge"))
	g.Expect(text).To(ContainSubstring("was not Ready within 3m0s"))
	g.Expect(string(rendered(t, run.Run{}, nil))).To(And(ContainSubstring("there was nothing to run"),
		Not(ContainSubstring("Nothing needs a look")), Not(ContainSubstring("January 0001"))))
}

func TestSize(t *testing.T) {
	g := NewWithT(t)
	r := large(t)
	var n counter
	g.Expect(Report(&n, overview(r, catalogued), catalogued)).To(Succeed())
	t.Logf("%d outcomes: %d bytes", len(r.Outcomes), n)
	g.Expect(view.FiguresOf(r).Claims).To(BeNumerically(">", 5000))
	g.Expect(int(n)).To(BeNumerically("<", 5_000_000))
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func BenchmarkReport(b *testing.B) {
	r := large(b)
	for b.Loop() {
		if err := Report(io.Discard, overview(r, nil), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSelfContained(t *testing.T) {
	text := string(rendered(t, saved(t), catalogued))
	for _, fetched := range []string{
		`<script[^>]+src=`, `<link[^>]+href="[^d]`, `<(img|iframe|object|embed|video|audio|source)\b`,
		`@import`, `url\(\s*["']?(https?:|//)`,
	} {
		if found := regexp.MustCompile(fetched).FindString(text); found != "" {
			t.Errorf("the page loads something: %s", found)
		}
	}
}

func TestColours(t *testing.T) {
	g := NewWithT(t)
	css := style()
	names := []string{"--dot"}
	use := regexp.MustCompile(`var\((--[\w-]+)|colour\("(--[\w-]+)"\)`)
	for _, used := range use.FindAllStringSubmatch(css+script(), -1) {
		names = append(names, used[1]+used[2])
	}
	for _, v := range view.Verdicts() {
		names = append(names, "--"+string(v))
	}
	for i := range 6 {
		names = append(names, fmt.Sprintf("--subject-%d", i))
	}
	g.Expect(names).To(ContainElements("--paper", "--drawing-window", "--verdict"))
	for _, name := range names {
		g.Expect(strings.Contains(css, name+":")).To(BeTrue(), "nothing sets %s", name)
	}
}

func TestData(t *testing.T) {
	g := NewWithT(t)
	r := saved(t)
	d := dataIn(t, rendered(t, r, catalogued))
	g.Expect(d.Run).To(Equal(r.ID))
	outcomes := 0
	for _, one := range d.Trials {
		g.Expect(one.Pod).To(ContainSubstring("terminationGracePeriodSeconds: 10"))
		g.Expect(one.Faults).To(ConsistOf("delete with gracePeriodSeconds 3, 3s after the start of all containers"))
		for i, shown := range one.On {
			at := slices.IndexFunc(
				r.Outcomes,
				func(o run.Outcome) bool { return o.Trial == one.ID && o.Subject == d.Subjects[i].Name },
			)
			g.Expect(at >= 0).To(Equal(shown != nil), "%s on %s", one.ID, d.Subjects[i].Name)
			if shown == nil {
				continue
			}
			outcomes++
			g.Expect(shown.Verdict).To(Equal(r.Outcomes[at].Verdict))
			g.Expect(shown.Attempts).To(HaveLen(len(r.Outcomes[at].Attempts)))
			for j, a := range shown.Attempts {
				g.Expect(a.Timeline).To(HavePrefix("<svg"))
				g.Expect(a.Findings).To(HaveLen(len(r.Outcomes[at].Attempts[j].Result.Findings)))
				for k, f := range a.Findings {
					want := r.Outcomes[at].Attempts[j].Result.Findings[k]
					g.Expect(f.Claim).To(Equal(want.Claim))
					g.Expect(d.Formulas[f.Formula].ID).To(Equal(want.Formula))
					g.Expect(d.Formulas[f.Formula].Description).To(Equal(want.Description))
					g.Expect(f.Implemented.Ends).To(Equal([2]int64{want.Implemented.Earliest, want.Implemented.Latest}))
					for m, term := range f.Implemented.Terms {
						g.Expect(d.Terms[term[0]]).To(Equal(want.Implemented.Terms[m].Name))
					}
				}
			}
		}
	}
	g.Expect(outcomes).To(Equal(len(r.Outcomes)))
}

func dataIn(t testing.TB, page []byte) data {
	t.Helper()
	g := NewWithT(t)
	_, rest, found := bytes.Cut(page, []byte(`<script type="application/gzip" id="data">`))
	g.Expect(found).To(BeTrue())
	letters, _, _ := bytes.Cut(rest, []byte("</script>"))
	unpacked, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(letters)))
	g.Expect(err).NotTo(HaveOccurred())
	var d data
	g.Expect(json.NewDecoder(unpacked).Decode(&d)).To(Succeed())
	return d
}

// TestHostileText renders texts that look like markup. The data must stay whole, and the page must not get
// another script element.
func TestHostileText(t *testing.T) {
	g := NewWithT(t)
	page := rendered(t, hostile(t), catalogued)
	g.Expect(dataIn(t, page).Run).To(ContainSubstring("</script>"))
	g.Expect(strings.Count(string(page), "<script")).To(Equal(2))
	g.Expect(strings.Count(string(page), "</script")).To(Equal(2))
	g.Expect(string(page)).NotTo(ContainSubstring("<img"))
	g.Expect(string(page)).NotTo(ContainSubstring(`href="javascript:`))
}

func TestBackOffCharts(t *testing.T) {
	g := NewWithT(t)
	all := backOffCharts(overview(saved(t), nil))
	g.Expect(all).To(HaveLen(1))
	g.Expect(all[0].Name()).To(Equal("restarts/crash-exit-0"))
	var restarts []int
	for _, s := range all[0].Steps {
		restarts = append(restarts, s.Restart)
		g.Expect(s.On).To(HaveLen(4))
		g.Expect(s.On[0].Measured).NotTo(BeNil())
		g.Expect(s.On[1]).To(BeNil(), "the mutant was not selected for it")
	}
	g.Expect(restarts).To(Equal([]int{1, 2, 3}))
	for i, measured := range []int64{654167359, 13593265465, 30074837107} {
		g.Expect(*all[0].Steps[i].On[0].Measured).To(Equal(measured))
		g.Expect(all[0].Steps[i].On[0].Implemented[0]).To(BeNumerically("<=", measured))
	}
}

func TestTread(t *testing.T) {
	g := NewWithT(t)
	kept := tread{
		Verdict:     trial.Conforms,
		Measured:    new(int64(12e9)),
		Implemented: [2]int64{11e9, 13e9},
		Documented:  &[2]int64{11e9, 13e9},
	}
	g.Expect(treadText(&kept)).To(Equal("12.000 s in 11.000 to 13.000 s"))
	parted := kept
	parted.Verdict, parted.Documented = trial.Divergent, &[2]int64{10e9, 10e9}
	g.Expect(treadText(&parted)).
		To(Equal("divergent: 12.000 s in 11.000 to 13.000 s, documented 10.000 s"))
	g.Expect(treadText(&tread{Verdict: trial.Deviates, Implemented: [2]int64{11e9, 13e9}})).
		To(Equal("deviates: never in 11.000 to 13.000 s"))
}

func TestMargins(t *testing.T) {
	g := NewWithT(t)
	all, margins, exact := nearest(overview(saved(t), nil))
	claims := 0
	for _, o := range saved(t).Outcomes {
		if last := o.Last(); last != nil {
			for _, f := range last.Result.Findings {
				if f.Measured != nil {
					claims++
				}
				if m := marginOf(f); m != nil && f.Verdict != trial.Deviates {
					g.Expect(m.Position).To(And(BeNumerically(">=", 0), BeNumerically("<=", 1)),
						"%s on %s: %s", o.Trial, o.Subject, f.Claim)
					g.Expect(m.Left).To(BeNumerically(">=", 0))
				}
			}
		}
	}
	g.Expect(margins + exact).To(Equal(claims))
	g.Expect(all[0].Finding.Verdict).To(Equal(trial.Deviates), "a value outside its window is nearest")
	g.Expect(slices.IsSortedFunc(all, func(a, b near) int { return int(a.Left - b.Left) })).To(BeTrue())
}

func TestMarginOfAWindowThatBeginsBeforeItsCause(t *testing.T) {
	g := NewWithT(t)
	window := formula.Window{Unit: formula.Nanoseconds, Earliest: -100, Latest: 100}
	of := func(more int64) margin {
		measured := &trial.Measured{Unit: formula.Nanoseconds, Value: -90, More: more}
		return *marginOf(trial.Finding{Verdict: trial.Conforms, Implemented: window, Measured: measured})
	}
	g.Expect(of(0)).To(Equal(margin{Position: 0.05, Left: 10, Share: 0.05}), "either of two moments can be the first")
	g.Expect(of(100)).To(Equal(margin{Position: 0.05, Left: 190, Share: 0.95, OneSided: true}),
		"only the observer's error puts it there")
}

func TestLinks(t *testing.T) {
	g := NewWithT(t)
	g.Expect(link("probes/liveness", "v1.36.3+resultrun-one")).
		To(Equal("#trial=probes/liveness&subject=v1.36.3%2Bresultrun-one"))
	g.Expect(link("a/b", "v1.36.3@./kubelet b&c=d,e")).To(Equal("#trial=a/b&subject=v1.36.3@./kubelet%20b%26c%3Dd%2Ce"))
	g.Expect(issues("kubernetes#22240, website#52218, kubernetes PR 133066, KEP-753")).To(Equal([]issue{
		{
			"kubernetes#22240",
			"https://github.com/kubernetes/kubernetes/issues/22240",
		},
		{"website#52218", "https://github.com/kubernetes/website/issues/52218"},
		{"kubernetes PR 133066", "https://github.com/kubernetes/kubernetes/pull/133066"},
		{Text: "KEP-753"},
	}))
}

// A run of a manifest shows each predicted window and measured value on one axis, and what was not played.
func TestPromisesOfAManifest(t *testing.T) {
	g := NewWithT(t)
	window := formula.Window{Unit: formula.Nanoseconds, Earliest: int64(2 * time.Second),
		Latest: int64(6 * time.Second)}
	finding := trial.Finding{Claim: "fault-to-sigterm", Formula: run.Predicted + "sigterm", Verdict: trial.Deviates,
		Implemented: window, Measured: &trial.Measured{Unit: formula.Nanoseconds, Value: int64(8 * time.Second)}}
	r := run.Run{
		Subjects: []run.Subject{{Name: "v1.37.2"}},
		Outcomes: []run.Outcome{{
			Trial: "deployment-web/delete-longest", About: "A delete.", Subject: "v1.37.2", Verdict: trial.Deviates,
			Attempts: []run.Attempt{{Result: trial.Result{Verdict: trial.Deviates,
				Findings: []trial.Finding{finding}}}},
		}},
		Promises: &run.Promises{Unplayed: []run.Unplayed{{Workload: "deployment-web", Answer: "preemption", Why: "a node"}}},
	}
	var b strings.Builder
	g.Expect(Report(&b, view.OverviewOf(r, nil), nil)).To(Succeed())
	g.Expect(b.String()).To(And(
		ContainSubstring(`<i style="left:25.00%;width:50.00%"></i><b style="left:100.00%"></b>`),
		ContainSubstring(`<details class="promise deviates" open>`), ContainSubstring("deployment-web: preemption"),
	))
	r.Promises = nil
	b.Reset()
	g.Expect(Report(&b, view.OverviewOf(r, nil), nil)).To(Succeed())
	g.Expect(b.String()).NotTo(ContainSubstring(`id="promises"`))
}
