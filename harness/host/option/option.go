// Package option binds flags and the environment variables that stand for them. An error about a value names what the
// user wrote: the flag or the variable.
package option

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

const (
	variableName = "podclock-variable"
	variableSet  = "podclock-variable-set"
)

// Variables names the variables of flags: their names in upper case, with underscores.
func Variables(set *pflag.FlagSet, flags ...string) {
	for _, flag := range flags {
		Variable(set, flag, strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
	}
}

// Variable names the variable that sets a flag if the flag is not given.
func Variable(set *pflag.FlagSet, flag, name string) {
	f := set.Lookup(flag)
	f.Usage += " [" + name + "]"
	annotate(f, variableName, name)
}

// VariableOf returns a flag's variable, or "".
func VariableOf(f *pflag.Flag) string { return annotation(f, variableName) }

func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[key] = []string{value}
}

func annotation(f *pflag.Flag, key string) string {
	if values := f.Annotations[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// ReadEnvironment sets every flag that was not given from its variable, unless that is empty.
func ReadEnvironment(set *pflag.FlagSet, lookup func(name string) (string, bool)) (err error) {
	set.VisitAll(func(f *pflag.Flag) {
		name := annotation(f, variableName)
		if name == "" || f.Changed || err != nil {
			return
		}
		value, _ := lookup(name)
		if value == "" {
			return
		}
		if invalid := f.Value.Set(value); invalid != nil {
			err = fmt.Errorf("%s=%s, which stands for --%s: %w", name, value, f.Name, invalid)
			return
		}
		f.Changed = true
		annotate(f, variableSet, name)
	})
	return err
}

// Error is the invalid value of a flag. Flag has no dashes. The text names the flag, or the variable that set it if
// [AsGiven] found one.
type Error struct {
	Flag     string
	Value    any
	Err      error
	variable string
}

func (e *Error) Error() string {
	name := "--" + e.Flag
	if e.variable != "" {
		name = e.variable
	}
	return fmt.Sprintf("%s=%v: %v", name, e.Value, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Invalid returns an [Error]. flag has no dashes; format and args are those of [fmt.Errorf], %w included.
func Invalid(flag string, value any, format string, args ...any) error {
	return &Error{Flag: flag, Value: value, Err: fmt.Errorf(format, args...)}
}

// AsGiven makes an [Error] name the variable if one set the flag.
func AsGiven(set *pflag.FlagSet, err error) error {
	var invalid *Error
	if !errors.As(err, &invalid) {
		return err
	}
	if f := set.Lookup(invalid.Flag); f != nil {
		invalid.variable = annotation(f, variableSet)
	}
	return invalid
}

// Only refuses every given flag except mode and those beside it. Variables may be meant for other commands.
func Only(set *pflag.FlagSet, mode string, beside ...string) (err error) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Changed && annotation(f, variableSet) == "" && f.Name != mode && !slices.Contains(beside, f.Name) {
			err = fmt.Errorf("--%s has no effect with --%s: leave out one of them", f.Name, mode)
		}
	})
	return err
}

type choice[T ~string] struct {
	value *T
	among []T
}

// OneOf returns a flag that is one of these words.
func OneOf[T ~string](value *T, among ...T) pflag.Value { return choice[T]{value, among} }

// Renamed accepts the old name of one of a flag's values, and prints the new name.
func Renamed(v pflag.Value, flag, old, now string) pflag.Value { return renamed{v, flag, old, now} }

type renamed struct {
	pflag.Value
	flag, old, now string
}

func (r renamed) Set(s string) error {
	if s == r.old {
		fmt.Fprintf(os.Stderr, "--%s=%s is now --%[1]s=%[3]s\n", r.flag, r.old, r.now)
		s = r.now
	}
	return r.Value.Set(s)
}

func (c choice[T]) String() string { return string(*c.value) }
func (c choice[T]) Type() string   { return strings.Join(c.words(), "|") }

func (c choice[T]) Set(s string) error {
	if !slices.Contains(c.among, T(s)) {
		return fmt.Errorf("it must be %s", either(c.words()))
	}
	*c.value = T(s)
	return nil
}

func (c choice[T]) words() []string {
	words := make([]string, len(c.among))
	for i, word := range c.among {
		words[i] = string(word)
	}
	return words
}

func either(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
