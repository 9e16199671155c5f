package trial

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Verdict is what judging ends in.
type Verdict string

const (
	// Conforms is measured inside what the code computes and inside what the documentation promises.
	Conforms Verdict = "conforms"
	// Divergent is measured inside what the code computes, outside what the documentation promises.
	Divergent Verdict = "divergent"
	// Unsupported means that the trial can't run on this subject.
	Unsupported Verdict = "unsupported"
	// Inconclusive means that the evidence does not allow a judgement.
	Inconclusive Verdict = "inconclusive"
	// Deviates is measured outside what this kubelet's code should compute.
	Deviates Verdict = "deviates"
)

// severity orders verdicts: a trial's verdict is the most severe of its claims'.
var severity = map[Verdict]int{Conforms: 0, Divergent: 1, Unsupported: 2, Inconclusive: 3, Deviates: 4}

// Worse returns the more severe of two verdicts. A verdict that is none of the five counts as inconclusive.
func Worse(a, b Verdict) Verdict {
	a, b = known(a), known(b)
	if severity[b] > severity[a] {
		return b
	}
	return a
}

func known(v Verdict) Verdict {
	if _, ok := severity[v]; !ok {
		return Inconclusive
	}
	return v
}

// Finding is the judgement of one claim.
type Finding struct {
	Claim   string `json:"claim"`
	Formula string `json:"formula"`
	Says    string `json:"says"`
	Source  string `json:"source"`
	// Of is whose rule it is.
	Of      formula.Component `json:"of,omitempty"`
	Verdict Verdict           `json:"verdict"`
	// Why explains every verdict but Conforms.
	Why string `json:"why,omitempty"`
	// Measured is nil when the value never came.
	Measured *Measured `json:"measured,omitempty"`
	// Since is where, on the recorder's clock, what is measured began whose end never came; see Begins.
	Since int64 `json:"since,omitempty"`
	// Implemented and Documented are the windows, the observer's error among their terms.
	Implemented formula.Window  `json:"implemented"`
	Documented  *formula.Window `json:"documented,omitempty"`
	// Promise, DocumentedAt and Issues tell what a divergence diverges from.
	Promise      string `json:"promise,omitempty"`
	DocumentedAt string `json:"documentedAt,omitempty"`
	Issues       string `json:"issues,omitempty"`
	// Delay is the longest delay that the node can have caused while this was measured.
	Delay time.Duration `json:"noise,omitempty"`
	// Diagnosis names the rival that fits a deviation best.
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"`
}

// Diagnosis is a rival that would have measured what was measured.
type Diagnosis struct {
	Name      string         `json:"name"`
	Reference string         `json:"reference"`
	Would     formula.Window `json:"would"`
	// Never says that the rival never comes to what is measured, as was the case; Would is empty then.
	Never bool `json:"never,omitempty"`
}

// Result is the judgement of one trial's timeline.
type Result struct {
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
	// Doubts are the timeline's.
	Doubts []string `json:"doubts,omitempty"`
	// Extrapolated says that the kubelet is outside the releases whose sources the formulas were read in.
	Extrapolated bool `json:"extrapolated,omitempty"`
}

// Judge compares every claim of a trial with its timeline.
func Judge(t Trial, tl *timeline.Timeline, n delay.Record, k formula.Kubelet) Result {
	if !k.Valid() {
		return Result{
			Verdict: Unsupported,
			Doubts:  []string{fmt.Sprintf("%q is no version that the formulas could speak of", k.Version)},
		}
	}
	if why := t.Unsupported(k); why != "" {
		return Result{Verdict: Unsupported, Doubts: []string{why}}
	}
	tl = t.overtaken(tl)
	r := Result{Verdict: Conforms, Doubts: tl.Doubts, Extrapolated: k.Extrapolated()}
	var claims []Claim
	for _, c := range t.Claims {
		if c.Lacks(k) != "" {
			continue // this kubelet is not held to it
		}
		claims = append(claims, c)
		r.Findings = append(r.Findings, t.judge(c, tl, n, k))
	}
	t.unmask(claims, r.Findings, tl, n, k)
	for _, f := range r.Findings {
		r.Verdict = Worse(r.Verdict, f.Verdict)
	}
	if len(r.Findings) == 0 {
		r.Verdict = Inconclusive
	}
	asDocumented(r.Findings)
	return r
}

// overtaken doubts a timeline in which something ended the pod that was to find it being killed already, as
// a claim of another cause than the trial's says: an eviction comes when the kubelet looks, which no trial
// chooses.
func (t Trial) overtaken(tl *timeline.Timeline) *timeline.Timeline {
	for _, c := range t.Claims {
		if c.KillCause == "" || c.KillCause == t.KillCause || c.Measure.From.event != eventSeen {
			continue
		}
		second, first := c.Measure.From.in(tl), SIGTERM.in(tl)
		if second == nil || first == nil || first.At <= second.At {
			continue
		}
		doubted := *tl
		doubted.Doubts = append(
			slices.Clip(tl.Doubts),
			fmt.Sprintf("%s came %v before the kill that it was to find under way", c.Measure.From,
				time.Duration(first.At-second.At).Round(time.Millisecond)),
		)
		return &doubted
	}
	return tl
}

// Missing names the first point that no claim of the trial has yet; empty when everything that the claims
// measure is there.
func Missing(t Trial, tl *timeline.Timeline, k formula.Kubelet) string {
	for _, c := range t.Claims {
		if c.Lacks(k) != "" {
			continue
		}
		if m, missing := c.Measure.of(tl); m == nil {
			return missing
		}
	}
	return ""
}

func (t Trial) judge(c Claim, tl *timeline.Timeline, n delay.Record, k formula.Kubelet) Finding {
	in := t.Input(c, tl, n, k)
	f := Finding{
		Claim: c.ID(), Formula: c.Formula.ID, Says: c.Formula.Says, Source: c.Formula.Source, Of: c.Formula.Of,
		Promise: c.Formula.Promise, DocumentedAt: c.Formula.DocumentedAt, Issues: c.Formula.IssuesOf(in),
		Implemented: c.Formula.Implemented(in),
	}
	if c.Formula.Documented != nil {
		f.Documented = c.Formula.Documented(in)
	}
	m, missing := c.Measure.of(tl)
	if m == nil {
		f.Since = c.Measure.began(tl)
		f.Verdict, f.Why = c.absent(tl, n, f.Implemented, missing)
		if f.Verdict == Deviates {
			f.Diagnosis = diagnoseAbsence(c.Rivals)
		}
		if len(tl.Doubts) > 0 {
			f.Verdict, f.Why, f.Diagnosis = Inconclusive, tl.Doubts[0], nil
		}
		return f
	}
	f.Measured = m
	implemented, documented := f.Implemented, f.Documented
	f.Implemented = m.observed(f.Implemented)
	if f.Documented != nil {
		w := m.observed(*f.Documented)
		f.Documented = &w
	}
	f.Delay = n.Total(m.From-int64(lookBack), m.To)
	f.Verdict, f.Why = verdict(f, *m, n, c.Measure.From.firstOfAProcess(tl))
	if why := t.moved(c, f, in, tl, n); why != "" {
		f.Verdict, f.Why = Inconclusive, why
	}
	if why := t.unsettled(c, f, c.outages(tl, n, m.From, m.To), implemented, documented); why != "" {
		f.Verdict, f.Why = Inconclusive, why
	}
	if f.Verdict == Deviates {
		f.Diagnosis = diagnose(c.Rivals, in, *m)
	}
	if len(tl.Doubts) > 0 {
		f.Verdict, f.Why, f.Diagnosis = Inconclusive, tl.Doubts[0], nil
	}
	return f
}

// observed is a window with the observer's error, as a term like the others.
func (m Measured) observed(w formula.Window) formula.Window {
	if m.Less == 0 && m.More == 0 {
		return w
	}
	return w.With(formula.Term{Name: "observer", Earliest: -m.More, Latest: m.Less})
}

// surelyAbsent is how long after the last moment allowed everything must be known before a missing mark is a deviation.
const surelyAbsent = 5 * time.Second

// replaced is how soon a pod's state is replaced by the next one where the kubelet finds, as it writes that
// a container waits, that it need wait no longer: it sends the newest state only (status_manager.go
// syncBatch), so that one whose sending was late is never shown.
const replaced = 100 * time.Millisecond

// lookBack is how long before a measured span a stall can still have made its first mark late.
const lookBack = time.Second

// verdict judges a measured value against its windows.
func verdict(f Finding, m Measured, n delay.Record, firstOfAProcess bool) (Verdict, string) {
	unit := m.Unit
	if miss := f.Implemented.Miss(m.Value); miss != 0 {
		if unit == formula.Nanoseconds {
			if noise := excuse(miss, f.Implemented, m, n, firstOfAProcess); noise >= abs(miss) {
				return Inconclusive, fmt.Sprintf("%s, %s; the node kept work waiting, which could explain %s",
					unit.Format(m.Value), outside(f.Implemented, miss), unit.Format(noise))
			}
		}
		return Deviates, fmt.Sprintf("%s, %s", unit.Format(m.Value), outside(f.Implemented, miss))
	}
	if f.Documented != nil {
		if miss := f.Documented.Miss(m.Value); miss != 0 {
			return Divergent, fmt.Sprintf(
				"%s, as the code computes; documented is %s",
				unit.Format(m.Value),
				outside(*f.Documented, miss),
			)
		}
	}
	return Conforms, ""
}

// slowStart is how much later than a process' beginning its first mark may come on a node whose cores are
// all taken: seen were 2.3 s.
const slowStart = 5 * time.Second

// excuse is how much of a miss the node's noise could explain: a late end by what the work since the
// beginning lost to waiting, an early one only by a beginning that was seen too late. That of a hook or of
// a probe over exec is the first mark of a process, which a busy node may be slow to start.
func excuse(miss int64, w formula.Window, m Measured, n delay.Record, firstOfAProcess bool) int64 {
	if miss > 0 {
		return int64(n.OfWork(m.From-int64(lookBack), m.To, work(w)))
	}
	back := int64(lookBack)
	if firstOfAProcess {
		back += min(-miss, int64(slowStart))
	}
	return int64(n.Total(m.From-back, m.From))
}

// work is how long at most what a window speaks of is at work on a node that keeps nothing waiting, and no
// timer's: between its earliest and its latest value lie the budgets of everything that has to be done.
func work(w formula.Window) time.Duration { return time.Duration(w.Latest - w.Earliest) }

// absent judges a value that never came. Where its beginning came and everything up to far beyond the
// window's end is known, the missing end is a deviation.
func (c Claim) absent(tl *timeline.Timeline, n delay.Record, w formula.Window, missing string) (Verdict, string) {
	if c.Measure.counted == "" && w.Unit == formula.Nanoseconds {
		if from := c.Measure.From.in(tl); from != nil {
			latest := from.At + w.Latest
			if kept := n.Total(from.At, latest); c.Measure.To.event == waiting && kept > replaced {
				return Inconclusive, fmt.Sprintf(
					"%s was not shown; of several states the API shows the newest, and the node kept work waiting for %s meanwhile",
					missing,
					formula.Nanoseconds.Format(int64(kept)),
				)
			}
			if out := c.outages(tl, n, from.At, latest+int64(surelyAbsent)); len(out) > 0 {
				return Inconclusive, fmt.Sprintf(
					"%s did not come, but the %s did not answer for %s at that time",
					missing,
					out[0].Component,
					formula.Nanoseconds.Format(out[0].To-out[0].From),
				)
			}
			if overdue := tl.Known - latest; overdue > int64(
				surelyAbsent,
			)+int64(
				n.Total(from.At-int64(lookBack), tl.Known),
			) {
				return Deviates, fmt.Sprintf(
					"%s did not come within %v after the last moment allowed",
					missing,
					time.Duration(overdue).Round(time.Second),
				)
			}
		}
	}
	return Inconclusive, fmt.Sprintf("%s never came, so this could not be measured", missing)
}

// diagnose names the rival whose window holds the measured value, the narrowest where several do.
func diagnose(rivals []formula.Rival, in formula.Input, m Measured) *Diagnosis {
	var best *Diagnosis
	for _, r := range rivals {
		if r.Never {
			continue
		}
		w := m.observed(r.Would(in))
		if w.Miss(m.Value) != 0 {
			continue
		}
		if best == nil || w.Latest-w.Earliest < best.Would.Latest-best.Would.Earliest {
			best = &Diagnosis{Name: r.Name, Reference: r.Reference, Would: w}
		}
	}
	return best
}

// diagnoseAbsence names the rival that never comes to what is measured.
func diagnoseAbsence(rivals []formula.Rival) *Diagnosis {
	i := slices.IndexFunc(rivals, func(r formula.Rival) bool { return r.Never })
	if i < 0 {
		return nil
	}
	return &Diagnosis{Name: rivals[i].Name, Reference: rivals[i].Reference, Never: true}
}

// outside says on which side of a window, and by how much, a value missed it.
func outside(w formula.Window, miss int64) string {
	side := "above"
	if miss < 0 {
		side = "below"
	}
	return fmt.Sprintf("%s %s %v", w.Unit.Format(abs(miss)), side, w)
}

func abs(v int64) int64 { return max(v, -v) }
