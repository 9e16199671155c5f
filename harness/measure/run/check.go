package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// checkArea is the area of the outcomes of checks. ValuesCheck compares the values of many trials, and ConductCheck
// observes the kubelet during all of them.
const (
	checkArea    = "kubelet/"
	ValuesCheck  = checkArea + "values"
	ConductCheck = checkArea + "conduct"
)

// check judges a subject as a whole, after its trials. Its outcome looks like a trial's, without evidence of its own.
type check struct {
	id, about string
	// findings returns none if the run does not have what the check needs.
	findings func(Run, Subject) []trial.Finding
}

var checks = []check{
	{ConductCheck, "Observes the kubelet during all trials: no exit, no panic, no hang, no eviction of critical pods.",
		conduct},
	{"kubelet/defaults", "Compares settings and feature gates that nobody set with the release's defaults.", defaults},
	{ValuesCheck, "Compares all values of a formula with where they usually lie.", values},
}

// IsCheck reports whether an outcome is that of a check instead of a trial.
func IsCheck(o Outcome) bool { return strings.HasPrefix(o.Trial, checkArea) }

// Check judges every subject that ran as a whole. It replaces the outcomes of the check before. It also diagnoses the
// subject's deviations together.
func (r *Run) Check() {
	r.Outcomes = slices.DeleteFunc(r.Outcomes, IsCheck)
	for _, s := range r.Subjects {
		r.diagnose(s)
		ran := func(o Outcome) bool { return o.Subject == s.Name && len(o.Attempts) > 0 }
		if !slices.ContainsFunc(r.Outcomes, ran) {
			continue
		}
		for _, c := range checks {
			findings := c.findings(*r, s)
			if len(findings) == 0 {
				continue
			}
			result := trial.Result{Verdict: trial.Conforms, Findings: findings}
			for _, f := range findings {
				result.Verdict = trial.Worse(result.Verdict, f.Verdict)
			}
			r.Outcomes = append(r.Outcomes, Outcome{
				Trial: c.id, About: c.about, Subject: s.Name, Verdict: result.Verdict,
				Attempts: []Attempt{{Started: r.Reported, Result: result}},
			})
		}
	}
}

func (r *Run) diagnose(s Subject) {
	var trials [][]trial.Result
	for _, o := range r.Outcomes {
		if o.Subject != s.Name {
			continue
		}
		var attempts []trial.Result
		for _, a := range o.Attempts {
			attempts = append(attempts, a.Result)
		}
		trials = append(trials, attempts)
	}
	judge.Diagnose(trials)
}

// conduct counts the kubelet's exits, panics and hangs on all nodes of a subject.
func conduct(r Run, s Subject) (findings []trial.Finding) {
	var exits, hangs, evicted []string
	watched := false
	for _, n := range r.Nodes {
		if n.Evicted != "" && cmp.Or(n.EvictedBy, n.Subject) == s.Name {
			evicted = append(evicted, n.Evicted)
		}
		if n.Subject != s.Name {
			continue
		}
		watched = watched || n.Watched
		exits = append(exits, n.Exits...)
		hangs = append(hangs, hangsOf(n)...)
	}
	critical := counted("critical-pods", formula.CriticalPodsLive, evicted)
	switch {
	case !watched && len(evicted) == 0:
		return nil
	case !watched:
		return []trial.Finding{critical}
	}
	findings = append(findings, counted("exits", formula.KubeletExits, exits))
	t := talliesOf(r, s)
	if t.restarts > 0 {
		findings = append(findings, counted("early-collections", formula.EarlyCollections(t.restarts), t.collected))
	}
	if t.compared > 0 {
		findings = append(findings, counted("unseen-failures", formula.UnseenFailures(t.compared), t.unseen))
	}
	if s.RanIn() == NodeLane && r.Disturbance == "" {
		findings = append(findings, counted("hangs", formula.KubeletHangs, hangs))
	}
	if s.RanIn() == NodeLane {
		findings = append(findings, critical)
	}
	return findings
}

// tallies count what has an excuse in one trial, but not in most.
type tallies struct {
	// collected describes lives whose dead container was removed too early, of so many restarts.
	restarts  int
	collected []string
	// unseen describes counted failures that no container saw, of so many comparisons.
	compared int
	unseen   []string
}

func talliesOf(r Run, s Subject) (all tallies) {
	for _, o := range r.Outcomes {
		if o.Subject != s.Name {
			continue
		}
		for i, a := range o.Attempts {
			where := fmt.Sprintf("in attempt %d of %s, ", i+1, o.Trial)
			tl := timeline.Build(a.Evidence, delay.Record{}) // without delay, no misreport is a doubt
			for _, c := range tl.Containers {
				all.restarts += max(0, len(c.Lives)-1)
				for _, l := range c.Lives {
					if l.Collected {
						const format = "%sdead life %d of %s was removed before the next one ended"
						all.collected = append(all.collected, fmt.Sprintf(format, where, l.Number, c.Name))
					}
				}
			}
			all.compared += tl.Compared[timeline.FailureCounted]
			for _, m := range tl.Misreports {
				if m.Report == timeline.FailureCounted {
					all.unseen = append(all.unseen, where+m.Why)
				}
			}
		}
	}
	return all
}

// defaults counts the defaults that differ from the release's.
func defaults(_ Run, s Subject) []trial.Finding {
	if s.Kubelet.Set == nil {
		return nil
	}
	_, wrong := s.Kubelet.AsReleased()
	return []trial.Finding{counted("wrong-defaults", formula.KubeletDefaults, wrong)}
}

// hangsOf describes the outages of a node's kubelet that neither the node's delay nor an outage of the container
// runtime explains.
func hangsOf(n Node) (hangs []string) {
	others := n.Delays
	others.Unanswered = nil
	for _, o := range n.Delays.Unanswered {
		if o.Component != mark.Kubelet {
			others.Unanswered = append(others.Unanswered, o)
		}
	}
	for _, o := range n.Delays.Unanswered {
		lasted := time.Duration(o.To - o.From)
		if o.Component == mark.Kubelet && lasted-others.Total(o.From-int64(time.Second), o.To) >= delay.MinOutage {
			hangs = append(hangs, fmt.Sprintf("the kubelet of node %s did not answer for %v, though its node was free",
				n.Name, lasted.Round(time.Millisecond)))
		}
	}
	return hangs
}

// counted returns the finding of a number of faults.
func counted(claim string, f formula.Formula, faults []string) trial.Finding {
	found := trial.Finding{
		Claim: claim, Formula: f.ID, Description: f.Description, Source: f.Source, Verdict: trial.Conforms,
		Measured:    &trial.Measured{Unit: formula.Count, Value: int64(len(faults))},
		Implemented: f.Implemented(formula.Input{}), Promise: f.Promise, DocumentedAt: f.DocumentedAt,
	}
	if f.Documented != nil {
		found.Documented, found.Issues = f.Documented(formula.Input{}), f.IssuesOf(formula.Input{})
	}
	value := found.Measured.Value
	switch {
	case !found.Implemented.Contains(value):
		found.Verdict, found.Why = trial.Deviates, faults[0]
	case found.Documented != nil && !found.Documented.Contains(value):
		found.Verdict, found.Why = trial.Divergent, faults[0]
	}
	return found
}
