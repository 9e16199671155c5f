package v1alpha1

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

//go:embed timingconformancereport.schema.json
var schemaText []byte

// schemaID is the address of the JSON schema.
const schemaID = "https://raw.githubusercontent.com/podclock/podclock/main/reports/apis/v1alpha1/" +
	"timingconformancereport.schema.json"

var schema = sync.OnceValue(func() *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	runtime.Must(err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	runtime.Must(c.AddResource(schemaID, document))
	return c.MustCompile(schemaID)
})

// Validate returns the errors of a report, each with the path of its field. They are what the JSON schema refuses, and
// the fields that contradict others.
func (r TimingConformanceReport) Validate() field.ErrorList {
	v := &validation{}
	v.schema(r)
	v.profiles(r)
	v.trials(r)
	v.conclusion(nil, r.Result, r.Reasons, r.Conclusion)
	return v.errors
}

// validation collects errors.
type validation struct{ errors field.ErrorList }

func (v *validation) add(err *field.Error) { v.errors = append(v.errors, err) }

// schema adds what the JSON schema refuses.
func (v *validation) schema(r TimingConformanceReport) {
	text, err := json.Marshal(r)
	if err != nil {
		v.add(field.InternalError(nil, err))
		return
	}
	report, _ := jsonschema.UnmarshalJSON(bytes.NewReader(text)) // valid, as Marshal wrote it
	var refused *jsonschema.ValidationError
	if errors.As(schema().Validate(report), &refused) {
		v.refused(report, refused)
	}
}

// refused adds an error for every value that the JSON schema refuses.
func (v *validation) refused(report any, err *jsonschema.ValidationError) {
	for _, cause := range err.Causes {
		v.refused(report, cause)
	}
	if len(err.Causes) > 0 {
		return
	}
	at, value := find(report, err.InstanceLocation)
	detail := err.BasicOutput().Error.String()
	if text, ok := value.(string); value == nil || ok && strings.TrimSpace(text) == "" {
		v.add(field.Required(at, detail))
		return
	}
	v.add(field.Invalid(at, value, detail))
}

// find returns the path and the value of one place in a report.
func find(value any, location []string) (at *field.Path, _ any) {
	for _, step := range location {
		switch parent := value.(type) {
		case []any:
			i, _ := strconv.Atoi(step)
			at, value = at.Index(i), parent[i]
		case map[string]any:
			at, value = at.Child(step), parent[step]
		}
	}
	return at, value
}

// conclusion compares a result with what follows from the other fields, so that no edited result is valid. The
// path is that of a profile, nil for the report.
func (v *validation) conclusion(of *field.Path, result Result, reasons []string, derive func() (Result, []string)) {
	follows, because := derive()
	if result != follows {
		detail := "it is " + string(follows) + " by what the report says"
		if len(because) > 0 {
			detail += ": " + strings.Join(because, "; ")
		}
		v.add(field.Invalid(of.Child("result"), result, detail))
	}
	if !slices.Equal(reasons, because) {
		v.add(field.Invalid(of.Child("reasons"), reasons, "they are: "+strings.Join(because, "; ")))
	}
}

// profiles checks the profiles, and that no area occurs twice.
func (v *validation) profiles(r TimingConformanceReport) {
	named := map[string]bool{}
	once := func(at *field.Path, name string) {
		if named[name] {
			v.add(field.Duplicate(at, name))
		}
		named[name] = true
	}
	for i, p := range r.Profiles {
		at := field.NewPath("profiles").Index(i)
		once(at.Child("name"), p.Name)
		v.profile(at, p, r.Subject.Lane)
	}
	for i, name := range r.SkippedProfiles {
		once(field.NewPath("skippedProfiles").Index(i), name)
	}
}

func (v *validation) profile(at *field.Path, p Profile, lane string) {
	v.statistics(at.Child("statistics"), p)
	seen := map[string]bool{}
	listed := func(list string, i int, id string) {
		at := at.Child(list).Index(i).Child("trial")
		v.trialOf(at, p.Name, id)
		if seen[id] {
			v.add(field.Duplicate(at, id))
		}
		seen[id] = true
	}
	for i, t := range p.FailedTrials {
		listed("failedTrials", i, t.Trial)
	}
	for i, t := range p.InconclusiveTrials {
		listed("inconclusiveTrials", i, t.Trial)
	}
	for i, t := range p.SkippedTrials {
		listed("skippedTrials", i, t.Trial)
	}
	v.conclusion(at, p.Result, p.Reasons, func() (Result, []string) { return p.Conclusion(lane) })
}

// trialOf requires the ID of a trial of an area.
func (v *validation) trialOf(at *field.Path, area, id string) {
	if before, after, found := strings.Cut(id, "/"); !found || before != area || after == "" {
		v.add(field.Invalid(at, id,
			fmt.Sprintf("it is the ID of a trial of the area %q, such as %s/ignored-sigterm", area, area)))
	}
}

func (v *validation) statistics(at *field.Path, p Profile) {
	s := p.Statistics
	if s.Divergent > s.Passed {
		v.add(field.Invalid(at.Child("divergent"), s.Divergent,
			fmt.Sprintf("they are some of the %d passed", s.Passed)))
	}
	for _, list := range []struct {
		name      string
		n, listed int
	}{
		{"failed", s.Failed, len(p.FailedTrials)}, {"inconclusive", s.Inconclusive, len(p.InconclusiveTrials)},
		{"skipped", s.Skipped, len(p.SkippedTrials)},
	} {
		if list.n != list.listed {
			v.add(field.Invalid(at.Child(list.name), list.n, fmt.Sprintf("%sTrials lists %d", list.name, list.listed)))
		}
	}
}

// verdicts are the verdicts of trials.
var verdicts = []string{"conforms", "divergent", "inconclusive", "deviates", "unsupported"}

// trials checks the numbers, and that there are as many trials as the statistics count.
func (v *validation) trials(r TimingConformanceReport) {
	if len(r.Trials) == 0 {
		return
	}
	at := field.NewPath("trials")
	counted := map[string]int{}
	seen := map[string]bool{}
	for i, t := range r.Trials {
		one := at.Index(i)
		if seen[t.Trial] {
			v.add(field.Duplicate(one.Child("trial"), t.Trial))
		}
		seen[t.Trial] = true
		counted[t.Verdict]++
		for j, c := range t.Claims {
			v.claim(one.Child("claims").Index(j), c)
		}
	}
	for _, verdict := range verdicts {
		if n := r.counted(verdict); n != counted[verdict] {
			v.add(field.Invalid(at, counted[verdict],
				fmt.Sprintf("so many trials are %s, but the statistics of the profiles count %d", verdict, n)))
		}
	}
}

// counted returns the number of trials with a verdict by the profiles' statistics. Skipped trials that were not
// selected have no verdict.
func (r TimingConformanceReport) counted(verdict string) int {
	n := 0
	for _, p := range r.Profiles {
		s := p.Statistics
		n += map[string]int{"conforms": s.Passed - s.Divergent, "divergent": s.Divergent,
			"inconclusive": s.Inconclusive, "deviates": s.Failed,
			"unsupported": p.skipped(Unsupported) + p.skipped(Lane)}[verdict]
	}
	return n
}

func (v *validation) claim(at *field.Path, c Claim) {
	v.window(at.Child("implemented"), c.Implemented)
	if c.Documented != nil {
		v.window(at.Child("documented"), *c.Documented)
	}
	passed := c.Verdict == "conforms" || c.Verdict == "divergent"
	switch {
	case passed && c.Measured == nil:
		v.add(field.Required(at.Child("measured"), "a claim without a measured value cannot pass"))
	case (c.Margin == nil) != (c.Measured == nil):
		v.add(field.Invalid(at.Child("margin"), c.Margin, "there is one exactly if there is a measured value"))
	case passed && *c.Margin < 0, c.Verdict == "deviates" && c.Measured != nil && *c.Margin >= 0:
		v.add(field.Invalid(at.Child("verdict"), c.Verdict,
			fmt.Sprintf("its margin is %v, and what passes is inside the implemented window", *c.Margin)))
	}
}

func (v *validation) window(at *field.Path, w Window) {
	if w.Earliest > w.Latest {
		v.add(field.Invalid(at, w, "it ends before it begins"))
	}
}
