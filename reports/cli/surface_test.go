package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/delay"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

// surface is what scripts and programs may depend on: by its kind and its name, what each thing means.
type surface map[string]map[string]string

func (s surface) add(kind, name, meaning string) {
	if s[kind] == nil {
		s[kind] = map[string]string{}
	}
	s[kind][name] = meaning
}

// The kinds of a surface.
const (
	commandKind     = "commands"
	flagKind        = "flags"
	exitKind        = "exit codes"
	runKind         = "run.json"
	conformanceKind = "conformance report"
	junitKind       = "junit.xml"
)

// presentSurface returns what this program has.
func presentSurface() surface {
	s := surface{}
	s.addCommands(tested.program())
	for _, f := range render.Formats() {
		s.add(flagKind, "podclock report --format="+f.Name, "a word")
	}
	s.addExitCodes(exitCodes().Long)
	s.add(runKind, "schema="+runs.Schema, "the format")
	s.addShape(runKind, "", reflect.TypeFor[runs.Run]())
	s.add(runKind, "figures", "object"+orAbsent)
	s.addShape(runKind, "figures", reflect.TypeFor[view.Figures]())
	for _, v := range view.Verdicts() {
		s.add(runKind, "outcomes[].verdict="+string(v), "a word")
	}
	s.add(conformanceKind, "apiVersion="+v1alpha1.APIVersion, "the format")
	s.add(conformanceKind, "kind="+v1alpha1.Kind, "the format")
	s.addShape(conformanceKind, "", reflect.TypeFor[v1alpha1.TimingConformanceReport]())
	for _, r := range []runs.Run{fixture.BothLanes(), fixture.Small(), fixture.Rehearsal(), described()} {
		s.addJUnit(r)
	}
	s.addMutants(fixture.Mutants())
	return s
}

// described returns the fixture with everything that a subject and its run can say of themselves.
func described() runs.Run {
	r := fixture.Conforming()
	r.Profile, r.Subjects[0].Path, r.Outcomes[0].Attempts[0].Result.Extrapolated = "quick", "./kubelet", true
	return r
}

// addCommands adds a command, its flags, and those below it. Its flags' defaults may depend on the release of
// Kubernetes and on the host, so these are words.
func (s surface) addCommands(c *cobra.Command) {
	if c.Runnable() {
		s.add(commandKind, c.CommandPath(), "a command")
	}
	usual := strings.NewReplacer(formula.Versions()[0], "NEWEST", runtime.GOARCH, "ARCHITECTURE")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, ginkgoPrefix) {
			return // Ginkgo decides
		}
		name, kind := c.CommandPath()+" --"+f.Name, f.Value.Type()
		if words := strings.Split(kind, "|"); len(words) > 1 {
			kind = "a word"
			for _, word := range words {
				s.add(flagKind, name+"="+word, "a word")
			}
		}
		meaning := fmt.Sprintf("%s, default %q", kind, usual.Replace(f.DefValue))
		if f.Shorthand != "" {
			meaning += ", -" + f.Shorthand
		}
		if v := option.VariableOf(f); v != "" {
			meaning += ", variable " + v
		}
		s.add(flagKind, name, meaning)
	})
	for _, below := range c.Commands() {
		s.addCommands(below)
	}
}

var (
	exitEntry = regexp.MustCompile(`(?m)^  (\d)  (\w+): ((?:.*\n)(?:     .*\n)*)`)
	exitOf    = regexp.MustCompile(`([^,()]+) \(([a-z, -]+)\)`)
)

// addExitCodes reads the documented list: the word of each code, and of each command what the code means there.
func (s surface) addExitCodes(documented string) {
	for _, e := range exitEntry.FindAllStringSubmatch(documented, -1) {
		s.add(exitKind, e[1], e[2])
		for _, of := range exitOf.FindAllStringSubmatch(strings.Join(strings.Fields(e[3]), " "), -1) {
			for command := range strings.SplitSeq(of[2], ", ") {
				s.add(exitKind, e[1]+" of podclock "+command, strings.TrimSpace(of[1]))
			}
		}
	}
	for verdicts, code := range map[string]int{
		"no trial deviates": runs.ExitConforms, "a trial deviates": runs.ExitDeviates,
		"podclock could not judge": runs.ExitUnjudged,
	} {
		s.add(exitKind, verdicts, strconv.Itoa(code))
	}
}

// orAbsent ends the meaning of a JSON field that a document may leave out.
const orAbsent = " or absent"

// enum matches the words of a field's JSON schema.
var enum = regexp.MustCompile(`enum=([^,]+)`)

// addShape adds the JSON fields of a Go type, and the words that its schema allows.
func (s surface) addShape(kind, path string, t reflect.Type, around ...reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		s.addShape(kind, path, t.Elem(), around...)
	case reflect.Slice, reflect.Array:
		if is := jsonType(t); is == "array" {
			s.add(kind, path+"[]", jsonType(t.Elem()))
			s.addShape(kind, path+"[]", t.Elem(), around...)
		}
	case reflect.Map:
		s.add(kind, path+".*", jsonType(t.Elem()))
		s.addShape(kind, path+".*", t.Elem(), around...)
	case reflect.Struct:
		ours := strings.HasPrefix(t.PkgPath(), "github.com/podclock/")
		if jsonType(t) != "object" || !ours || slices.Contains(around, t) { // it may contain itself
			return
		}
		for f := range t.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			if f.Anonymous && name == "" {
				s.addShape(kind, path, f.Type, append(around, t)...)
				continue
			}
			if name == "" {
				name = f.Name
			}
			at, is := strings.TrimPrefix(path+"."+name, "."), jsonType(f.Type)
			if strings.HasPrefix(options, "omit") {
				is += orAbsent
			}
			s.add(kind, at, is)
			for _, word := range enum.FindAllStringSubmatch(f.Tag.Get("jsonschema"), -1) {
				s.add(kind, at+"="+word[1], "a word")
			}
			s.addShape(kind, at, f.Type, append(around, t)...)
		}
	}
}

// jsonType returns the JSON type of a Go type's values.
func jsonType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return "anything"
	case reflect.TypeFor[time.Time]():
		return "string"
	case reflect.TypeFor[delay.Sample](): // three numbers, see run's savedNode
		return "array"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Interface:
		return "anything"
	}
	return "number"
}

// addJUnit adds the names in a run's JUnit report. What depends on the run is a word in angle brackets.
func (s surface) addJUnit(r runs.Run) {
	names := map[string]string{}
	var claims []string
	for _, o := range r.Outcomes {
		area := view.AreaOf(o)
		names["podclock."+area+"."+junit.Undotted(o.Subject)] = "podclock.<area>.<subject>"
		names[o.Trial] = "<area>/<trial>"
		for _, f := range view.FindingsOf(o) {
			claims = append(claims, f.Claim)
		}
	}
	var report bytes.Buffer
	err := junit.Run(&report, view.OverviewOf(r, nil))
	s.addSuites(report.Bytes(), err, names, claims)
}

// addMutants adds the names in the JUnit report of a mutation test.
func (s surface) addMutants(p mutationtest.Report) {
	names := map[string]string{}
	for _, l := range p.Lanes {
		suite := "podclock.sensitivity." + string(l.Lane)
		names[suite] = "podclock.sensitivity.<lane>"
		for i := range l.References {
			names[fmt.Sprintf("control/%d", i+1)] = "control/<number>"
		}
		for _, m := range l.Mutants {
			names[suite+"."+m.Component] = "podclock.sensitivity.<lane>.<component>"
			names[m.Name] = "<mutant>"
		}
	}
	var report bytes.Buffer
	err := junit.Mutants(&report, p)
	s.addSuites(report.Bytes(), err, names, nil)
}

func (s surface) addSuites(report []byte, err error, names map[string]string, claims []string) {
	var suites reporters.JUnitTestSuites
	if err == nil {
		err = xml.Unmarshal(report, &suites)
	}
	if err != nil {
		panic(err)
	}
	slices.SortFunc(claims, func(a, b string) int { return len(b) - len(a) }) // one may begin with another
	general := func(name string) string {
		if word, known := names[name]; known {
			return word
		}
		disagree, of := strings.CutPrefix(name, "lanes-disagree.")
		if of && slices.Contains(claims, disagree) {
			return "lanes-disagree.<claim>"
		}
		for _, claim := range claims {
			if rest, of := strings.CutPrefix(name, claim+"."); of {
				return "<claim>." + rest
			}
		}
		return name
	}
	add := func(name, value string) {
		is := "text"
		if _, err := strconv.ParseFloat(value, 64); err == nil && s[junitKind][name] != "text" {
			is = "number"
		}
		s.add(junitKind, name, is)
	}
	for _, suite := range suites.TestSuites {
		in := "testsuite " + general(suite.Name)
		s.add(junitKind, in, "a suite") // its properties are Ginkgo's
		for _, c := range suite.TestCases {
			of := in + ", testcase " + general(c.Name)
			s.add(junitKind, of, "classname "+general(c.Classname))
			if c.Properties == nil {
				continue
			}
			for _, p := range c.Properties.Properties {
				add(of+", property "+general(p.Name), p.Value)
			}
		}
	}
}
