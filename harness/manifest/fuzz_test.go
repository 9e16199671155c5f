package manifest

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// FuzzRead reads whatever it is given: it is refused with its problems, all of it, or read, and what is
// read has what every pod of an API server has.
func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text), Options{})
		if err != nil {
			var invalid *Invalid
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 || !reflect.DeepEqual(m, Manifest{}) {
				t.Fatalf("%v, and still %v", err, m)
			}
			for _, p := range invalid.Problems {
				if p.Document < 1 || p.Line < 1 || p.Line > strings.Count(text, "\n")+1 || p.Wrong == "" {
					t.Fatalf("%+v", p)
				}
			}
			return
		}
		for _, o := range m.Objects {
			if o.Document < 1 || o.Line < 1 || o.Kind == "" || o.Name == "" || o.LineOf(o.PodPath) < 1 {
				t.Fatalf("%+v", o)
			}
			spec := o.Pod.Spec
			if spec.TerminationGracePeriodSeconds == nil || *spec.TerminationGracePeriodSeconds < 0 ||
				spec.RestartPolicy == "" ||
				len(spec.Containers) == 0 {
				t.Fatalf("%+v", spec)
			}
		}
	})
}
