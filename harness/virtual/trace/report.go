package trace

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// Side is one of two kubelets: its traces, and the values that its claims measured.
type Side struct {
	// Name is the subject, with its run if that is needed.
	Name   string
	Traces []Trace
	Values []Value
}

// Report is the comparison of two sides.
type Report struct {
	Before string `json:"before"`
	After  string `json:"after"`
	// Compared is the number of traces that both sides have, by trial and seed. Same is how many are the same.
	Compared int `json:"compared"`
	Same     int `json:"same"`
	// Seeds are those that both sides have.
	Seeds  []uint64 `json:"seeds"`
	Groups []Group  `json:"groups,omitempty"`
	// OnlyBefore and OnlyAfter are the trials with a trace on one side only.
	OnlyBefore []string `json:"onlyBefore,omitempty"`
	OnlyAfter  []string `json:"onlyAfter,omitempty"`
	// Shifts are the claims whose values differ between the seeds of the two sides. They need several seeds.
	Shifts []Shift `json:"shifts,omitempty"`
}

// Group is all differences that begin with the same kind of change of the same call. One change of a kubelet is
// usually one group.
type Group struct {
	Change Change    `json:"change"`
	Kind   wire.Kind `json:"kind"`
	By     string    `json:"by,omitempty"`
	What   string    `json:"what"`
	// Others are further calls that moved by the same time as this one in most trials.
	Others []string `json:"others,omitempty"`
	// Trials are in order. Details are what differs, the most frequent first.
	Trials  []string `json:"trials"`
	Details []Detail `json:"details,omitempty"`
	// Example is the difference of the trial that comes first with the most frequent detail.
	Example Difference `json:"example"`
}

// Detail is a [Difference.Detail] and the number of traces that have it.
type Detail struct {
	Text   string `json:"text"`
	Traces int    `json:"traces"`
}

// Compare compares two sides. Each must be of one subject.
func Compare(before, after Side) Report {
	r := Report{Before: before.Name, After: after.Name}
	type place struct {
		trial string
		seed  uint64
	}
	was, is := map[place]Trace{}, map[place]Trace{}
	for _, t := range before.Traces {
		was[place{t.Trial, t.Seed}] = t
	}
	for _, t := range after.Traces {
		is[place{t.Trial, t.Seed}] = t
	}
	order := func(x, y place) int { return cmp.Or(cmp.Compare(x.trial, y.trial), cmp.Compare(x.seed, y.seed)) }
	var all []Difference
	seeds := map[uint64]bool{}
	for _, p := range slices.SortedFunc(maps.Keys(was), order) {
		other, ok := is[p]
		if !ok {
			r.OnlyBefore = append(r.OnlyBefore, p.trial)
			continue
		}
		seeds[p.seed] = true
		r.Compared++
		if d := First(was[p], other); d != nil {
			all = append(all, *d)
		} else {
			r.Same++
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(is), order) {
		if _, ok := was[p]; !ok {
			r.OnlyAfter = append(r.OnlyAfter, p.trial)
		}
	}
	r.OnlyBefore, r.OnlyAfter = slices.Compact(r.OnlyBefore), slices.Compact(r.OnlyAfter)
	r.Seeds, r.Groups = slices.Sorted(maps.Keys(seeds)), grouped(all)
	r.Shifts = shifts(before.Values, after.Values)
	return r
}

// grouped puts differences into groups, the largest first.
func grouped(all []Difference) []Group {
	groups := map[[4]string][]Difference{}
	for _, d := range all {
		k := [4]string{string(d.Change), string(d.Entry.Kind), d.Entry.By, d.Entry.What}
		groups[k] = append(groups[k], d)
	}
	var made []Group
	for k, members := range groups {
		g := Group{Change: Change(k[0]), Kind: wire.Kind(k[1]), By: k[2], What: k[3]}
		count := map[string]int{}
		for _, d := range members {
			g.Trials = append(g.Trials, d.Trial)
			count[d.Detail()]++
		}
		slices.Sort(g.Trials)
		g.Trials = slices.Compact(g.Trials)
		for text, n := range count {
			g.Details = append(g.Details, Detail{text, n})
		}
		slices.SortFunc(g.Details, func(x, y Detail) int {
			return cmp.Or(cmp.Compare(y.Traces, x.Traces), cmp.Compare(x.Text, y.Text))
		})
		usual := slices.IndexFunc(members, func(d Difference) bool { return d.Detail() == g.Details[0].Text })
		g.Example = members[usual]
		if g.Details[0].Text == "" {
			g.Details = nil
		}
		made = append(made, g)
	}
	slices.SortFunc(made, func(x, y Group) int {
		return cmp.Or(cmp.Compare(len(y.Trials), len(x.Trials)), cmp.Compare(x.String(), y.String()))
	})
	return united(made)
}

// united unites groups of entries that moved by the same time in most of their traces: what was late first differs
// between trials. The groups are ordered by size.
func united(groups []Group) (all []Group) {
	for _, g := range groups {
		i := slices.IndexFunc(all, func(larger Group) bool {
			return g.Change == Moved && larger.Change == Moved && larger.Example.By() == g.Example.By()
		})
		if i < 0 {
			all = append(all, g)
			continue
		}
		larger := &all[i]
		larger.Others = append(larger.Others, g.called())
		larger.Trials = append(larger.Trials, g.Trials...)
		slices.Sort(larger.Trials)
		larger.Trials = slices.Compact(larger.Trials)
		for _, d := range g.Details {
			if at := slices.IndexFunc(larger.Details, func(x Detail) bool { return x.Text == d.Text }); at >= 0 {
				larger.Details[at].Traces += d.Traces
			} else {
				larger.Details = append(larger.Details, d)
			}
		}
	}
	return all
}

var kinds = map[wire.Kind]string{
	wire.KindCRI: "call", wire.KindAPI: "request", wire.KindEvent: "event", wire.KindMark: "mark", wire.KindLane: "fault",
	wire.KindObject: "version of",
}

// String names the change, such as "extra call StopContainer".
func (g Group) String() string {
	what := string(g.Change) + " " + g.called()
	if len(g.Others) > 0 {
		what += ", " + strings.Join(g.Others, ", ")
	}
	return what
}

func (g Group) called() string {
	what := kinds[g.Kind] + " " + g.What
	if g.By != "" {
		what += " of the " + g.By
	}
	return what
}

// ExitCode is run.ExitConforms if all traces are the same, run.ExitChanged if one differs, and run.ExitUnjudged if
// there is nothing to compare.
func (r Report) ExitCode() int {
	switch {
	case r.Compared == 0:
		return run.ExitUnjudged
	case len(r.Groups)+len(r.OnlyBefore)+len(r.OnlyAfter) > 0:
		return run.ExitChanged
	}
	return run.ExitConforms
}
