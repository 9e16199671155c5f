package soak

import (
	"flag"
	"fmt"
	"reflect"

	"pgregory.net/rapid"
)

// checks returns the value of rapid.checks that makes rapid run one check: in short tests rapid runs a fifth.
func checks() string {
	if short := flag.Lookup("test.short"); short != nil && short.Value.String() == "true" {
		return "5"
	}
	return "1"
}

// set sets flags and returns a function that restores them. rapid is configured by global flags only.
func set(flags map[string]string) (restore func()) {
	before := map[string]string{}
	for name, value := range flags {
		before[name] = flag.Lookup(name).Value.String()
		_ = flag.Set(name, value) // rapid knows the name and the value
	}
	return func() {
		for name, value := range before {
			_ = flag.Set(name, value)
		}
	}
}

// ofRapid reports whether rapid itself panicked to end a check, for example because it has too few bits while it
// shrinks. Such a panic is no fault and must reach rapid.
func ofRapid(panicked any) bool {
	kind := reflect.TypeOf(panicked)
	return kind != nil && kind.PkgPath() == reflect.TypeFor[rapid.T]().PkgPath()
}

// listener is the test that rapid reports to. It keeps rapid's last complaint. Failures of scenarios are in the report.
type listener struct{ complaint string }

func (*listener) Helper()                             {}
func (*listener) Name() string                        { return "scenario" }
func (*listener) Logf(string, ...any)                 {}
func (*listener) Log(...any)                          {}
func (*listener) Skipf(string, ...any)                {}
func (*listener) Skip(...any)                         {}
func (*listener) SkipNow()                            {}
func (l *listener) Errorf(format string, args ...any) { l.complaint = fmt.Sprintf(format, args...) }
func (l *listener) Error(args ...any)                 { l.complaint = fmt.Sprint(args...) }
func (l *listener) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (l *listener) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (l *listener) FailNow()                          { panic("the check failed: " + l.complaint) }
func (l *listener) Fail()                             { l.complaint = "the check failed" }
func (*listener) Failed() bool                        { return false }
