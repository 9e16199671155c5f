package trend

import (
	"html/template"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/html"
	"github.com/podclock/podclock/reports/view/series"
)

// charted is the data of the page's script: all measured values. Two months of nights have a quarter of a million, so
// they are compressed.
type charted struct {
	Runs   []chartedRun   `json:"runs"`
	Trials []chartedTrial `json:"trials"`
}

type chartedRun struct {
	ID      string `json:"id"`
	Started int64  `json:"at"` // seconds since 1970
}

type chartedTrial struct {
	Claims []chartedClaim `json:"claims"`
	// Why has the reasons of verdicts that deviate or are inconclusive, by the index of the run.
	Why map[int]string `json:"why,omitempty"`
}

// chartedClaim has a value for each of its runs: times in milliseconds, others as they are.
type chartedClaim struct {
	Claim   string `json:"claim"`
	Formula string `json:"formula"`
	Unit    string `json:"unit"`
	Runs    []int  `json:"runs"`
	// Values are null if nothing came.
	Values   []*float64 `json:"values"`
	Verdicts []string   `json:"verdicts"`
	// Earliest and Latest are the ends of the implemented windows. They have one entry if all runs have the same.
	Earliest   []float64  `json:"earliest"`
	Latest     []float64  `json:"latest"`
	Documented *[2]ends   `json:"documented,omitempty"`
	Quartiles  *quartiles `json:"quartiles,omitempty"`
}

// ends are one end of the documented windows, null if nothing is documented.
type ends []*float64

type quartiles [5]float64

func encode(h series.History) (template.HTML, error) {
	var c charted
	for _, r := range h.Runs {
		c.Runs = append(c.Runs, chartedRun{ID: r.ID, Started: r.Started.Unix()})
	}
	for _, t := range h.Trials {
		one := chartedTrial{Why: map[int]string{}}
		for _, r := range t.Runs {
			if r.Why != "" {
				one.Why[r.Run] = r.Why
			}
		}
		for _, claim := range t.Claims {
			one.Claims = append(one.Claims, chart(claim))
		}
		c.Trials = append(c.Trials, one)
	}
	return html.Packed(c)
}

func chart(claim series.ClaimHistory) chartedClaim {
	shown := func(v int64) float64 {
		if claim.Unit == formula.Nanoseconds {
			return float64(v/100_000) / 10 // tenths of a millisecond are finer than a pixel
		}
		return float64(v)
	}
	c := chartedClaim{Claim: claim.Claim, Formula: claim.Formula, Unit: string(claim.Unit)}
	var early, late ends
	documented := false
	for _, p := range claim.Points {
		c.Runs, c.Verdicts = append(c.Runs, p.Run), append(c.Verdicts, string(p.Verdict))
		c.Earliest, c.Latest = append(c.Earliest, shown(p.Earliest)), append(c.Latest, shown(p.Latest))
		c.Values = append(c.Values, nil)
		if p.Value != nil {
			c.Values[len(c.Values)-1] = new(shown(*p.Value))
		}
		early, late = append(early, nil), append(late, nil)
		if p.Documented != nil {
			documented = true
			early[len(early)-1], late[len(late)-1] = new(shown(p.Documented.Earliest)), new(shown(p.Documented.Latest))
		}
	}
	c.Earliest, c.Latest = once(c.Earliest), once(c.Latest)
	if documented {
		c.Documented = &[2]ends{early, late}
	}
	if q := claim.Spread; q != nil {
		c.Quartiles = &quartiles{shown(q.Min), shown(q.Q1), shown(q.Median), shown(q.Q3), shown(q.Max)}
	}
	return c
}

func once(all []float64) []float64 {
	for _, v := range all {
		if v != all[0] {
			return all
		}
	}
	return all[:min(1, len(all))]
}
