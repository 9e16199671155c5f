package listing

// Catalogue is the catalogue for programs.
type Catalogue struct {
	Versions []string       `json:"versions"`
	Trials   []plainTrial   `json:"trials"`
	Formulas []plainFormula `json:"formulas"`
}

type plainTrial struct {
	ID    string `json:"id"`
	Area  string `json:"area"`
	About string `json:"about"`
	// Seconds is the time from the pod's start to its last fact.
	Seconds float64  `json:"seconds"`
	Profile string   `json:"profile"`
	Labels  []string `json:"labels,omitempty"`
	Worker  string   `json:"worker"`
	// On are the versions that it runs on. Not has the reasons against the others.
	On     []string     `json:"on"`
	Not    []string     `json:"not,omitempty"`
	Claims []plainClaim `json:"claims"`
}

type plainClaim struct {
	ID      string `json:"id"`
	Formula string `json:"formula"`
	// Held names the versions that the claim does not apply to.
	Held string `json:"held,omitempty"`
}

type plainFormula struct {
	ID          string `json:"id"`
	Of          string `json:"of"`
	Description string `json:"says"`
	Source      string `json:"source"`
	// Promise is documented at Page.
	Promise  string         `json:"promise,omitempty"`
	Page     string         `json:"page,omitempty"`
	Issues   []string       `json:"issues,omitempty"`
	Mistakes []plainMistake `json:"rivals,omitempty"`
}

type plainMistake struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`
}

// Plain returns the catalogue for programs.
func (l Listing) Plain() Catalogue {
	p := Catalogue{Versions: l.versions, Trials: []plainTrial{}, Formulas: []plainFormula{}}
	for _, a := range l.areas {
		for _, t := range a.trials {
			p.Trials = append(p.Trials, l.plainTrial(t))
		}
	}
	for _, f := range l.formulas {
		one := plainFormula{ID: f.ID, Of: f.Of.String(), Description: f.Description, Source: f.Source,
			Issues: f.EveryIssue()}
		if f.Documented != nil {
			one.Promise, one.Page = f.Promise, f.DocumentedAt
		}
		for _, r := range f.mistakes {
			one.Mistakes = append(one.Mistakes, plainMistake{r.Name, r.Reference})
		}
		p.Formulas = append(p.Formulas, one)
	}
	return p
}

func (l Listing) plainTrial(t trialListing) plainTrial {
	one := plainTrial{
		ID: t.ID, Area: t.Area(), About: t.About, Seconds: t.Lasts.Seconds(), Profile: t.profile, Labels: t.Labels,
		Worker: t.worker, On: t.on, Not: t.not, Claims: []plainClaim{},
	}
	for _, c := range t.Claims {
		one.Claims = append(one.Claims, plainClaim{ID: c.ID(), Formula: c.Formula.ID, Held: held(c, l.versions)})
	}
	return one
}
