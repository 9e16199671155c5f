package view

import (
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// PromisedWorkload is what was predicted of a workload beside what was measured.
type PromisedWorkload struct {
	Workload string
	Answers  []PromisedAnswer
}

// PromisedAnswer is one trial of a workload on one subject.
type PromisedAnswer struct {
	// Name is the trial's ID without its workload.
	Name, Trial, About, Subject string
	Verdict                     trial.Verdict
	// To is the end of the axis that all its times share. It begins with 0.
	To     time.Duration
	Values []PromisedValue
}

// PromisedValue is one claim.
type PromisedValue struct {
	trial.Finding
	// To is the answer's.
	To time.Duration
}

// Time reports whether the value is a time.
func (v PromisedValue) Time() bool { return v.Implemented.Unit == formula.Nanoseconds }

// share returns a time's place on the axis, from 0 to 1.
func (v PromisedValue) share(at int64) float64 {
	return min(1, max(0, float64(at)/float64(max(1, v.To))))
}

// Window returns the ends of the predicted window on the axis, At the place of the measured time. All are from 0 to 1.
func (v PromisedValue) Window() (from, to float64) {
	return v.share(v.Implemented.Earliest), v.share(v.Implemented.Latest)
}

// At is 0 if nothing was measured.
func (v PromisedValue) At() float64 {
	if v.Measured == nil {
		return 0
	}
	return v.share(v.Measured.Value)
}

// axisColumns is the width of an axis in text.
const axisColumns = 32

// Axis draws the window and the measured time in text: "····├──●──┤···". It is empty for a count.
func (v PromisedValue) Axis() string {
	if !v.Time() {
		return ""
	}
	column := func(share float64) int { return min(axisColumns-1, int(share*axisColumns)) }
	all := []rune(strings.Repeat("·", axisColumns))
	earliest, latest := v.Window()
	for i := column(earliest); i <= column(latest); i++ {
		all[i] = '─'
	}
	all[column(earliest)], all[column(latest)] = '├', '┤'
	if v.Measured != nil {
		all[column(v.At())] = '●'
	}
	return string(all)
}

// PromisedOf returns each workload of a run's manifest, with each answer of its prediction that a trial played.
func (v Overview) PromisedOf() []PromisedWorkload {
	if v.Run.Promises == nil {
		return nil
	}
	var all []PromisedWorkload
	for _, a := range v.Areas {
		w := PromisedWorkload{Workload: a.Name}
		for _, row := range a.Rows {
			for i, o := range row.Outcomes {
				if o == nil || run.IsCheck(*o) {
					continue
				}
				if one := promisedAnswer(row, *o); len(one.Values) > 0 {
					one.Subject = v.Subjects[i].Name
					w.Answers = append(w.Answers, one)
				}
			}
		}
		if len(w.Answers) > 0 {
			all = append(all, w)
		}
	}
	return all
}

func promisedAnswer(row Row, o run.Outcome) PromisedAnswer {
	_, name, _ := strings.Cut(row.Trial, "/")
	a := PromisedAnswer{Name: name, Trial: row.Trial, About: row.About, Verdict: o.Verdict}
	for _, f := range FindingsOf(o) {
		if !strings.HasPrefix(f.Formula, run.Predicted) {
			continue
		}
		value := PromisedValue{Finding: f}
		if value.Time() {
			a.To = max(a.To, time.Duration(f.Implemented.Latest))
			if f.Measured != nil {
				a.To = max(a.To, time.Duration(f.Measured.Value))
			}
		}
		a.Values = append(a.Values, value)
	}
	for i := range a.Values {
		a.Values[i].To = a.To
	}
	return a
}

// last returns the answer's last time, which the others lead to, or its first value.
func (a PromisedAnswer) last() PromisedValue {
	last := a.Values[0]
	for _, v := range a.Values {
		if v.Time() && (!last.Time() || v.Implemented.Latest >= last.Implemented.Latest) {
			last = v
		}
	}
	return last
}

// Promised returns one table for each workload of a run's manifest: each predicted window beside the measured value.
// A brief one has the last time of each answer.
func (v Overview) Promised(brief bool) []Section {
	var all []Section
	several := len(v.Subjects) > 1
	for _, w := range v.PromisedOf() {
		p := Section{
			ID: w.Workload + "-promised", Title: w.Workload + ": predicted and measured", Code: []int{0, 4},
			Header: []string{"trial", "what", "predicted", "measured", "on the trial's axis", "verdict"},
		}
		if several {
			p.Header = append(p.Header, "subject")
		}
		for _, a := range w.Answers {
			values, name := a.Values, a.Name
			if brief {
				values = []PromisedValue{a.last()}
			}
			for _, f := range values {
				verdict := f.Verdict
				if brief {
					verdict = a.Verdict
				}
				row := []any{
					name, f.Claim, Number(FormatWindow(f.Implemented)), Number(FormatMeasured(f.Finding)), f.Axis(),
					verdict,
				}
				if several {
					row = append(row, a.Subject)
				}
				p.AddRow(row...)
				name = ""
			}
		}
		all = append(all, p)
	}
	return all
}

// Unplayed lists the predictions of a manifest that no trial plays, by reason.
func Unplayed(promised run.Promises) Section {
	p := Section{ID: "unplayed", Title: "Not played: predictions that no trial checks"}
	var whys []string
	of := map[string][]string{}
	for _, u := range promised.Unplayed {
		name := u.Workload
		if u.Answer != "" {
			name += ": " + u.Answer
		}
		if len(u.Containers) > 0 {
			name += " of " + strings.Join(u.Containers, ", ")
		}
		if of[u.Why] == nil {
			whys = append(whys, u.Why)
		}
		of[u.Why] = append(of[u.Why], name)
	}
	for _, why := range whys {
		p.AddLine(Capital(why)+".", strings.Join(of[why], "; "))
	}
	return p
}
