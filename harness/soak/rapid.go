package soak

import (
	"flag"
	"fmt"
	"reflect"

	"pgregory.net/rapid"
)

// checks is the number of checks of which rapid makes one: it does a fifth of them in short tests.
func checks() string {
	if short := flag.Lookup("test.short"); short != nil && short.Value.String() == "true" {
		return "5"
	}
	return "1"
}

// set sets flags and returns what puts them back: rapid has no other way to be told.
func set(flags map[string]string) (restore func()) {
	before := map[string]string{}
	for name, value := range flags {
		before[name] = flag.Lookup(name).Value.String()
		_ = flag.Set(name, value) // a name and a value that rapid knows
	}
	return func() {
		for name, value := range before {
			_ = flag.Set(name, value)
		}
	}
}

// ofRapid says whether a panic is how rapid ends a check, such as one for which it has too few bits while
// it shrinks. It belongs to rapid, and is no fault.
func ofRapid(panicked any) bool {
	kind := reflect.TypeOf(panicked)
	return kind != nil && kind.PkgPath() == reflect.TypeFor[rapid.T]().PkgPath()
}

// listener is the test that rapid reports to. It keeps the last complaint: what fails in a scenario is in
// the report, but not what fails in rapid.
type listener struct{ complaint string }

func (*listener) Helper()              {}
func (*listener) Name() string         { return "scenario" }
func (*listener) Logf(string, ...any)  {}
func (*listener) Log(...any)           {}
func (*listener) Skipf(string, ...any) {}
func (*listener) Skip(...any)          {}
func (*listener) SkipNow()             {}
func (l *listener) Errorf(format string, args ...any) {
	l.complaint = fmt.Sprintf(format, args...)
}
func (l *listener) Error(args ...any)                 { l.complaint = fmt.Sprint(args...) }
func (l *listener) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (l *listener) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (l *listener) FailNow()                          { panic("the check failed: " + l.complaint) }
func (l *listener) Fail()                             { l.complaint = "the check failed" }
func (*listener) Failed() bool                        { return false }
