package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The annotations of a flag that a variable of the environment stands for: the variable's name, and that it
// was the variable that set it.
const (
	variableName = "podclock-variable"
	variableSet  = "podclock-variable-set"
)

// variable lets a variable of the environment stand for a flag that is not given: `make` passes on what it
// was given, and a job says once what all its steps need.
func variable(flags *pflag.FlagSet, flag, name string) {
	f := flags.Lookup(flag)
	f.Usage += " [" + name + "]"
	annotate(f, variableName, name)
}

func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[key] = []string{value}
}

// annotated is a flag's annotation, empty for none.
func annotated(f *pflag.Flag, key string) string {
	if values := f.Annotations[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// readVariables sets the flags that were not given and have a variable that is set. An empty one is not.
func readVariables(flags *pflag.FlagSet, lookup func(name string) (string, bool)) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := annotated(f, variableName)
		if name == "" || f.Changed || err != nil {
			return
		}
		value, _ := lookup(name)
		if value == "" {
			return
		}
		if setting := f.Value.Set(value); setting != nil {
			err = fmt.Errorf("%s=%s, which stands for --%s: %w", name, value, f.Name, setting)
			return
		}
		f.Changed = true
		annotate(f, variableSet, name)
	})
	return err
}

// variables are what was asked for, by the variables' names, whether by flags or by variables. It is what
// configurations are parsed from.
func variables(flags *pflag.FlagSet) map[string]string {
	asked := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if name := annotated(f, variableName); name != "" && f.Changed {
			asked[name] = f.Value.String()
		}
	})
	return asked
}

// asAsked makes a complaint name what the user wrote: the flag, or the variable that stood for it.
func asAsked(flags *pflag.FlagSet, err error) error {
	if err == nil {
		return nil
	}
	said := err
	flags.VisitAll(func(f *pflag.Flag) {
		name := annotated(f, variableName)
		if name == "" || !f.Changed {
			return
		}
		other, written := name+"=", "--"+f.Name+"="
		if annotated(f, variableSet) != "" {
			other, written = written, other
		}
		if rest, about := strings.CutPrefix(err.Error(), other); about {
			said = errors.New(written + rest)
		}
	})
	return said
}

// only refuses flags that are given beside one that leaves them nothing to do. A variable may be set for
// other commands, too.
func only(flags *pflag.FlagSet, mode string, beside ...string) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && annotated(f, variableSet) == "" && f.Name != mode && !slices.Contains(beside, f.Name) {
			err = fmt.Errorf("--%s has no use beside --%s: leave out one of them", f.Name, mode)
		}
	})
	return err
}
