package v1alpha1

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// digest is how a SHA-256 is written.
var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Validate says what is wrong with a report, each error with the path of its field; nothing where it is as
// its types and conclusions say.
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

// conclusion holds a result to what follows from everything else, so that nobody writes a better one by
// hand. The path is that of a profile, nil for the report.
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
