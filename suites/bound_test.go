package suites

import (
	"fmt"
	"testing"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

func TestLatest(t *testing.T) {
	evidence := readEvidence(t)
	for _, tr := range Catalogue() {
		r, ok := evidence[tr.ID]
		if !ok {
			continue
		}
		for _, version := range []string{"v1.23.1", "v1.34.4", "v1.35.4", "v1.36.3"} {
			k := r.Kubelet
			k.Version = version
			if tr.Unsupported(k) != "" {
				continue
			}
			worst, of := latestOf(tr, r.Evidence, k)
			fmt.Printf("%-50s %s lasts %6.1f bound %6.1f latest %6.1f ratio %.2f %s\n", tr.ID, version, tr.Lasts.Seconds(), tr.Bound().Seconds(), worst.Seconds(),
			(worst.Seconds()-20)/tr.Lasts.Seconds(), of)
		}
	}
}

func latestOf(tr trial.Trial, e timeline.Evidence, k formula.Kubelet) (time.Duration, string) {
	tl := timeline.Build(e, delay.Record{})
	result := judge.Judge(tr, tl, delay.Record{}, k)
	by := map[string]trial.Finding{}
	for _, f := range result.Findings {
		by[f.Claim] = f
	}
	begun := int64(0)
	for _, r := range e.Marks {
		if r.Kind == mark.Started {
			begun = r.At
			break
		}
	}
	if begun == 0 {
		begun = e.API[0].At.At
	}
	latest := map[string]int64{}
	var of func(p trial.Point, depth int) int64
	of = func(p trial.Point, depth int) int64 {
		if l, ok := latest[p.String()]; ok {
			return l
		}
		at := p.In(tl)
		if at == nil {
			return 0
		}
		if depth > 50 {
			return at.At - begun
		}
		const far = int64(1) << 55
		best, found := at.At-begun, false
		if p.IsEvent() {
			best = far
		}
		for _, c := range tr.Claims {
			f, ok := by[c.ID()]
			if !ok || f.Implemented.Unit != formula.Nanoseconds || c.Measure.To != p || c.Measure.From == p {
				continue
			}
			l := of(c.Measure.From, depth+1) + f.Implemented.Latest
			if l < far && (!found || l < best) {
				best, found = l, true
			}
		}
		latest[p.String()] = best
		return best
	}
	worst, which := int64(0), ""
	for _, c := range tr.Claims {
		if f, ok := by[c.ID()]; ok && f.Implemented.Unit == formula.Nanoseconds {
			if l := of(c.Measure.To, 0); l > worst {
				worst, which = l, c.ID()
			}
		} else if ok && f.Measured != nil {
			if l := f.Measured.To - begun; l > worst {
				worst, which = l, c.ID()
			}
		}
	}
	return time.Duration(worst), which
}
