package v1alpha1

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"fmt"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// digest matches a SHA-256.
var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Validate returns the errors of a report, each with the path of its field.
func (r TimingConformanceReport) Validate() field.ErrorList {
	v := &validation{}
	v.oneOf(field.NewPath("apiVersion"), r.APIVersion, APIVersion)
	v.oneOf(field.NewPath("kind"), r.Kind, Kind)
	if _, err := time.Parse(time.RFC3339, r.Date); err != nil {
		v.add(field.Invalid(field.NewPath("date"), r.Date, "it is a time in RFC 3339, such as 2026-03-02T10:00:25Z"))
	}
	v.required(field.NewPath("run"), r.Run)
	v.oneOf(field.NewPath("mode"), r.Mode, "quick", "full")
	v.digest(field.NewPath("planDigest"), r.PlanDigest)
	v.subject(r.Subject)
	v.implementation(r.Implementation)
	v.oracle(r.Oracle)
	v.profiles(r)
	for i, d := range r.Divergences {
		v.divergence(field.NewPath("divergences").Index(i), d)
	}
	v.trials(r)
	v.conclusion(nil, r.Result, r.Reasons, r.Conclusion)
	return v.errors
}

// validation collects errors.
type validation struct{ errors field.ErrorList }

func (v *validation) add(err *field.Error) { v.errors = append(v.errors, err) }

func (v *validation) required(at *field.Path, value string) {
	if strings.TrimSpace(value) == "" {
		v.add(field.Required(at, ""))
	}
}

// each requires something of every element of a list.
func (v *validation) each(at *field.Path, values []string) {
	for i, value := range values {
		v.required(at.Index(i), value)
	}
}

func (v *validation) oneOf(at *field.Path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.add(field.NotSupported(at, value, allowed))
	}
}

func (v *validation) digest(at *field.Path, value string) {
	if !digest.MatchString(value) {
		v.add(field.Invalid(at, value, "it is sha256: and 64 hexadecimal digits in lower case"))
	}
}

func (v *validation) version(at *field.Path, value string) {
	if !semver.IsValid(value) {
		v.add(field.Invalid(at, value, "it is a version of Kubernetes, such as v1.36.3"))
	}
}

func (v *validation) notNegative(at *field.Path, n int) {
	if n < 0 {
		v.add(field.Invalid(at, n, "it is a count"))
	}
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

func (v *validation) subject(s Subject) {
	at := field.NewPath("subject")
	v.required(at.Child("name"), s.Name)
	v.oneOf(at.Child("lane"), s.Lane, NodeLane, VirtualLane)
	if s.Kubelet != "" {
		v.version(at.Child("kubelet"), s.Kubelet)
	}
	if s.Configuration != "" {
		v.digest(at.Child("configuration"), s.Configuration)
	}
	if s.System != nil {
		at := at.Child("system")
		v.required(at.Child("runtime"), s.System.Runtime)
		v.required(at.Child("os"), s.System.OS)
		v.required(at.Child("kernel"), s.System.Kernel)
		v.required(at.Child("architecture"), s.System.Architecture)
	}
	v.each(at.Child("nodes"), s.Nodes)
}

func (v *validation) implementation(i *Implementation) {
	if i == nil {
		return
	}
	at := field.NewPath("implementation")
	v.required(at.Child("organization"), i.Organization)
	v.required(at.Child("project"), i.Project)
	v.required(at.Child("version"), i.Version)
	v.url(at.Child("url"), i.URL)
	if len(i.Contact) == 0 {
		v.add(field.Required(at.Child("contact"), "name at least one person, team, address or page"))
	}
	v.each(at.Child("contact"), i.Contact)
}

func (v *validation) url(at *field.Path, value string) {
	if !strings.HasPrefix(value, "https://") && !strings.HasPrefix(value, "http://") {
		v.add(field.Invalid(at, value, "it is the address of a page, with http:// or https://"))
	}
}

func (v *validation) oracle(o Oracle) {
	at := field.NewPath("oracle")
	v.required(at.Child("podclock"), o.Podclock)
	v.each(at.Child("changed"), o.Changed)
	v.notNegative(at.Child("formulas"), o.Formulas)
	v.digest(at.Child("digest"), o.Digest)
	v.version(at.Child("oldest"), o.Oldest)
	v.version(at.Child("newest"), o.Newest)
}

// profiles checks the profiles, and that no area occurs twice.
func (v *validation) profiles(r TimingConformanceReport) {
	named := map[string]bool{}
	once := func(at *field.Path, name string) {
		v.required(at, name)
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
	v.required(at.Child("summary"), p.Summary)
	v.statistics(at.Child("statistics"), p)
	seen := map[string]bool{}
	listed := func(at *field.Path, id, reason string) {
		v.trialOf(at.Child("trial"), p.Name, id)
		v.required(at.Child("reason"), reason)
		if seen[id] {
			v.add(field.Duplicate(at.Child("trial"), id))
		}
		seen[id] = true
	}
	for i, t := range p.FailedTrials {
		at := at.Child("failedTrials").Index(i)
		listed(at, t.Trial, t.Reason)
		for j, c := range t.Claims {
			v.failed(at.Child("claims").Index(j), c)
		}
	}
	for i, t := range p.InconclusiveTrials {
		listed(at.Child("inconclusiveTrials").Index(i), t.Trial, t.Reason)
	}
	for i, t := range p.SkippedTrials {
		at := at.Child("skippedTrials").Index(i)
		listed(at, t.Trial, t.Reason)
		v.oneOf(at.Child("cause"), string(t.Cause), string(Unsupported), string(Lane), string(Unselected))
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
	for _, count := range []struct {
		name string
		n    int
	}{{"passed", s.Passed}, {"divergent", s.Divergent}, {"claims", s.Claims}} {
		v.notNegative(at.Child(count.name), count.n)
	}
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

func (v *validation) failed(at *field.Path, c FailedClaim) {
	v.required(at.Child("claim"), c.Claim)
	v.required(at.Child("formula"), c.Formula)
	v.required(at.Child("reason"), c.Reason)
	if d := c.Diagnosis; d != nil {
		v.required(at.Child("diagnosis", "name"), d.Name)
	}
}

func (v *validation) divergence(at *field.Path, d Divergence) {
	for _, text := range []struct{ name, value string }{
		{"formula", d.Formula}, {"implemented", d.Implemented}, {"source", d.Source}, {"documented", d.Documented},
		{"measured", d.Measured},
	} {
		v.required(at.Child(text.name), text.value)
	}
	v.url(at.Child("page"), d.Page)
	v.each(at.Child("issues"), d.Issues)
	if len(d.Trials) == 0 {
		v.add(field.Required(at.Child("trials"), "name at least one trial that shows it"))
	}
	v.each(at.Child("trials"), d.Trials)
}

// verdicts are the verdicts of trials. A claim can have all except unsupported.
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
		v.required(one.Child("trial"), t.Trial)
		if seen[t.Trial] {
			v.add(field.Duplicate(one.Child("trial"), t.Trial))
		}
		seen[t.Trial] = true
		v.oneOf(one.Child("verdict"), t.Verdict, verdicts...)
		v.notNegative(one.Child("attempts"), t.Attempts)
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
	for _, text := range []struct{ name, value string }{{"claim", c.Claim}, {"formula", c.Formula}, {"of", c.Of},
		{"unit", c.Unit}} {
		v.required(at.Child(text.name), text.value)
	}
	v.oneOf(at.Child("verdict"), c.Verdict, verdicts[:4]...)
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
